// Whole kernels on the software Vulkan device: workgroup memory, control flow, several launches;
// and the device itself.
#include "test/unit/mlir/gpu/VulkanKernel.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

using namespace zyxc;
using namespace zyxc::test;

/// Row softmax: each block a row, each thread strides over it; partial results meet by shuffles in
/// subgroups of 8, then in workgroup memory.
static constexpr const char *softmax = R"(
!port = memref<3700xf32, #gpu.address_space<global>>
!shared = memref<8xf32, #gpu.address_space<workgroup>>
gpu.module @softmax {
  gpu.func @softmax(%x: !port, %y: !port)
      kernel attributes {zyxk.launch = 0 : i64, zyxk.grid = array<i64: 37, 1, 1>,
                         known_block_size = array<i32: 64, 1, 1>} {
    %sm = memref.alloc() : !shared
    %row = gpu.block_id x
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %n = arith.constant 100 : index
    %o1 = arith.constant 1 : i32
    %o2 = arith.constant 2 : i32
    %o4 = arith.constant 4 : i32
    %w = arith.constant 8 : i32
    %ninf = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %warp = arith.divui %t, %c8 : index
    %lane = arith.remui %t, %c8 : index
    %leads = arith.cmpi eq, %lane, %c0 : index
    %base = arith.muli %row, %n : index
    %m = scf.for %i = %t to %n step %c64 iter_args(%acc = %ninf) -> f32 {
      %j = arith.addi %base, %i : index
      %v = memref.load %x[%j] : !port
      %r = arith.maximumf %acc, %v : f32
      scf.yield %r : f32
    }
    %m1, %p1 = gpu.shuffle xor %m, %o1, %w : f32
    %m2 = arith.maximumf %m, %m1 : f32
    %m3, %p2 = gpu.shuffle xor %m2, %o2, %w : f32
    %m4 = arith.maximumf %m2, %m3 : f32
    %m5, %p3 = gpu.shuffle xor %m4, %o4, %w : f32
    %m6 = arith.maximumf %m4, %m5 : f32
    scf.if %leads {
      memref.store %m6, %sm[%warp] : !shared
    }
    gpu.barrier
    %max = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %ninf) -> f32 {
      %v = memref.load %sm[%i] : !shared
      %r = arith.maximumf %acc, %v : f32
      scf.yield %r : f32
    }
    gpu.barrier
    %s = scf.for %i = %t to %n step %c64 iter_args(%acc = %zero) -> f32 {
      %j = arith.addi %base, %i : index
      %v = memref.load %x[%j] : !port
      %d = arith.subf %v, %max : f32
      %e = math.exp %d : f32
      memref.store %e, %y[%j] : !port
      %r = arith.addf %acc, %e : f32
      scf.yield %r : f32
    }
    %s1, %q1 = gpu.shuffle down %s, %o4, %w : f32
    %s2 = arith.addf %s, %s1 : f32
    %s3, %q2 = gpu.shuffle down %s2, %o2, %w : f32
    %s4 = arith.addf %s2, %s3 : f32
    %s5, %q3 = gpu.shuffle down %s4, %o1, %w : f32
    %s6 = arith.addf %s4, %s5 : f32
    scf.if %leads {
      memref.store %s6, %sm[%warp] : !shared
    }
    gpu.barrier
    %parts = vector.load %sm[%c0] {alignment = 16 : i64} : !shared, vector<8xf32>
    %sum = vector.reduction <add>, %parts : vector<8xf32> into f32
    scf.for %i = %t to %n step %c64 {
      %j = arith.addi %base, %i : index
      %e = memref.load %y[%j] : !port
      %d = arith.divf %e, %sum : f32
      memref.store %d, %y[%j] : !port
    }
    gpu.return
  }
})";

TEST_CASE("Vulkan runs a row softmax", "[vulkan]") {
  auto vulkan = VulkanKernel::open();
  if (!vulkan) {
    return;
  }
  REQUIRE(vulkan->device->info().subgroupSize == 8);
  std::vector<float> x(3700);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = std::sin(static_cast<float>(i * i)) * 20;
  }
  auto ports = vulkan->run(softmax, {bytesOf(x), bytesOf(std::vector<float>(3700, NAN))});
  auto y = elementsOf<float>(ports[1]);
  double worst = 0;
  for (size_t row = 0; row < 37; ++row) {
    const float *of = &x[row * 100];
    double largest = *std::max_element(of, of + 100), sum = 0;
    for (size_t i = 0; i < 100; ++i) {
      sum += std::exp(of[i] - largest);
    }
    for (size_t i = 0; i < 100; ++i) {
      worst = std::max(worst, std::abs(y[row * 100 + i] - std::exp(of[i] - largest) / sum));
    }
  }
  CHECK(worst < 1e-6);
}

