#include "compiler/kernelize/emit/AffineSizes.h"
#include "compiler/kernelize/program/ProgramSizes.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include <algorithm>
#include <cassert>

namespace zyxc::kernelize {

unsigned AffineSizes::dimOf(int64_t size) const {
  auto at = std::find(program.dims.begin(), program.dims.end(), size);
  assert(at != program.dims.end() && "dims are found after all else of the program");
  return static_cast<unsigned>(at - program.dims.begin());
}

mlir::AffineExpr AffineSizes::factorExpr(const dim::Factor &factor) const {
  if (isAffineFactor(factor)) {
    return (*this)(factor.a).floorDiv(static_cast<uint64_t>(factor.b));
  }
  auto part = [this](int64_t size) { // 0 where the factor is never above, or never below it
    return dim::isSymbolic(size) ? mlir::getAffineSymbolExpr(dimOf(size), context)
                                 : mlir::getAffineConstantExpr(size, context);
  };
  auto [positive, negative] = dimsOf(factor);
  return part(positive) - part(negative);
}

mlir::AffineExpr AffineSizes::operator()(int64_t size) const {
  if (!dim::isSymbolic(size)) {
    return mlir::getAffineConstantExpr(size, context);
  }
  mlir::AffineExpr sum = mlir::getAffineConstantExpr(0, context);
  for (const dim::Term &term : orderedTerms(size, program)) {
    mlir::AffineExpr product = mlir::getAffineConstantExpr(term.coefficient, context);
    for (const dim::Factor &factor : term.factors) {
      product = factorExpr(factor) * product;
    }
    sum = sum + product;
  }
  return sum;
}

mlir::AffineExpr AffineSizes::operator()(const IndexExpr &expr) const {
  return zyx::toAffineExpr(context, expr, [this](int64_t size) { return (*this)(size); });
}

} // namespace zyxc::kernelize
