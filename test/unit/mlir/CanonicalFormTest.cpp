// Canonical bytes: equal for kernels that differ in names and orders only, different otherwise.
#include "passes/kernel/canonical/CanonicalForm.h"
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "passes/kernel/Transforms.h"
#include <catch2/catch.hpp>

using namespace zyxc;

namespace {

class Kernels {
public:
  Kernels() {
    context.loadDialect<zyxk::ZyxkDialect, mlir::arith::ArithDialect, mlir::math::MathDialect>();
  }
  zyxk::KernelOp parse(const std::string &text) {
    modules.push_back(mlir::parseSourceString<mlir::ModuleOp>(text, &context));
    REQUIRE(modules.back());
    return *modules.back()->getOps<zyxk::KernelOp>().begin();
  }
  std::string bytes(const std::string &text) { return canonicalForm(parse(text)).bytes; }

private:
  mlir::MLIRContext context;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
};

} // namespace

static const std::string matmul = R"(
  zyxk.kernel @a dims(M, N, K) ports(%x: in f16[M, K], %w: in f16[K, N], %y: out f32[M, N])
      axes(i < M, j < N, k < K) assume(K mod 8 == 0) {
    %a = load %x[i, k] : f16
    %b = load %w[k, j] : f16
    %c = contract %a, %b over [k] : f16, f16 -> f32
    store %c, %y[i, j] : f32
  })";

TEST_CASE("canonical form: names and orders do not count", "[canonical]") {
  Kernels kernels;
  std::string other = R"(
    zyxk.kernel @b dims(K, R, C) ports(%y: out f32[R, C], %w: in f16[K, C], %x: in f16[R, K])
        axes(k < K, c < C, r < R) assume(K mod 8 == 0) {
      %b = load %w[k, c] : f16
      %a = load %x[r, k] : f16
      %z = contract %b, %a over [k] : f16, f16 -> f32
      store %z, %y[r, c] : f32
    })";
  CHECK(kernels.bytes(matmul) == kernels.bytes(other));
  CanonicalForm a = canonicalForm(kernels.parse(matmul));
  CanonicalForm b = canonicalForm(kernels.parse(other));
  CHECK(a.exact);
  // Port i of one order stands for port i of the other: x, w and y are 0, 1, 2 and 2, 1, 0.
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(b.portOrder[i] == 2 - a.portOrder[i]);
  }
}

TEST_CASE("canonical form: what is computed counts", "[canonical]") {
  Kernels kernels;
  auto replaced = [&](const std::string &from, const std::string &to) {
    std::string text = matmul;
    size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return kernels.bytes(text.replace(at, from.size(), to));
  };
  std::string bytes = kernels.bytes(matmul);
  CHECK(replaced("%x[i, k]", "%x[i, k + 0]") == bytes);
  CHECK(replaced("load %x[i, k] :", "load %x[i, k] oob clamp :") != bytes);
  CHECK(replaced("K mod 8", "K mod 16") != bytes);
  CHECK(replaced("out f32[M, N]", "out f32[M, N] align 64") != bytes);
  CHECK(replaced("out f32[M, N]", "out f32[M, N] layout(a, b -> a * N + b)") != bytes);
  CHECK(replaced("%w: in f16[K, N]", "%w: inout f16[K, N]") != bytes);
}

TEST_CASE("canonical form: operands of what does not commute keep their order", "[canonical]") {
  Kernels kernels;
  auto kernel = [&](const std::string &op, const std::string &a, const std::string &b) {
    return kernels.bytes("zyxk.kernel @k ports(%x: in f32[8], %y: in f32[8, 4], %z: out f32[8, 4]) "
                         "axes(i < 8, j < 4) { %a = load %x[i] : f32\n %b = load %y[i, j] : f32\n"
                         "%c = arith." +
                         op + " " + a + ", " + b + " : f32\n store %c, %z[i, j] : f32 }");
  };
  CHECK(kernel("addf", "%a", "%b") == kernel("addf", "%b", "%a"));
  CHECK(kernel("subf", "%a", "%b") != kernel("subf", "%b", "%a"));
  CHECK(kernel("subf", "%a", "%b") != kernel("divf", "%a", "%b"));
}

TEST_CASE("canonical form: symmetric kernels and unused values", "[canonical]") {
  Kernels kernels;
  // i and j, x and y may change places together, but not alone.
  auto outer = [&](const std::string &a, const std::string &b, const std::string &extra) {
    return kernels.bytes("zyxk.kernel @k ports(%x, %y: in f32[8], %z: out f32[8, 8]) "
                         "axes(i < 8, j < 8) { %a = load %x[" +
                         a + "] : f32\n %b = load %y[" + b + "] : f32\n" + extra +
                         "%c = arith.mulf %a, %b : f32\n store %c, %z[i, j] : f32 }");
  };
  CHECK(outer("i", "j", "") == outer("j", "i", ""));
  CHECK(outer("i", "j", "") != outer("i", "i", ""));
  CHECK(outer("i", "j", "") == outer("i", "j", "%u = math.exp %a : f32\n"));
}