/// Two launches through scratch memory: the first squares into it, the second sums neighbours with
/// loops whose results are vectors, an else branch and a while loop.
static constexpr const char *launches = R"(
!port = memref<256xi64, #gpu.address_space<global>>
!scratch = memref<2048xi8, #gpu.address_space<global>>
gpu.module @launches attributes {zyxk.scratch_bytes = 2048 : i64} {
  gpu.func @second(%x: !port, %y: !port, %s: !scratch)
      kernel attributes {zyxk.launch = 1 : i64, zyxk.grid = array<i64: 2, 2, 1>,
                         known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant dense<0> : vector<2xi64>
    %limit = arith.constant 1000 : i64
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %t = gpu.thread_id x
    %b0 = arith.muli %by, %c2 : index
    %b1 = arith.addi %b0, %bx : index
    %b2 = arith.muli %b1, %c64 : index
    %i = arith.addi %b2, %t : index
    %p = arith.divui %i, %c2 : index
    %pair = arith.muli %p, %c2 : index
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %z) -> vector<2xi64> {
      %v = vector.load %x[%pair] {alignment = 16 : i64} : !port, vector<2xi64>
      %r = arith.addi %acc, %v : vector<2xi64>
      scf.yield %r : vector<2xi64>
    }
    %odd = arith.remui %i, %c2 : index
    %isOdd = arith.cmpi eq, %odd, %c1 : index
    %mine = scf.if %isOdd -> i64 {
      %a = vector.extract %sum[1] : i64 from vector<2xi64>
      scf.yield %a : i64
    } else {
      %a = vector.extract %sum[0] : i64 from vector<2xi64>
      scf.yield %a : i64
    }
    %large = scf.while (%w = %mine) : (i64) -> i64 {
      %more = arith.cmpi slt, %w, %limit : i64
      scf.condition(%more) %w : i64
    } do {
    ^bb0(%w: i64):
      %one = arith.constant 1 : i64
      %dw = arith.addi %w, %w : i64
      %dw1 = arith.addi %dw, %one : i64
      scf.yield %dw1 : i64
    }
    %low = memref.load %s[%i] : !scratch
    %wide = arith.extsi %low : i8 to i64
    %all = arith.addi %large, %wide : i64
    memref.store %all, %y[%i] : !port
    gpu.return
  }
  gpu.func @first(%x: !port, %y: !port, %s: !scratch)
      kernel attributes {zyxk.launch = 0 : i64, zyxk.grid = array<i64: 4, 1, 1>,
                         known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %b1 = arith.muli %b, %c64 : index
    %i = arith.addi %b1, %t : index
    %v = memref.load %x[%i] : !port
    %q = arith.muli %v, %v : i64
    %n = arith.trunci %q : i64 to i8
    memref.store %n, %s[%i] : !scratch
    gpu.return
  }
})";

TEST_CASE("Vulkan runs launches in order, through scratch memory", "[vulkan]") {
  auto vulkan = VulkanKernel::open();
  if (!vulkan) {
    return;
  }
  std::vector<int64_t> x(256);
  std::iota(x.begin(), x.end(), 0);
  auto ports = vulkan->run(launches, {bytesOf(x), bytesOf(std::vector<int64_t>(256, -1))});
  auto y = elementsOf<int64_t>(ports[1]);
  int wrong = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t value = 4 * x[i];
    while (value < 1000) {
      value = 2 * value + 1;
    }
    wrong += y[i] != value + static_cast<int8_t>(x[i] * x[i]);
  }
  CHECK(wrong == 0);
}

TEST_CASE("Ports of 2 GiB have 64-bit indices on Vulkan; threads know their subgroup", "[vulkan]") {
  auto vulkan = VulkanKernel::open();
  if (!vulkan) {
    return;
  }
  // The launch touches the first elements only.
  auto ports = vulkan->run(R"(
    !port = memref<1073741824xi32, #gpu.address_space<global>>
    gpu.module @large {
      gpu.func @large(%x: !port)
          kernel attributes {zyxk.launch = 0 : i64, zyxk.grid = array<i64: 3, 1, 1>,
                             known_block_size = array<i32: 64, 1, 1>} {
        %c64 = arith.constant 64 : index
        %c1000 = arith.constant 1000 : index
        %block = gpu.block_id x
        %thread = gpu.thread_id x
        %lane = gpu.lane_id
        %subgroup = gpu.subgroup_id : index
        %subgroups = gpu.num_subgroups : index
        %size = gpu.subgroup_size : index
        %start = arith.muli %block, %c64 : index
        %i = arith.addi %start, %thread : index
        %a = arith.muli %subgroup, %c1000 : index
        %b = arith.addi %a, %lane : index
        %c = arith.muli %b, %c1000 : index
        %d = arith.muli %subgroups, %size : index
        %e = arith.addi %c, %d : index
        %v = arith.index_cast %e : index to i32
        memref.store %v, %x[%i] : !port
        gpu.return
      }
    })",
                           {bytesOf(std::vector<int32_t>(192, -1))});
  auto x = elementsOf<int32_t>(ports[0]);
  int wrong = 0;
  for (int i = 0; i < 192; ++i) {
    int thread = i % 64;
    wrong += x[i] != (thread / 8 * 1000 + thread % 8) * 1000 + 64;
  }
  CHECK(wrong == 0);
}

