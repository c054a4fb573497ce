// Splitting a number into an integer and the rest, and multiplying by 2^n: steps of exponentials.
#pragma once
#include "passes/pipelines/math/FloatMath.h"

namespace zyxc {

/// x * factor rounded to an integer, by adding a number that leaves it in the low bits.
class RoundedInteger {
public:
  RoundedInteger(const FloatMath &math, mlir::Value x, float factor);

  /// The integer n as a float.
  mlir::Value value() const { return n; }
  /// 2^n for n from -126 to 128, the last of which is infinity; 0 for -127. `halved`: 2^(n - 1).
  mlir::Value power(bool halved = false) const;

private:
  const FloatMath &math;
  mlir::Value rounded, n;
};

/// 2^x as p * q for a p from 1.9 to 2.1, where it is a normal number or infinity: for an x from
/// -125 to 128.
struct TablePower {
  /// On vectors of 8 f32, by AVX2's permutation of 8 elements.
  TablePower(mlir::PatternRewriter &rewriter, mlir::Location loc, mlir::Value x);
  static bool fits(mlir::Type type);

  mlir::Value p, q;
};

/// Instructions of AVX-512 on vectors of 16 f32.
class Avx512 {
public:
  Avx512(mlir::PatternRewriter &rewriter, mlir::Location loc) : rewriter(rewriter), loc(loc) {}

  static bool fits(mlir::Type type);
  /// x * 2^floor(n), with one rounding; n may be infinite. 0 where n is less than `least`: a result
  /// that is rounded to 0 takes some processors a hundred cycles.
  mlir::Value scale(mlir::Value x, mlir::Value n, float least) const;
  /// x - floor(x); 0 for infinities.
  mlir::Value fraction(mlir::Value x) const;

private:
  mlir::Value call(llvm::StringRef name, llvm::ArrayRef<mlir::Value> operands) const;
  mlir::Value integer(mlir::IntegerAttr value) const;

  mlir::PatternRewriter &rewriter;
  mlir::Location loc;
};

} // namespace zyxc
