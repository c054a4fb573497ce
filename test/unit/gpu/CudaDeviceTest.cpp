// What the CUDA device asks of the driver, checked on a driver that only records it.
#include "runtime/devices/cuda/CudaDevice.h"
#include "runtime/devices/cuda/CudaDriver.h"
#include "test/unit/fixtures/cuda/FakeDriver.h"
#include <catch2/catch.hpp>
#include <cstring>
#include <dlfcn.h>

using namespace zyxc;
using namespace zyxc::rt;
using zyxc::test::FakeCuda;

/// The state of the recording driver, emptied.
static FakeCuda &fakeDriver() {
  void *library = dlopen(ZYXC_FAKE_CUDA, RTLD_NOW);
  REQUIRE(library);
  auto get = reinterpret_cast<FakeCuda *(*)()>(dlsym(library, "fakeCuda"));
  REQUIRE(get);
  *get() = FakeCuda();
  return *get();
}

static std::unique_ptr<GpuDevice> openFake() {
  auto device = openCudaDevice(0, ZYXC_FAKE_CUDA);
  REQUIRE(device);
  return *std::move(device);
}

/// Two launches; the second has a tensor map of port 1.
static GpuKernel exampleKernel() {
  GpuKernel kernel;
  kernel.name = "example";
  kernel.image = "image";
  kernel.scratchBytes = 4096;
  GpuLaunch first{"k3m0", {4, 2, 1}, 256, 0, {}};
  GpuLaunch second{"k3m1", {132, 1, 1}, 384, 65536, {}};
  second.maps.push_back({1, 0, MapType::BF16, {64, 100}, {128}, {64, 32}, 128});
  kernel.launches = {first, second};
  return kernel;
}

TEST_CASE("Without a CUDA driver the error says so", "[cuda]") {
  auto device = openCudaDevice(0, "libcuda-that-does-not-exist.so.1");
  REQUIRE(!device);
  CHECK(device.error().code() == ErrorCode::Device);
  CHECK(device.error().message().starts_with(
      "no CUDA driver: libcuda-that-does-not-exist.so.1: cannot open shared object file"));
  // A library that is no driver.
  auto other = openCudaDevice(0, "libc.so.6");
  REQUIRE(!other);
  CHECK(other.error().message() == "libc.so.6 has no cuInit: update the NVIDIA driver");
}

TEST_CASE("A CUDA device says what it is", "[cuda]") {
  FakeCuda &fake = fakeDriver();
  {
    auto device = openFake();
    const GpuDeviceInfo &info = device->info();
    CHECK(info.name == "Fake GPU");
    CHECK(info.api == "CUDA 13.0");
    CHECK(info.target == "sm_90a");
    CHECK(info.sharedBytes == 232448);
    CHECK(info.maxThreads == 1024);
    CHECK(info.subgroupSize == 32);
    CHECK(info.multiprocessors == 132);
    CHECK(info.memoryBytes == uint64_t(1) << 30);
  }
  CHECK(fake.live == std::map<std::string, int>{{"context", 0}, {"stream", 0}});
  for (auto [capability, target] : {std::pair{80, "sm_80"}, {87, "sm_86"}, {121, "sm_120"}}) {
    fake.capability = capability;
    CHECK(openFake()->info().target == target);
  }
  fake.capability = 61;
  auto old = openCudaDevice(0, ZYXC_FAKE_CUDA);
  REQUIRE(!old);
  CHECK(old.error().message() == "Fake GPU: compute capability 6.1 has no target");
  auto second = openCudaDevice(1, ZYXC_FAKE_CUDA);
  REQUIRE(!second);
  CHECK(second.error().message() == "no CUDA device 1: there are 1");
}