TEST_CASE("A Vulkan kernel with many ports finds their addresses in a table", "[vulkan]") {
  auto vulkan = VulkanKernel::open();
  if (!vulkan) {
    return;
  }
  constexpr int numPorts = 20;
  std::string arguments, body;
  std::vector<std::vector<char>> ports;
  for (int i = 0; i < numPorts; ++i) {
    arguments += fmt::format("{}%p{}: !port", i ? ", " : "", i);
    body += fmt::format("%v{0} = memref.load %p{0}[%t] : !port\n", i);
    body += fmt::format("%s{} = arith.addi %s{}, %v{} : i32\n", i + 1, i, i);
    ports.push_back(bytesOf(std::vector<int32_t>(64, 1 << i)));
  }
  auto results = vulkan->run(fmt::format(R"(
    !port = memref<64xi32, #gpu.address_space<global>>
    gpu.module @many {{
      gpu.func @many({0}) kernel attributes {{zyxk.launch = 0 : i64,
          zyxk.grid = array<i64: 1, 1, 1>, known_block_size = array<i32: 64, 1, 1>}} {{
        %t = gpu.thread_id x
        %s0 = arith.constant 0 : i32
        {1}
        memref.store %s{2}, %p{3}[%t] : !port
        gpu.return
      }}
    }})",
                                         arguments, body, numPorts, numPorts - 1),
                             ports);
  CHECK(elementsOf<int32_t>(results.back()) == std::vector<int32_t>(64, (1 << numPorts) - 1));
  CHECK(results.front() == ports.front());
}

TEST_CASE("A Vulkan device copies, fills and times", "[vulkan]") {
  auto vulkan = VulkanKernel::open();
  if (!vulkan) {
    return;
  }
  rt::GpuDevice &device = *vulkan->device;
  CHECK(device.info().isSoftware);
  std::vector<int32_t> values(100000);
  std::iota(values.begin(), values.end(), 5);
  uint64_t bytes = values.size() * 4;
  auto a = device.allocate(bytes), b = device.allocate(bytes), none = device.allocate(0);
  REQUIRE((a && b && none));
  CHECK(*a % 256 == 0);
  REQUIRE(device.upload(*a, values.data(), bytes).isOk());
  REQUIRE(device.fill(*b, 0x11, bytes).isOk());
  auto times = device.timeCopy(*b + 400, *a + 800, bytes - 1200, 3, 2);
  REQUIRE(times);
  CHECK(times->size() == 3);
  CHECK((*times)[0] > 0);
  std::vector<int32_t> result(values.size());
  REQUIRE(device.download(result.data(), *b, bytes).isOk());
  CHECK(result[99] == 0x11111111);
  CHECK(result[100] == values[200]);
  CHECK(result[values.size() - 201] == values[values.size() - 101]);
  CHECK(result.back() == 0x11111111);
  CHECK(device.upload(*a + bytes, values.data(), 1024).code() == ErrorCode::Internal);
  auto huge = device.allocate(uint64_t(1) << 60);
  REQUIRE(!huge);
  CHECK(huge.error().code() == ErrorCode::OutOfMemory);
  // The layer objects to such a buffer too: that is expected here, and only here.
  vulkan->messages.clear();
}

TEST_CASE("What a Vulkan device cannot run is an error", "[vulkan]") {
  auto vulkan = VulkanKernel::open();
  if (!vulkan) {
    return;
  }
  rt::GpuKernel kernel = vulkan->compile(softmax);
  rt::GpuKernel large = kernel;
  large.launches[0].grid = {1, 1u << 20, 1};
  auto refused = vulkan->device->load(large);
  REQUIRE(!refused);
  CHECK(refused.error().message() ==
        fmt::format("softmax: 1048576 workgroups along one axis, {} has at most 65535",
                    vulkan->device->info().name));
  auto unknown = rt::openVulkanDevice({"no such device", false, {}});
  REQUIRE(!unknown);
  CHECK(unknown.error().message().starts_with("no Vulkan device 'no such device'; there are: "));
  auto invalid = vulkan->compiler->compile("gpu.module @m {}");
  REQUIRE(!invalid);
  CHECK(invalid.error().message() == "m: no launch in the module");
}

TEST_CASE("Messages of the validation layer are errors", "[vulkan]") {
  auto vulkan = VulkanKernel::open();
  if (!vulkan) {
    return;
  }
  rt::VulkanOptions options;
  options.device = "cpu";
  options.validate = true;
  auto device = rt::openVulkanDevice(options);
  REQUIRE(device);
  rt::GpuKernel kernel = vulkan->compile(softmax);
  kernel.launches[0].entry = "nowhere";
  auto program = (*device)->load(kernel);
  REQUIRE(!program);
  CHECK(program.error().code() == ErrorCode::Device);
  CHECK(program.error().message().find("nowhere") != std::string::npos);
}
