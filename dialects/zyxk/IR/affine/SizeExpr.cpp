#include "dialects/zyxk/IR/affine/SizeExpr.h"
#include <algorithm>
#include <charconv>
#include <string>

using namespace mlir;

namespace zyxc::zyxk {

int64_t sizeOfDim(unsigned dim) {
  return dim::variable("d" + std::to_string(dim));
}

int64_t sizeOf(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    bool fits = constant.getValue() >= -dim::limit && constant.getValue() <= dim::limit;
    return fits ? constant.getValue() : dim::invalid;
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    return sizeOfDim(symbol.getPosition());
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    return dim::invalid;
  }
  int64_t left = sizeOf(binary.getLHS());
  int64_t right = sizeOf(binary.getRHS());
  if (left == dim::invalid || right == dim::invalid) {
    return dim::invalid;
  }
  switch (expr.getKind()) {
  case AffineExprKind::Add: return dim::add(left, right);
  case AffineExprKind::Mul: return dim::mul(left, right);
  case AffineExprKind::FloorDiv: return dim::floorDiv(left, right);
  case AffineExprKind::CeilDiv: return dim::ceilDiv(left, right);
  default: return dim::mod(left, right);
  }
}

/// The number in "d<i>".
static std::optional<unsigned> dimOf(const std::string &name) {
  unsigned dim = 0;
  const char *end = name.data() + name.size();
  if (!name.starts_with('d')) {
    return std::nullopt;
  }
  auto [last, error] = std::from_chars(name.data() + 1, end, dim);
  return error == std::errc() && last == end ? std::optional(dim) : std::nullopt;
}

static AffineExpr exprOf(const dim::Factor &factor, MLIRContext *context) {
  if (factor.kind == dim::Factor::Kind::Variable) {
    std::optional<unsigned> dim = dimOf(factor.name);
    return dim ? getAffineSymbolExpr(*dim, context) : AffineExpr();
  }
  if (factor.kind != dim::Factor::Kind::FloorDiv) {
    return {};
  }
  AffineExpr a = exprOf(factor.a, context);
  AffineExpr b = exprOf(factor.b, context);
  return a && b ? a.floorDiv(b) : AffineExpr();
}

AffineExpr exprOf(int64_t size, MLIRContext *context) {
  if (!dim::isSymbolic(size)) {
    return getAffineConstantExpr(size, context);
  }
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (const dim::Term &term : dim::terms(size)) {
    AffineExpr product = getAffineConstantExpr(1, context);
    for (const dim::Factor &factor : term.factors) {
      AffineExpr part = exprOf(factor, context);
      if (!part) {
        return {};
      }
      product = product * part;
    }
    sum = sum + product * term.coefficient;
  }
  return sum;
}

//===- Ranges --------------------------------------------------------------------------------===//

static std::optional<SizeRange> rangeIfValid(int64_t least, int64_t most) {
  if (!dim::isValid(least) || !dim::isValid(most)) {
    return std::nullopt;
  }
  return SizeRange{least, most};
}

/// The range times a size.
static std::optional<SizeRange> scaled(const SizeRange &range, int64_t factor) {
  int64_t least = dim::mul(range.least, factor);
  int64_t most = dim::mul(range.most, factor);
  if (dim::provablyAtMost(0, factor)) {
    return rangeIfValid(least, most);
  }
  return dim::provablyAtMost(factor, 0) ? rangeIfValid(most, least) : std::nullopt;
}

static std::optional<SizeRange> divided(AffineExprKind kind, const SizeRange &range,
                                        int64_t divisor) {
  if (!dim::isSymbolic(divisor) && divisor <= 0) {
    return std::nullopt;
  }
  if (kind == AffineExprKind::FloorDiv) {
    return rangeIfValid(dim::floorDiv(range.least, divisor), dim::floorDiv(range.most, divisor));
  }
  if (kind == AffineExprKind::CeilDiv) {
    return rangeIfValid(dim::ceilDiv(range.least, divisor), dim::ceilDiv(range.most, divisor));
  }
  if (dim::provablyAtMost(0, range.least) && dim::provablyLess(range.most, divisor)) {
    return range;
  }
  return rangeIfValid(0, dim::sub(divisor, 1));
}

std::optional<SizeRange> sizeRangeOf(AffineExpr expr, ArrayRef<int64_t> extents) {
  if (expr.isSymbolicOrConstant()) {
    int64_t size = sizeOf(expr);
    return rangeIfValid(size, size);
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() >= extents.size()) {
      return std::nullopt;
    }
    return rangeIfValid(0, dim::sub(extents[dim.getPosition()], 1));
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<SizeRange> left = sizeRangeOf(binary.getLHS(), extents);
  std::optional<SizeRange> right = sizeRangeOf(binary.getRHS(), extents);
  if (!left || !right) {
    return std::nullopt;
  }
  if (expr.getKind() == AffineExprKind::Add) {
    return rangeIfValid(dim::add(left->least, right->least), dim::add(left->most, right->most));
  }
  if (expr.getKind() == AffineExprKind::Mul) {
    bool onRight = right->least == right->most;
    if (!onRight && left->least != left->most) {
      return std::nullopt;
    }
    return onRight ? scaled(*left, right->least) : scaled(*right, left->least);
  }
  return right->least == right->most ? divided(expr.getKind(), *left, right->least) : std::nullopt;
}

bool isProvedInside(AffineExpr expr, int64_t size, ArrayRef<int64_t> extents) {
  std::optional<SizeRange> range = sizeRangeOf(expr, extents);
  return range && dim::provablyAtMost(0, range->least) && dim::provablyLess(range->most, size);
}

bool isProved(AffineExpr expr, bool equality, ArrayRef<int64_t> extents) {
  std::optional<SizeRange> range = sizeRangeOf(expr, extents);
  return range && dim::provablyAtMost(0, range->least) &&
         (!equality || dim::provablyAtMost(range->most, 0));
}

} // namespace zyxc::zyxk
