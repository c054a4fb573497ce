// The interpreter of zyxk kernels: expsum, welford, scan, calls and values outside of a port.
#include "compiler/interp/kernel/KernelProgramInterpreter.h"
#include "test/unit/mlir/interp/InterpretedKernel.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace zyxc;
using namespace zyxc::test;

TEST_CASE("kernel interpreter: expsum over a restricted domain", "[kernel-interp]") {
  InterpretedKernel kernel(
      R"(zyxk.kernel @k ports(%t: in f64[2, 3], %v: in f32[3, 2], %m: out f64[2],
      %l: out f64[2], %u: out f64[2, 2]) axes(i < 2, j < 3, e < 2 where j <= i) {
    %a = load %t[i, j] : f64
    %w = load %v[j, e] : f32
    %max, %sum, %mix = expsum %a over [j] weights(unit, %w : f32) : f64
    store %max, %m[i] : f64
    store %sum, %l[i] : f64
    store %mix, %u[i, e] : f64
  })");
  double ln2 = std::log(2.0);
  double infinity = std::numeric_limits<double>::infinity();
  kernel.set(0, {-infinity, 1000, 1000, 1000, 1000 + ln2, 9999});
  kernel.set(1, {3, -1, 5, 2, 7, 7});
  REQUIRE(kernel.run().empty());
  CHECK(kernel.get(2) == Values{-infinity, 1000 + ln2});
  Values sums = kernel.get(3);
  CHECK(sums[0] == 0);
  CHECK(std::abs(sums[1] - 1.5) < 1e-12);
  Values mixed = kernel.get(4);
  CHECK(mixed[0] == 0);
  CHECK(mixed[1] == 0);
  CHECK(std::abs(mixed[2] - (3 * 0.5 + 5)) < 1e-12);
  CHECK(std::abs(mixed[3] - (-0.5 + 2)) < 1e-12);
}

TEST_CASE("kernel interpreter: welford", "[kernel-interp]") {
  const char *text = R"(zyxk.kernel @k dims(N) ports(%x: in f32[2, N], %y: out f32[2, 2])
      axes(r < 2, n < N) {
    %a = load %x[r, n] : f32
    %mean, %m2 = welford %a over [n] : f32
    store %mean, %y[r, 0] : f32
    store %m2, %y[r, 1] : f32
  })";
  InterpretedKernel kernel(text, {4});
  kernel.set(0, {1, 2, 3, 6, 5, 5, 5, 5});
  REQUIRE(kernel.run().empty());
  CHECK(kernel.get(1) == Values{3, 14, 5, 0});
  InterpretedKernel empty(text, {0});
  REQUIRE(empty.run().empty());
  CHECK(empty.get(1) == Values{0, 0, 0, 0});
}

TEST_CASE("kernel interpreter: scans in both directions", "[kernel-interp]") {
  auto scan = [](const std::string &how) {
    InterpretedKernel kernel("zyxk.kernel @k ports(%x: in i32[2, 3], %y: out i32[2, 3]) "
                             "axes(i < 2, j < 3) { %a = load %x[i, j] : i32\n %s = scan " +
                             how + " : i32\n store %s, %y[i, j] : i32 }");
    kernel.set(0, {1, 2, 4, 8, 16, 32});
    REQUIRE(kernel.run().empty());
    return kernel.get(1);
  };
  CHECK(scan("add %a along j") == Values{1, 3, 7, 8, 24, 56});
  CHECK(scan("add %a along j exclusive") == Values{0, 1, 3, 0, 8, 24});
  CHECK(scan("add %a along j reverse") == Values{7, 6, 4, 56, 48, 32});
  CHECK(scan("add %a along j exclusive reverse") == Values{6, 4, 0, 48, 32, 0});
  CHECK(scan("max %a along i") == Values{1, 2, 4, 8, 16, 32});
  CHECK(scan("add %a along i reverse") == Values{9, 18, 36, 8, 16, 32});
}

