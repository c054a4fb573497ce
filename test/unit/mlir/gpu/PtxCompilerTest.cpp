// Lowered kernels to PTX, and through ptxas where the CUDA toolkit is installed.
#include "compiler/codegen/cuda/PtxCompiler.h"
#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace zyxc;

static std::unique_ptr<PtxCompiler> compilerFor(const char *target, PtxOptions options = {}) {
  auto compiler = PtxCompiler::create(*findTarget(target), options);
  INFO((compiler ? "" : compiler.error().message()));
  REQUIRE(compiler);
  return *std::move(compiler);
}

static PtxKernel compileFor(const char *target, const std::string &text) {
  auto compiler = compilerFor(target, {.keepText = true});
  auto kernel = compiler->compile(text);
  INFO((kernel ? "" : kernel.error().message()));
  REQUIRE(kernel);
  if (compiler->toolkit().ptxas.empty()) {
    WARN("no ptxas found: PTX is not assembled");
    CHECK(!kernel->report);
  } else {
    REQUIRE(kernel->report);
    CHECK(kernel->report->entries.size() == kernel->kernel.launches.size());
    CHECK(kernel->kernel.image.starts_with("\x7f"
                                           "ELF"));
  }
  return *std::move(kernel);
}

/// A kernel of 1024 elements of `type`: y = `op`(x), in blocks of 256 threads.
static std::string unaryKernel(const std::string &type, const std::string &op) {
  return fmt::format(R"(
!port = memref<1024x{0}, #gpu.address_space<global>>
gpu.module @unary attributes {{zyxk.scratch_bytes = 64 : i64}} {{
  gpu.func @unary(%x: !port, %y: !port, %scratch: memref<64xi8, #gpu.address_space<global>>) kernel
      attributes {{zyxk.launch = 0 : i64, zyxk.grid = array<i64: 4, 1, 1>,
                  known_block_size = array<i32: 256, 1, 1>, zyxk.shared_bytes = 0 : i64}} {{
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %c256 = arith.constant 256 : index
    %base = arith.muli %b, %c256 : index
    %at = arith.addi %base, %t : index
    %v = memref.load %x[%at] : !port
    %e = {1}
    memref.store %e, %y[%at] : !port
    gpu.return
  }}
}})",
                     type, op);
}

