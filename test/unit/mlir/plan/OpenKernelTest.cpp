// Kernels whose dims have no size: expressions over dims as sizes, and code that is given the dims
// when it runs.
#include "compiler/codegen/cpu/HostCompiler.h"
#include "dialects/zyxk/IR/affine/SizeExpr.h"
#include "mlir/IR/MLIRContext.h"
#include "test/unit/mlir/KernelRunner.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using namespace zyxc::test;
using namespace zyxc::zyxk;

TEST_CASE("kernel: expressions over dims are sizes, and back", "[kernel]") {
  mlir::MLIRContext context;
  mlir::AffineExpr n = mlir::getAffineSymbolExpr(0, &context);
  mlir::AffineExpr m = mlir::getAffineSymbolExpr(1, &context);
  mlir::AffineExpr exprs[] = {n,           n * 3 + 1,          n * m - n, (n + 7).floorDiv(4) * m,
                              (n * m) % 8, (n + m).ceilDiv(16)};
  for (mlir::AffineExpr expr : exprs) {
    int64_t size = sizeOf(expr);
    REQUIRE(dim::isSymbolic(size));
    CHECK(sizeOf(exprOf(size, &context)) == size);
    for (int64_t a : {0, 1, 5, 16}) {
      auto number = [&](int64_t value) {
        return mlir::getAffineConstantExpr(value, &context);
      };
      auto at =
          llvm::dyn_cast<mlir::AffineConstantExpr>(expr.replaceSymbols({number(a), number(9)}));
      REQUIRE(at);
      CHECK(*dim::evaluate(size, {{"d0", a}, {"d1", 9}}) == at.getValue());
    }
  }
  CHECK(sizeOf(mlir::getAffineDimExpr(0, &context)) == dim::invalid);
  CHECK(sizeOf(mlir::getAffineConstantExpr(12, &context)) == 12);
}

TEST_CASE("kernel: coordinates over dims are proved to be inside of a port", "[kernel]") {
  mlir::MLIRContext context;
  mlir::AffineExpr n = mlir::getAffineSymbolExpr(0, &context);
  mlir::AffineExpr m = mlir::getAffineSymbolExpr(1, &context);
  mlir::AffineExpr i = mlir::getAffineDimExpr(0, &context);
  mlir::AffineExpr j = mlir::getAffineDimExpr(1, &context);
  int64_t extents[] = {sizeOf(n), sizeOf(m)};
  CHECK(isProvedInside(i, sizeOf(n), extents));
  CHECK(isProvedInside(i + 1, sizeOf(n + 1), extents));
  CHECK(isProvedInside(i * m + j, sizeOf(n * m), extents));
  CHECK(isProvedInside(i + j, sizeOf(n + m), extents));
  CHECK(isProvedInside((i + j) % m, sizeOf(m), extents));
  CHECK_FALSE(isProvedInside(i, sizeOf(m), extents));
  CHECK_FALSE(isProvedInside(i + 1, sizeOf(n), extents));
  CHECK_FALSE(isProvedInside(i - 1, sizeOf(n), extents));
  CHECK_FALSE(isProvedInside(i * m + j, sizeOf(n * m - 1), extents));
  CHECK(isProved(n - i - 1, /*equality=*/false, extents));
  CHECK_FALSE(isProved(n - i - 2, /*equality=*/false, extents));
  CHECK_FALSE(isProved(i, /*equality=*/true, extents));
}

TEST_CASE("kernel: one compilation runs at all sizes", "[kernel]") {
  std::string text = R"(zyxk.kernel @scaled dims(M, N) ports(%x: in f32[M, N], %s: in f32[M],
      %y: out f32[M, N]) axes(i < M, j < N) {
    %a = load %x[i, j] : f32
    %b = load %s[i] : f32
    %c = arith.mulf %a, %b : f32
    store %c, %y[i, j] : f32
  })";
  auto compiler = HostCompiler::create(*HostTarget::named("host"));
  REQUIRE(compiler);
  auto compiled = (*compiler)->compile(std::span(&text, 1), 1);
  REQUIRE(compiled);
  const CompiledKernel &kernel = compiled->front();
  CHECK(kernel.numDims == 2);
  REQUIRE(dim::isSymbolic(kernel.numTasks));
  for (auto [rows, columns] :
       {std::pair(0, 5), std::pair(3, 0), std::pair(1, 1), std::pair(7, 33), std::pair(2, 5000)}) {
    std::vector<float> x = randomFloats(static_cast<size_t>(rows) * columns + 1);
    std::vector<float> s = randomFloats(rows + 1);
    std::vector<float> y(x.size(), 42.0F);
    uint64_t slots[] = {reinterpret_cast<uint64_t>(x.data()), reinterpret_cast<uint64_t>(s.data()),
                        reinterpret_cast<uint64_t>(y.data()), 0,
                        static_cast<uint64_t>(rows),          static_cast<uint64_t>(columns)};
    int64_t tasks = *dim::evaluate(kernel.numTasks, {{"d0", rows}, {"d1", columns}});
    for (int64_t task = tasks; task-- > 0;) {
      kernel.entry(slots, task, task + 1);
    }
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        REQUIRE(y[i * columns + j] == x[i * columns + j] * s[i]);
      }
    }
    CHECK(y.back() == 42.0F);
  }
}