TEST_CASE("kernel interpreter: a scan across blocks of lanes", "[kernel-interp]") {
  for (bool reverse : {false, true}) {
    InterpretedKernel kernel(std::string("zyxk.kernel @k ports(%x: in i64[300], %y: out i64[300]) "
                                         "axes(i < 300) { %a = load %x[i] : i64\n"
                                         "%s = scan add %a along i ") +
                             (reverse ? "reverse" : "") + " : i64\n store %s, %y[i] : i64 }");
    Values x(300);
    Values want(300);
    double sum = 0;
    for (int i = 0; i < 300; ++i) {
      x[i] = i * i % 17;
    }
    for (int k = 0; k < 300; ++k) {
      int i = reverse ? 299 - k : k;
      want[i] = sum += x[i];
    }
    kernel.set(0, x);
    REQUIRE(kernel.run().empty());
    CHECK(kernel.get(1) == want);
  }
}

TEST_CASE("kernel interpreter: values outside of a port, and calls", "[kernel-interp]") {
  InterpretedKernel kernel(R"(zyxk.kernel @k ports(%x: in f32[3], %p: in i32[2], %y: out f32[5],
      %z: out f32[2]) axes(i < 5, j < 2) {
    %c = arith.constant 9.0 : f32
    %a = load %x[i - 1] oob else(%c) : f32
    %b = scalar @relu(%a) : f32
    store %b, %y[i] : f32
    %k = load %p[j] : i32
    %at = arith.index_cast %k : i32 to index
    %d = load %x[%at] oob else(%c) : f32
    store %d, %z[j] : f32
  })");
  kernel.set(0, {1, -2, 3});
  kernel.set(1, {-1, 2});
  REQUIRE(kernel.run().empty());
  CHECK(kernel.get(2) == Values{9, 1, 0, 3, 9});
  CHECK(kernel.get(3) == Values{9, 3});
}

TEST_CASE("kernel interpreter: a program with scratch memory", "[kernel-interp]") {
  const char *text = R"(
    zyxk.kernel @parts dims(R, N) ports(%x: in i32[R, N], %w: out i32[2, N])
        axes(p < 2, r < R floordiv 2, n < N) {
      %a = load %x[p * (R floordiv 2) + r, n] : i32
      %s = reduce add %a over [r] : i32
      store %s, %w[p, n] : i32
    }
    zyxk.kernel @join dims(N) ports(%w: in i32[2, N], %y: out i32[N]) axes(p < 2, n < N) {
      %a = load %w[p, n] : i32
      %s = reduce add %a over [p] : i32
      store %s, %y[n] : i32
    }
    zyxk.program @column_sum dims(R, N)
        ports(%x: in i32[R, N], %y: out i32[N], %w: scratch i32[2, N]) assume(R mod 2 == 0) {
      launch @parts(%x, %w) dims(R = R, N = N)
      launch @join(%w, %y) dims(N = N)
    })";
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::math::MathDialect, zyxk::ZyxkDialect>();
  context.appendDialectRegistry(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context));
  REQUIRE(module);
  auto program = *module->getOps<zyxk::ProgramOp>().begin();
  std::vector<int64_t> dims = {4, 3};
  auto interpreter = KernelProgramInterpreter::create(program, dims);
  REQUIRE(interpreter);
  CHECK(interpreter->work() > 12);
  std::vector<Tensor> tensors;
  for (const KernelPort &port : interpreter->ports()) {
    tensors.push_back(Tensor::zeros(port.type));
  }
  for (int64_t i = 0; i < 12; ++i) {
    tensors[0].setInt(i, i);
  }
  REQUIRE(interpreter->run(tensors).isOk());
  CHECK(tensors[1].asInt(0) == 0 + 3 + 6 + 9);
  CHECK(tensors[1].asInt(2) == 2 + 5 + 8 + 11);
  std::vector<int64_t> odd = {3, 3};
  CHECK(!KernelProgramInterpreter::create(program, odd));
}
