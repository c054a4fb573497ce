// Index maps and affine maps: two forms of the same functions.
#include "dialects/zyx/IR/ZyxBridge.h"
#include "mlir/IR/AffineExpr.h"
#include <algorithm>
#include <cstdlib>

namespace zyxc::zyx {

mlir::AffineExpr toAffineExpr(mlir::MLIRContext *context, const IndexExpr &expr,
                              llvm::function_ref<mlir::AffineExpr(int64_t)> sizeExpr) {
  mlir::AffineExpr sum = mlir::getAffineConstantExpr(0, context);
  for (const IndexExpr::Term &term : expr.terms()) {
    mlir::AffineExpr atom;
    switch (term.atom.kind) {
    case IndexAtom::Kind::Dim:
      atom = mlir::getAffineDimExpr(static_cast<unsigned>(term.atom.value), context);
      break;
    case IndexAtom::Kind::FloorDiv:
      atom =
          toAffineExpr(context, *term.atom.argument, sizeExpr).floorDiv(sizeExpr(term.atom.value));
      break;
    case IndexAtom::Kind::Mod:
      atom = toAffineExpr(context, *term.atom.argument, sizeExpr) % sizeExpr(term.atom.value);
      break;
    }
    sum = sum + atom * sizeExpr(term.coefficient);
  }
  return sum + sizeExpr(expr.constant());
}

mlir::AffineMap toAffineMap(mlir::MLIRContext *context, const IndexMap &map) {
  auto number = [&](int64_t size) {
    return mlir::getAffineConstantExpr(size, context);
  };
  llvm::SmallVector<mlir::AffineExpr> results;
  for (const IndexExpr &expr : map.results) {
    results.push_back(toAffineExpr(context, expr, number));
  }
  return mlir::AffineMap::get(static_cast<unsigned>(map.numDims), 0, results, context);
}

/// Numbers of an index map lie below this, so that no sum of two of them overflows.
static constexpr int64_t largestNumber = int64_t(1) << 58;

/// Largest magnitude of the constants, coefficients and divisors of an expression.
static int64_t largestIn(const IndexExpr &expr) {
  int64_t largest = std::abs(expr.constant());
  for (const IndexExpr::Term &term : expr.terms()) {
    largest = std::max(largest, std::abs(term.coefficient));
    if (term.atom.argument) {
      largest = std::max({largest, term.atom.value, largestIn(*term.atom.argument)});
    }
  }
  return largest;
}

static Expected<IndexExpr> checked(IndexExpr expr) {
  if (largestIn(expr) > largestNumber) {
    return makeError(ErrorCode::Unsupported, "an index map holds a number over {}", largestNumber);
  }
  return expr;
}

static Expected<IndexExpr> fromAffineExpr(mlir::AffineExpr expr);

/// Division and modulo need a positive constant at the right.
static Expected<IndexExpr> fromDivision(mlir::AffineBinaryOpExpr expr) {
  auto divisor = llvm::dyn_cast<mlir::AffineConstantExpr>(expr.getRHS());
  if (!divisor || divisor.getValue() <= 0 || divisor.getValue() > largestNumber) {
    return makeError(ErrorCode::Unsupported, "an index map may divide by a positive constant only");
  }
  ZYXC_ASSIGN(IndexExpr dividend, fromAffineExpr(expr.getLHS()));
  int64_t by = divisor.getValue();
  switch (expr.getKind()) {
  case mlir::AffineExprKind::Mod: return mod(dividend, by, {});
  case mlir::AffineExprKind::CeilDiv: return floorDiv(dividend + IndexExpr(by - 1), by, {});
  default: return floorDiv(dividend, by, {});
  }
}

static Expected<IndexExpr> fromAffineExpr(mlir::AffineExpr expr) {
  if (auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expr)) {
    if (constant.getValue() == INT64_MIN) {
      return makeError(ErrorCode::Unsupported, "an index map holds a number that is too small");
    }
    return checked(IndexExpr(constant.getValue()));
  }
  if (auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(expr)) {
    return IndexExpr::dim(dim.getPosition());
  }
  auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expr);
  if (!binary) {
    return makeError(ErrorCode::Unsupported, "an index map may not use symbols");
  }
  if (expr.getKind() != mlir::AffineExprKind::Add && expr.getKind() != mlir::AffineExprKind::Mul) {
    return fromDivision(binary);
  }
  ZYXC_ASSIGN(IndexExpr left, fromAffineExpr(binary.getLHS()));
  ZYXC_ASSIGN(IndexExpr right, fromAffineExpr(binary.getRHS()));
  if (expr.getKind() == mlir::AffineExprKind::Add) {
    return checked(left + right);
  }
  if (!right.isConstant()) {
    return makeError(ErrorCode::Unsupported, "an index map may multiply by a constant only");
  }
  int64_t product = 0;
  if (__builtin_mul_overflow(largestIn(left), largestIn(right), &product)) {
    product = INT64_MAX;
  }
  if (product > largestNumber) {
    return makeError(ErrorCode::Unsupported, "an index map holds a number over {}", largestNumber);
  }
  return left * right.constant();
}

Expected<IndexMap> fromAffineMap(mlir::AffineMap map) {
  IndexMap result;
  result.numDims = map.getNumDims();
  for (mlir::AffineExpr expr : map.getResults()) {
    ZYXC_ASSIGN(IndexExpr converted, fromAffineExpr(expr));
    result.results.push_back(std::move(converted));
  }
  return result;
}

} // namespace zyxc::zyx
