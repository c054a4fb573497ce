// Checks of fold and opaque, each alone.
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;

namespace zyxc::zyxk {

//===- fold ----------------------------------------------------------------------------------===//

static bool isStateType(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type) ||
         (integer && integer.isSignless() && integer.getWidth() >= 8 && integer.getWidth() <= 64);
}

static LogicalResult verifyOrder(FoldOp fold) {
  bool isSerial = fold.getOrder() == ReduceOrder::Serial;
  StringRef order = stringifyReduceOrder(fold.getOrder());
  if (!isSerial && !fold.hasMerge()) {
    return fold.emitOpError() << "with order " << order
                              << " needs a merge, which joins the states of two parts";
  }
  if (isSerial && fold.hasMerge()) {
    return fold.emitOpError() << "has a merge, which its order serial never uses; say order tree "
                                 "(associative) or order free (commutative, too)";
  }
  if (fold.getAxes().size() > 1 && fold.getOrder() != ReduceOrder::Free) {
    return fold.emitOpError() << "with order " << order
                              << " goes along one axis; fold one axis after the other, or say "
                                 "order free";
  }
  return success();
}

LogicalResult FoldOp::verify() {
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  if (getInits().empty()) {
    return emitOpError() << "has no state: init names a value for each";
  }
  if (getValues().empty()) {
    return emitOpError() << "folds no value";
  }
  for (Value init : getInits()) {
    if (!isStateType(init.getType())) {
      return emitOpError() << "has a state of type " << init.getType()
                           << "; a state is an integer of 8 to 64 bits or a float";
    }
  }
  if (TypeRange(getInits()) != getResultTypes()) {
    return emitOpError() << "has results of other types than its states";
  }
  if (getAxes().empty()) {
    return emitOpError() << "folds over no axis";
  }
  for (auto [i, axis] : llvm::enumerate(getAxes())) {
    if (axis < 0 || axis >= kernel.getNumAxes()) {
      return emitOpError() << "names axis " << axis << ", which the kernel does not have";
    }
    if (i > 0 && axis <= getAxes()[i - 1]) {
      return emitOpError() << "axes must be sorted and distinct";
    }
  }
  return verifyOrder(*this);
}

/// A region takes `arguments`, holds scalar code and yields states.
static LogicalResult verifyCode(FoldOp fold, Region &region, StringRef name,
                                ArrayRef<Type> arguments, StringRef takes) {
  if (!llvm::hasSingleElement(region) || region.front().getArgumentTypes() != arguments) {
    return fold.emitOpError() << name << " takes " << takes << ", not "
                              << (region.empty() ? TypeRange()
                                                 : TypeRange(region.front().getArgumentTypes()));
  }
  Block &block = region.front();
  for (Operation &op : block.without_terminator()) {
    bool isScalar = isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) &&
                    op.getNumResults() == 1 && op.getNumRegions() == 0 &&
                    isa<IntegerType, IndexType, FloatType>(op.getResult(0).getType());
    if (!isScalar) {
      return op.emitOpError() << "cannot stand in a fold: its regions hold arith and math ops with "
                                 "scalar results";
    }
  }
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield) {
    return fold.emitOpError() << name << " must end with a yield of the next state";
  }
  if (yield.getStates().getTypes() != fold.getResultTypes()) {
    return yield.emitOpError() << "gives " << yield.getStates().getTypes() << ", but the state is "
                               << fold.getResultTypes();
  }
  return success();
}

LogicalResult FoldOp::verifyRegions() {
  SmallVector<Type> step(getInits().getTypes());
  llvm::append_range(step, getValues().getTypes());
  SmallVector<Type> merge(getInits().getTypes());
  llvm::append_range(merge, getInits().getTypes());
  if (failed(verifyCode(*this, getStep(), "step", step, "the state and a point's values"))) {
    return failure();
  }
  return hasMerge() ? verifyCode(*this, getMerge(), "merge", merge, "the states of two parts")
                    : success();
}

//===- opaque --------------------------------------------------------------------------------===//

LogicalResult OpaqueOp::verify() {
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  if (getCost() && (getCost()->getNumDims() != 0 || getCost()->getNumResults() != 1 ||
                    getCost()->getNumSymbols() != kernel.getNumDims())) {
    return emitOpError() << "cost must be one expression over the dims of the kernel";
  }
  DenseSet<Value> seen;
  for (auto [i, port] : llvm::enumerate(getPorts())) {
    auto type = cast<PortType>(port.getType());
    if (!seen.insert(port).second) {
      return emitOpError() << "takes a port twice, as port " << i << " and before";
    }
    if (type.getLayout()) {
      return emitOpError() << "takes port " << i
                           << " with a layout; routines know dense, row-major ports only";
    }
  }
  return success();
}

} // namespace zyxc::zyxk
