#include "dialects/zyxk/IR/affine/SimplifyExpr.h"
#include <algorithm>
#include <cstdlib>

using namespace mlir;

namespace zyxc::zyxk {

/// Operators that a simplified expression may have.
static constexpr int64_t mostOperators = 500;

static constexpr int64_t tooMuch = mostMagnitude + 1;

/// a + b or a * b of numbers that are not negative, at most tooMuch.
static int64_t cappedSum(int64_t a, int64_t b) {
  return std::min(a + b, tooMuch);
}

static int64_t cappedProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? tooMuch : std::min(product, tooMuch);
}

int64_t magnitudeOf(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    int64_t value = constant.getValue();
    return value == INT64_MIN ? tooMuch : std::min(std::abs(value), tooMuch);
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    return 1;
  }
  int64_t left = magnitudeOf(binary.getLHS());
  int64_t right = magnitudeOf(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add: return cappedSum(left, right);
  case AffineExprKind::Mul: return cappedProduct(left, right);
  // The dividend of a quotient keeps its coefficients; a remainder is e - c * q.
  default: return cappedSum(left, right);
  }
}

/// Operators of `expr` after MLIR's simplification.
static int64_t simplifiedOperators(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    return 0;
  }
  int64_t left = simplifiedOperators(binary.getLHS());
  int64_t right = simplifiedOperators(binary.getRHS());
  int64_t copies = expr.getKind() == AffineExprKind::Mod ? 2 : 1;
  return std::min(left * copies + right + 2, mostOperators + 1);
}

unsigned nestingOf(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    return 0;
  }
  // As the printer in AffineText.cpp does it: only sums take sums and products as they are.
  auto below = [&](AffineExpr part, bool plain) {
    return nestingOf(part) + (plain || !isa<AffineBinaryOpExpr>(part) ? 0 : 1);
  };
  bool isSum = expr.getKind() == AffineExprKind::Add;
  bool sumOnRight = binary.getRHS().getKind() == AffineExprKind::Add;
  return std::max(below(binary.getLHS(), isSum), below(binary.getRHS(), isSum && !sumOnRight));
}

/// Quotients and remainders by dims that are 0, of which no point exists, are 0.
static AffineExpr withoutEmptyDivisions(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    return expr;
  }
  AffineExpr left = withoutEmptyDivisions(binary.getLHS());
  AffineExpr right = withoutEmptyDivisions(binary.getRHS());
  bool divides = expr.getKind() != AffineExprKind::Add && expr.getKind() != AffineExprKind::Mul;
  auto divisor = dyn_cast<AffineConstantExpr>(right);
  if (divides && divisor && divisor.getValue() <= 0) {
    return getAffineConstantExpr(0, expr.getContext());
  }
  bool isSame = left == binary.getLHS() && right == binary.getRHS();
  return isSame ? expr : getAffineBinaryOpExpr(expr.getKind(), left, right);
}

AffineExpr simplifyExpr(AffineExpr expr, unsigned numDims, unsigned numSymbols) {
  expr = withoutEmptyDivisions(expr);
  bool isSmall = simplifiedOperators(expr) <= mostOperators && magnitudeOf(expr) <= mostMagnitude;
  return isSmall ? simplifyAffineExpr(expr, numDims, numSymbols) : expr;
}

AffineMap simplifyExprs(AffineMap map) {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) {
    results.push_back(simplifyExpr(expr, map.getNumDims(), map.getNumSymbols()));
  }
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results, map.getContext());
}

} // namespace zyxc::zyxk