TEST_CASE("Memory of a CUDA device", "[cuda]") {
  FakeCuda &fake = fakeDriver();
  {
    auto device = openFake();
    auto a = device->allocate(16);
    auto b = device->allocate(0);
    REQUIRE(a);
    REQUIRE(b);
    CHECK(fake.live["memory"] == 2);
    uint32_t in[4] = {1, 2, 3, 4}, out[4] = {};
    CHECK(device->upload(*a, in, sizeof in).isOk());
    CHECK(device->download(out, *a, sizeof out).isOk());
    CHECK(std::memcmp(in, out, sizeof in) == 0);
    CHECK(device->fill(*a, 0xff, 8).isOk());
    CHECK(device->download(out, *a, sizeof out).isOk());
    CHECK(out[1] == 0xffffffff);
    CHECK(out[2] == 3);
    device->release(*a);
    CHECK(fake.live["memory"] == 1);
    fake.failing = "cuMemAlloc_v2";
    fake.error = cuOutOfMemory;
    auto refused = device->allocate(1 << 20);
    REQUIRE(!refused);
    CHECK(refused.error().code() == ErrorCode::OutOfMemory);
    CHECK(refused.error().message() ==
          "1048576 bytes: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (as asked)");
  }
  CHECK(fake.live["memory"] == 0); // b went with the device
}

TEST_CASE("Launches of a CUDA kernel", "[cuda]") {
  FakeCuda &fake = fakeDriver();
  auto device = openFake();
  auto program = device->load(exampleKernel());
  REQUIRE(program);
  CHECK(fake.calls["cuFuncSetAttribute"] == 1);
  std::vector<GpuAddress> ports = {0x1000, 0x2000};
  REQUIRE(device->launch(**program, ports).isOk());
  REQUIRE(fake.launches.size() == 2);
  CHECK(fake.launches[0].entry == "k3m0");
  CHECK(fake.launches[0].sizes == std::vector<unsigned>{4, 2, 1, 256, 1, 1, 0});
  CHECK(fake.launches[1].sizes == std::vector<unsigned>{132, 1, 1, 384, 1, 1, 65536});
  // Ports, then scratch, then maps.
  CHECK(fake.launches[0].addresses[0] == 0x1000);
  CHECK(fake.launches[0].addresses[1] == 0x2000);
  CHECK(fake.launches[0].addresses[2] == fake.launches[1].addresses[2]);
  CHECK(fake.launches[1].maps == std::vector<uint64_t>{0x2000});
  // BF16, swizzle of 128 bytes, rank, dims, stride, box.
  CHECK(fake.encoded == std::vector<std::vector<uint64_t>>{{9, 3, 2, 64, 100, 128, 64, 32}});
  // A map is encoded once an address.
  REQUIRE(device->launch(**program, ports).isOk());
  CHECK(fake.encoded.size() == 1);
  ports[1] = 0x3000;
  REQUIRE(device->launch(**program, ports).isOk());
  CHECK(fake.encoded.size() == 2);
  CHECK(fake.launches[5].maps == std::vector<uint64_t>{0x3000});
  GpuKernel last = exampleKernel();
  last.launches.erase(last.launches.begin());
  auto mapped = device->load(last);
  REQUIRE(mapped);
  std::vector<GpuAddress> tooFew; // only the scratch memory is left
  Status status = device->launch(**mapped, tooFew);
  CHECK(status.message() == "k3m1: a tensor map of port 1 of 1");
}

TEST_CASE("A CUDA launch that waits by itself may start early", "[cuda]") {
  FakeCuda &fake = fakeDriver();
  auto device = openFake();
  GpuKernel kernel = exampleKernel();
  kernel.launches[1].startsEarly = true;
  auto program = device->load(kernel);
  REQUIRE(program);
  std::vector<GpuAddress> ports = {0x1000, 0x2000};
  REQUIRE(device->launch(**program, ports).isOk());
  REQUIRE(fake.launches.size() == 2);
  CHECK(fake.launches[0].attributes.empty());
  CHECK(fake.launches[1].attributes == std::map<int, int>{{cuStartsEarlyAttribute, 1}});
  CHECK(fake.launches[1].sizes == std::vector<unsigned>{132, 1, 1, 384, 1, 1, 65536});
  CHECK(fake.launches[1].maps == std::vector<uint64_t>{0x2000});
  fake.failing = "cuLaunchKernelEx";
  CHECK(device->launch(**program, ports).message() ==
        "k3m1: cuLaunchKernelEx: CUDA_ERROR_FAKE (as asked)");
}

