#include "dialects/zyxk/IR/Ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;

namespace zyxc::zyxk {

static std::optional<IndexRange> add(IndexRange a, IndexRange b) {
  IndexRange sum;
  if (__builtin_add_overflow(a.first, b.first, &sum.first) ||
      __builtin_add_overflow(a.second, b.second, &sum.second)) {
    return std::nullopt;
  }
  return sum;
}

static std::optional<IndexRange> multiply(IndexRange a, IndexRange b) {
  int64_t corners[4];
  if (__builtin_mul_overflow(a.first, b.first, &corners[0]) ||
      __builtin_mul_overflow(a.first, b.second, &corners[1]) ||
      __builtin_mul_overflow(a.second, b.first, &corners[2]) ||
      __builtin_mul_overflow(a.second, b.second, &corners[3])) {
    return std::nullopt;
  }
  auto [low, high] = std::minmax_element(std::begin(corners), std::end(corners));
  return IndexRange(*low, *high);
}

std::optional<IndexRange> rangeOf(AffineExpr expr, ArrayRef<int64_t> extents) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    return IndexRange(constant.getValue(), constant.getValue());
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() >= extents.size() || extents[dim.getPosition()] <= 0) {
      return std::nullopt;
    }
    return IndexRange(0, extents[dim.getPosition()] - 1);
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    return std::nullopt;
  }
  std::optional<IndexRange> left = rangeOf(binary.getLHS(), extents);
  std::optional<IndexRange> right = rangeOf(binary.getRHS(), extents);
  if (!left || !right) {
    return std::nullopt;
  }
  if (expr.getKind() == AffineExprKind::Add) {
    return add(*left, *right);
  }
  if (expr.getKind() == AffineExprKind::Mul) {
    return multiply(*left, *right);
  }
  int64_t divisor = right->first;
  if (divisor <= 0 || right->second != divisor) {
    return std::nullopt;
  }
  int64_t low = llvm::divideFloorSigned(left->first, divisor);
  int64_t high = llvm::divideFloorSigned(left->second, divisor);
  if (expr.getKind() == AffineExprKind::FloorDiv) {
    return IndexRange(low, high);
  }
  if (expr.getKind() == AffineExprKind::CeilDiv) {
    return IndexRange(llvm::divideCeilSigned(left->first, divisor),
                      llvm::divideCeilSigned(left->second, divisor));
  }
  // mod: without a step over a multiple of the divisor it is a shift.
  return low == high ? IndexRange(left->first - low * divisor, left->second - low * divisor)
                     : IndexRange(0, divisor - 1);
}

static bool isLinearOnce(AffineExpr expr, SmallVectorImpl<unsigned> &seen) {
  if (isa<AffineConstantExpr>(expr)) {
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (llvm::is_contained(seen, dim.getPosition())) {
      return false;
    }
    seen.push_back(dim.getPosition());
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  return binary &&
         (expr.getKind() == AffineExprKind::Add || expr.getKind() == AffineExprKind::Mul) &&
         isLinearOnce(binary.getLHS(), seen) && isLinearOnce(binary.getRHS(), seen);
}

bool hasExactRange(AffineExpr expr) {
  SmallVector<unsigned> seen;
  return isLinearOnce(expr, seen);
}

} // namespace zyxc::zyxk