TEST_CASE("canonical form: normalization makes more kernels equal", "[canonical]") {
  Kernels kernels;
  zyxk::KernelOp flat =
      kernels.parse("zyxk.kernel @a ports(%x: in f32[48], %y: out f32[48]) axes(i < 48) {"
                    "%a = load %x[i] : f32\n %b = math.exp %a : f32\n store %b, %y[i] : f32 }");
  zyxk::KernelOp deep = kernels.parse(
      "zyxk.kernel @a ports(%x: in f32[6, 1, 8], %y: out f32[6, 1, 8]) axes(n < 6, c < 1, w < 8) {"
      "%a = load %x[n, c, w] : f32\n %b = math.exp %a : f32\n store %b, %y[n, c, w] : f32 }");
  CHECK(canonicalForm(flat).bytes != canonicalForm(deep).bytes);
  normalize(deep);
  CHECK(canonicalForm(flat).bytes == canonicalForm(deep).bytes);
}

TEST_CASE("canonical form: folds and routines", "[canonical]") {
  Kernels kernels;
  auto fold = [&](const std::string &order, const std::string &ops) {
    return kernels.bytes(
        "zyxk.kernel @k ports(%x: in f32[8, 4], %y: out f32[4]) axes(i < 8, j < 4) {"
        "%zero = arith.constant 0.0 : f32\n %a = load %x[i, j] : f32\n"
        "%s = fold %a over [i] order " +
        order + " init(%zero) step(%s: f32, %v: f32) {" + ops +
        "} merge(%s: f32, %t: f32) { %u = arith.addf %s, %t : f32\n yield %u : f32 }\n"
        "store %s, %y[j] : f32 }");
  };
  std::string square = "%p = arith.mulf %v, %v : f32\n";
  std::string doubled = "%q = arith.addf %s, %s : f32\n";
  std::string join = "%r = arith.addf %p, %q : f32\n yield %r : f32\n";
  std::string swapped = "%r = arith.addf %q, %p : f32\n yield %r : f32\n";
  std::string bytes = fold("free", square + doubled + join);
  CHECK(bytes == fold("free", doubled + square + join));
  CHECK(bytes == fold("free", square + doubled + swapped));
  CHECK(bytes == fold("free", "%unused = arith.subf %s, %v : f32\n" + square + doubled + join));
  CHECK(bytes != fold("tree", square + doubled + join));
  CHECK(bytes != fold("free", square + "yield %p : f32\n"));
  auto routine = [&](const std::string &call) {
    return kernels.bytes("zyxk.kernel @k dims(N) ports(%x: in f32[N], %y: out f32[N], %i: out "
                         "i64[N]) axes() { opaque " +
                         call + " }");
  };
  CHECK(routine("@sort(%x, %y, %i)") == routine("@sort(%x, %y, %i) params()"));
  CHECK(routine("@sort(%x, %y, %i)") != routine("@sort(%x, %y, %i) params(1)"));
  CHECK(routine("@sort(%x, %y, %i)") != routine("@topk(%x, %y, %i)"));
  CHECK(routine("@sort(%x, %y, %i)") != routine("@sort(%x, %y, %i) cost(N * 20)"));
}

TEST_CASE("canonical form: a default that is written out counts as left out", "[canonical]") {
  Kernels kernels;
  std::string text = "zyxk.kernel @k ports(%x: in f32[8], %y: out f32[1]) axes(i < 8) {"
                     "%a = load %x[i] : f32\n %s = reduce add %a over [i] : f32\n"
                     "store %s, %y[0] : f32 }";
  zyxk::KernelOp written = kernels.parse(text);
  for (auto reduce : written.getBlock().getOps<zyxk::ReduceOp>()) {
    reduce.setOrder(zyxk::ReduceOrder::Free);
  }
  CHECK(canonicalForm(written).bytes == kernels.bytes(text));
}

TEST_CASE("cache key: kernel, schedule, target and build", "[canonical]") {
  Kernels kernels;
  zyxk::KernelOp kernel = kernels.parse(matmul);
  Target sm80 = *findTarget("sm_80");
  std::string key = kernelCacheKey(kernel, sm80, "build 1");
  CHECK(key.size() == 64);
  CHECK(key == kernelCacheKey(kernel, sm80, "build 1"));
  CHECK(key != kernelCacheKey(kernel, sm80, "build 2"));
  CHECK(key != kernelCacheKey(kernel, *findTarget("sm_90"), "build 1"));
  kernel.setScheduleAttr(
      zyxk::MmaScheduleAttr::get(kernel.getContext(), zyxk::MmaFields{.stages = 3}));
  CHECK(key != kernelCacheKey(kernel, sm80, "build 1"));
}