TEST_CASE("An empty grid is no launch", "[cuda]") {
  FakeCuda &fake = fakeDriver();
  auto device = openFake();
  GpuKernel kernel = exampleKernel();
  kernel.launches[0].grid = {0, 1, 1};
  auto program = device->load(kernel);
  REQUIRE(program);
  std::vector<GpuAddress> ports = {0x1000, 0x2000};
  REQUIRE(device->launch(**program, ports).isOk());
  CHECK(fake.launches.size() == 1);
}

TEST_CASE("Times of a CUDA kernel rotate the ports", "[cuda]") {
  FakeCuda &fake = fakeDriver();
  auto device = openFake();
  GpuKernel kernel = exampleKernel();
  kernel.launches.pop_back();
  auto program = device->load(kernel);
  REQUIRE(program);
  std::vector<std::vector<GpuAddress>> ports = {{1, 2}, {3, 4}, {5, 6}};
  GpuStep steps[] = {{program->get(), ports}};
  auto times = device->time(steps, 2, 4);
  REQUIRE(times);
  CHECK(*times == std::vector<double>{750, 750}); // 3 ms for 4 runs
  REQUIRE(fake.launches.size() == 8);
  CHECK(fake.launches[3].addresses[0] == 1);
  CHECK(fake.launches[7].addresses[0] == 3);
  CHECK(fake.live["event"] == 0);
  uint32_t from[2] = {7, 8}, to[2] = {};
  auto copy = device->timeCopy(reinterpret_cast<GpuAddress>(to), reinterpret_cast<GpuAddress>(from),
                               sizeof from, 1, 1);
  REQUIRE(copy);
  CHECK(to[1] == 8);
}

TEST_CASE("An error of the CUDA driver is named and nothing leaks", "[cuda]") {
  FakeCuda &fake = fakeDriver();
  for (const char *function : {"cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetAttribute",
                               "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuStreamCreate"}) {
    INFO(function);
    fake.failing = function;
    auto device = openCudaDevice(0, ZYXC_FAKE_CUDA);
    REQUIRE(!device);
    CHECK(device.error().code() == ErrorCode::Device);
    CHECK(device.error().message() == fmt::format("{}: CUDA_ERROR_FAKE (as asked)", function));
  }
  for (const char *function :
       {"cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncSetAttribute", "cuMemAlloc_v2",
        "cuTensorMapEncodeTiled", "cuLaunchKernel", "cuEventCreate", "cuEventRecord"}) {
    INFO(function);
    fake.failing.clear();
    auto device = openFake();
    fake.failing = function;
    auto program = device->load(exampleKernel());
    if (program) {
      std::vector<std::vector<GpuAddress>> ports = {{1, 2}};
      GpuStep steps[] = {{program->get(), ports}};
      auto times = device->time(steps, 1, 1);
      REQUIRE(!times);
      CHECK(times.error().message().find("CUDA_ERROR_FAKE (as asked)") != std::string::npos);
    } else {
      CHECK(program.error().message().starts_with("example: ") !=
            (std::string(function) == "cuMemAlloc_v2"));
    }
  }
  auto device = [&] {
    fake.failing.clear();
    return openFake();
  }();
  fake.failing = "cuModuleLoadDataEx";
  auto program = device->load(exampleKernel());
  REQUIRE(!program);
  CHECK(program.error().message() ==
        "example: cuModuleLoadDataEx: CUDA_ERROR_FAKE (as asked): a line of the log");
  device.reset();
  for (const auto &[kind, count] : fake.live) {
    INFO(kind);
    CHECK(count == 0);
  }
}
