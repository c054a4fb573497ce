#include "passes/pipelines/math/MathExpand.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "passes/pipelines/math/MathFamilies.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace zyxc {

/// Functions that have patterns in f32: those of f16 and bf16 are computed in f32.
static bool isExpandedInF32(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({math::ExpOp::getOperationName(), math::ExpM1Op::getOperationName()}, true)
      .Cases({math::LogOp::getOperationName(), math::Log2Op::getOperationName()}, true)
      .Cases({math::Log1pOp::getOperationName(), math::TanhOp::getOperationName()}, true)
      .Case(math::ErfOp::getOperationName(), true)
      .Default(false);
}

void populateMathExpandPatterns(RewritePatternSet &set, unsigned vectorBits) {
  populateMathF32ExpansionPatterns(set, isExpandedInF32);
  populateExponentialPatterns(set, vectorBits);
  populateLogarithmPatterns(set);
  populateErrorFunctionPatterns(set);
  populateExpm1DoublePatterns(set);
}

} // namespace zyxc
