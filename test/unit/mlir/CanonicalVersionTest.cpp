// Pins the canonical bytes of zyxk kernels: caches on disk hold keys made of them, so a compiler
// may not change them in silence. docs/kernels.md ("The frozen dialect") says when they may change.
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "passes/kernel/canonical/CanonicalForm.h"
#include "passes/kernel/canonical/CanonicalText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include <catch2/catch.hpp>

using namespace zyxc;

namespace {

/// A kernel and the first 16 hexadecimal digits of the SHA-256 of its canonical bytes.
struct Pinned {
  const char *text;
  const char *hash;
};

/// The version to which the hashes below belong.
constexpr int pinnedVersion = 2;

constexpr Pinned pinned[] = {
    {R"(zyxk.kernel @matmul dims(M, N, K) ports(%x: in f16[M, K], %w: in f16[K, N], %y: out f32[M, N])
        axes(i < M, j < N, k < K) assume(K mod 8 == 0) {
      %a = load %x[i, k] : f16
      %b = load %w[k, j] : f16
      %c = contract %a, %b over [k] : f16, f16 -> f32
      store %c, %y[i, j] : f32
    })",
     "1353be4783dd2179"},
    {R"(zyxk.kernel @masked dims(S) ports(%x: in f32[S, S] layout(i, j -> i * 72 + j) align 64, %y: out f32[S])
        axes(i < S, j < S where j <= i) {
      %one = arith.constant 1.0 : f32
      %a = load %x[i, j] : f32
      %m, %l, %u = expsum %a over [j] weights(unit, %a : f32) : f32
      %mean, %squares = welford %a over [j] : f32
      %q = arith.divf %u, %l : f32
      %r = arith.addf %q, %squares : f32
      store %r, %y[i] : f32
    })",
     "5b15e807800c566b"},
    {R"(zyxk.kernel @gather dims(R, N, V) ports(%x: in f32[V, N], %at: in i64[R], %y: inout f32[R, N], %z: out i64[N])
        axes(r < R, n < N) {
      %zero = arith.constant 0.0 : f32
      %t = load %at[r] : i64
      %i = arith.index_cast %t : i64 to index
      %a = load %x[%i, n - 1] oob else(%zero) : f32
      %b = where %a if (n >= 1 and n + 2 * r < 100) else %zero : f32
      %s = scan add %b along n exclusive reverse : f32
      %k = reduce argmax %b over [r] last : f32 -> i64
      store %s, %y[r, n] combine add : f32
      store %k, %z[n] : i64
    })",
     "6ec5d8ef200a9361"},
    {R"(zyxk.kernel @affine dims(R, N) ports(%a, %b: in f32[R, N], %y: out f32[R]) axes(r < R, n < N) {
      %one = arith.constant 1.0 : f32
      %zero = arith.constant 0.0 : f32
      %x = load %a[r, n] : f32
      %z = load %b[r, n] : f32
      %p, %q = fold %x, %z over [n] order tree init(%one, %zero)
          step(%p0: f32, %q0: f32, %x0: f32, %z0: f32) {
        %s = arith.mulf %x0, %p0 : f32
        %t = arith.mulf %x0, %q0 : f32
        %u = arith.addf %t, %z0 : f32
        yield %s, %u : f32, f32
      } merge(%p0: f32, %q0: f32, %p1: f32, %q1: f32) {
        %s = arith.mulf %p1, %p0 : f32
        %t = arith.mulf %p1, %q0 : f32
        %u = arith.addf %t, %q1 : f32
        yield %s, %u : f32, f32
      }
      %r = arith.addf %p, %q : f32
      store %r, %y[r] : f32
    })",
     "fe9772c47ffd7c63"},
    {R"(zyxk.kernel @sorted dims(R, N) ports(%x: in f32[R, N], %v: out f32[R, N], %i: out i64[R, N]) axes() {
      opaque @sort(%x, %v, %i) params(1) cost(R * N * 20)
    })",
     "7938f71a61b79e59"},
};

} // namespace

TEST_CASE("canonical bytes are those of their version", "[canonical]") {
  mlir::MLIRContext context;
  context.loadDialect<zyxk::ZyxkDialect, mlir::arith::ArithDialect, mlir::math::MathDialect>();
  INFO("The canonical bytes of zyxk kernels are frozen. If this change has to alter them: count "
       "canonicalVersion (passes/kernel/canonical/CanonicalText.h) and pinnedVersion up, put the "
       "new hashes here, and say in CHANGELOG.md why caches are void.");
  CHECK(canonicalVersion == pinnedVersion);
  for (const Pinned &kernel : pinned) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(kernel.text, &context);
    REQUIRE(module);
    std::string bytes = canonicalForm(*module->getOps<zyxk::KernelOp>().begin()).bytes;
    INFO(bytes);
    llvm::SHA256 hash;
    hash.update(llvm::StringRef(bytes));
    CHECK(llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 16) == kernel.hash);
  }
}