TEST_CASE("PTX of a kernel for every target", "[ptx]") {
  for (const char *target :
       {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"}) {
    INFO(target);
    PtxKernel kernel = compileFor(target, unaryKernel("f32", "math.exp %v : f32"));
    CHECK(kernel.ptx.find(fmt::format(".target {}", target)) != std::string::npos);
    CHECK(kernel.ptx.find("ld.global.nc.b32") != std::string::npos);
    CHECK(kernel.ptx.find("ex2.approx.ftz.f32") != std::string::npos);
    CHECK(kernel.ptx.find(".maxntid 256") != std::string::npos);
    // Every operation is rounded: ptxas must not contract.
    CHECK(kernel.ptx.find("mul.rn.f32") != std::string::npos);
    CHECK(kernel.llvm.find("define ptx_kernel void @unary") != std::string::npos);
    CHECK(kernel.mlir.find("gpu.func @unary") != std::string::npos);
    CHECK(kernel.kernel.name == "unary");
    CHECK(kernel.kernel.scratchBytes == 64);
    REQUIRE(kernel.kernel.launches.size() == 1);
    const rt::GpuLaunch &launch = kernel.kernel.launches[0];
    CHECK(launch.entry == "unary");
    CHECK(launch.grid == std::array<uint32_t, 3>{4, 1, 1});
    CHECK(launch.block == 256);
  }
}

TEST_CASE("Every function and type has PTX code", "[ptx]") {
  auto compiler = compilerFor("sm_90");
  bool hasLibdevice = !compiler->toolkit().libdevice.empty();
  for (const char *type : {"f16", "bf16", "f32", "f64"}) {
    for (const char *op :
         {"exp",  "exp2", "expm1", "log",  "log2",  "log1p", "sin",   "cos",      "tan",
          "asin", "acos", "atan",  "sinh", "cosh",  "tanh",  "asinh", "acosh",    "atanh",
          "erf",  "sqrt", "rsqrt", "absf", "floor", "ceil",  "trunc", "roundeven"}) {
      INFO(op << " on " << type);
      auto kernel = compiler->compile(unaryKernel(type, fmt::format("math.{} %v : {}", op, type)));
      if (!kernel && !hasLibdevice) {
        CHECK(kernel.error().message().find("needs libdevice") != std::string::npos);
        continue;
      }
      INFO((kernel ? "" : kernel.error().message()));
      CHECK(kernel);
    }
    INFO(type);
    CHECK(compiler->compile(unaryKernel(type, fmt::format("arith.maximumf %v, %v : {}", type))));
    CHECK(compiler->compile(unaryKernel(type, fmt::format("arith.divf %v, %v : {}", type))));
    if (hasLibdevice) {
      CHECK(compiler->compile(unaryKernel(type, fmt::format("math.powf %v, %v : {}", type))));
      CHECK(compiler->compile(unaryKernel(type, fmt::format("arith.remf %v, %v : {}", type))));
    }
  }
}

/// A kernel whose tensor map goes to an inline assembly with `results` results.
static std::string mapKernel(const std::string &assembly) {
  return fmt::format(R"(
gpu.module @map attributes {{zyxk.scratch_bytes = 0 : i64}} {{
  gpu.func @map(%y: memref<4096xf32, #gpu.address_space<global>>, %map: !llvm.ptr) kernel
      attributes {{zyxk.launch = 0 : i64, zyxk.grid = array<i64: 132, 1, 1>, zyxk.min_blocks = 1 : i64,
                  known_block_size = array<i32: 384, 1, 1>, zyxk.shared_bytes = 65536 : i64,
                  zyxk.tensor_maps = [{{port = 0 : i64, dims = array<i64: 64, 64>,
                      strides = array<i64: 256>, box = array<i64: 32, 64>, swizzle = 128 : i64,
                      type = f32}}]}} {{
    %base = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %index = memref.extract_aligned_pointer_as_index %base
        : memref<?xi8, #gpu.address_space<workgroup>> -> index
    %to = arith.index_castui %index : index to i32
    %zero = arith.constant 0 : i32
    %bar = arith.constant 32768 : i32
    {}
    gpu.return
  }}
}})",
                     assembly);
}

static const char tensorLoad[] =
    "llvm.inline_asm has_side_effects asm_dialect = att "
    "\"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, "
    "{$2, $3}], [$4];\", \"r,l,r,r,r,~{memory}\" %to, %map, %zero, %zero, %bar : (i32, !llvm.ptr, "
    "i32, i32, i32) -> ()";

TEST_CASE("Tensor maps stay in the parameters", "[ptx]") {
  PtxKernel kernel = compileFor("sm_90a", mapKernel(tensorLoad));
  CHECK(kernel.ptx.find("cp.async.bulk.tensor.2d") != std::string::npos);
  CHECK(kernel.ptx.find(".local") == std::string::npos);
  CHECK(kernel.ptx.find(".minnctapersm 1") != std::string::npos);
  REQUIRE(kernel.kernel.launches.size() == 1);
  const rt::GpuLaunch &launch = kernel.kernel.launches[0];
  CHECK(launch.sharedBytes == 65536);
  REQUIRE(launch.maps.size() == 1);
  CHECK(launch.maps[0].type == rt::MapType::F32);
  CHECK(launch.maps[0].dims == std::vector<uint64_t>{64, 64});
  CHECK(launch.maps[0].strides == std::vector<uint64_t>{256});
  CHECK(launch.maps[0].box == std::vector<uint32_t>{32, 64});
  CHECK(launch.maps[0].swizzle == 128);
  if (kernel.report) {
    CHECK(kernel.report->entries[0].stackBytes == 0);
    CHECK(kernel.faults.empty());
  }
}

TEST_CASE("Kernels that a target cannot run", "[ptx]") {
  auto compiler = compilerFor("sm_75");
  auto tooMuch = compiler->compile(mapKernel(tensorLoad));
  // ptxas knows no tensor copies for sm_75; without it the driver would say so.
  if (!compiler->toolkit().ptxas.empty()) {
    REQUIRE(!tooMuch);
    CHECK(tooMuch.error().message().find("ptxas failed") != std::string::npos);
  }
  std::string text = mapKernel(tensorLoad);
  text.replace(text.find("65536"), 5, "99999");
  auto shared = compiler->compile(text);
  REQUIRE(!shared);
  CHECK(shared.error().code() == ErrorCode::Unsupported);
  CHECK(shared.error().message() == "map: 99999 bytes of shared memory, sm_75 has 65536: take "
                                    "smaller tiles or fewer stages");
  text.replace(text.find("array<i32: 384"), 14, "array<i32: 2048");
  auto threads = compiler->compile(text);
  REQUIRE(!threads);
  CHECK(threads.error().message() == "map: 2048 threads a block, sm_75 allows 1024");
  auto noKernel = compiler->compile("module {}");
  REQUIRE(!noKernel);
  CHECK(noKernel.error().message() == "0 kernels for a GPU in the module, not one");
  auto noText = compiler->compile("gpu.module @x {");
  REQUIRE(!noText);
  CHECK(noText.error().message().starts_with("kernel does not parse: "));
  CHECK(!PtxCompiler::create(*findTarget("host")));
}

TEST_CASE("The report of ptxas", "[ptx]") {
  PtxasReport report = parsePtxasReport(R"(ptxas info    : 0 bytes gmem
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to x in the function 'a'
ptxas info    : Compiling entry function 'a' for 'sm_90a'
ptxas info    : Function properties for a
    96 bytes stack frame, 80 bytes spill stores, 64 bytes spill loads
ptxas info    : Used 168 registers, used 16 barriers, 96 bytes cumulative stack size, 1024 bytes smem
ptxas info    : Compile time = 7.193 ms
ptxas info    : Compiling entry function 'b' for 'sm_90a'
ptxas info    : Function properties for b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers
)");
  REQUIRE(report.entries.size() == 2);
  const PtxResources *a = report.find("a");
  REQUIRE(a);
  CHECK(a->registers == 168);
  CHECK(a->stackBytes == 96);
  CHECK(a->spillStoreBytes == 80);
  CHECK(a->spillLoadBytes == 64);
  CHECK(a->sharedBytes == 1024);
  CHECK(a->barriers == 16);
  CHECK(report.find("b")->registers == 32);
  CHECK(report.find("b")->sharedBytes == 0);
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0].find("C7510") != std::string::npos);
  CHECK(!report.find("c"));
}
