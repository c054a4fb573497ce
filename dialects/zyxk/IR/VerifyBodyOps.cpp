// Checks of body ops, each alone.
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "dialects/zyxk/scalar/ScalarFunction.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;

namespace zyxc::zyxk {

//===- Body ops alone ------------------------------------------------------------------------===//

static KernelOp kernelOf(Operation *op) {
  return cast<KernelOp>(op->getParentOp());
}

static LogicalResult verifyMap(Operation *op, AffineMap map, ValueRange coords, Value port,
                               Type element) {
  auto type = cast<PortType>(port.getType());
  KernelOp kernel = kernelOf(op);
  if (map.getNumDims() != kernel.getNumAxes() + coords.size() ||
      map.getNumSymbols() != kernel.getNumDims()) {
    return op->emitOpError() << "map must be over the " << kernel.getNumAxes()
                             << " axes, the SSA coordinates and the dims of the kernel";
  }
  if (map.getNumResults() != type.getRank()) {
    return op->emitOpError() << "has " << map.getNumResults() << " coordinates, but the port has "
                             << type.getRank() << " axes";
  }
  if (element != type.getElementType()) {
    return op->emitOpError() << "has type " << element << ", but the port holds "
                             << type.getElementType();
  }
  return success();
}

LogicalResult LoadOp::verify() {
  auto type = cast<PortType>(getPort().getType());
  if (!type.isReadable()) {
    return emitOpError() << "reads an out port";
  }
  if ((getOob() == Oob::Else) != static_cast<bool>(getOtherwise()) ||
      (getOtherwise() && getOtherwise().getType() != getType())) {
    return emitOpError()
           << "has a value for outside of the port exactly with oob else, of the type "
              "of the load";
  }
  return verifyMap(*this, getMap(), getCoords(), getPort(), getType());
}

LogicalResult StoreOp::verify() {
  auto type = cast<PortType>(getPort().getType());
  if (!type.isWritable()) {
    return emitOpError() << "writes an in port";
  }
  return verifyMap(*this, getMap(), getCoords(), getPort(), getValue().getType());
}

LogicalResult WhereOp::verify() {
  KernelOp kernel = kernelOf(*this);
  if (getValue().getType() != getType() || getOtherwise().getType() != getType()) {
    return emitOpError() << "joins values of different types";
  }
  if (getSet().getNumDims() != kernel.getNumAxes() ||
      getSet().getNumSymbols() != kernel.getNumDims()) {
    return emitOpError() << "set must be over the axes and the dims of the kernel";
  }
  return success();
}

LogicalResult IndexOp::verify() {
  if (getAxis() >= kernelOf(*this).getNumAxes()) {
    return emitOpError() << "names axis " << getAxis() << ", which the kernel does not have";
  }
  return success();
}

LogicalResult DimOp::verify() {
  if (getDim() >= kernelOf(*this).getNumDims()) {
    return emitOpError() << "names dim " << getDim() << ", which the kernel does not have";
  }
  return success();
}

static LogicalResult verifyReducedAxes(Operation *op, ArrayRef<int64_t> axes) {
  if (axes.empty()) {
    return op->emitOpError() << "reduces over no axis";
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0 || axes[i] >= kernelOf(op).getNumAxes()) {
      return op->emitOpError() << "names axis " << axes[i] << ", which the kernel does not have";
    }
    if (i > 0 && axes[i] <= axes[i - 1]) {
      return op->emitOpError() << "axes must be sorted and distinct";
    }
  }
  return success();
}

static LogicalResult verifyMonoid(Operation *op, ReduceKind kind, Type type) {
  bool integerOnly = llvm::is_contained({ReduceKind::UMax, ReduceKind::UMin, ReduceKind::And,
                                         ReduceKind::Or, ReduceKind::UArgMax, ReduceKind::UArgMin},
                                        kind);
  if (!isa<IntegerType>(type) && (integerOnly || !isa<FloatType>(type))) {
    return op->emitOpError() << "cannot combine values of type " << type << " by "
                             << stringifyReduceKind(kind);
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  Type type = getValue().getType();
  if (failed(verifyMonoid(*this, getKind(), type))) {
    return failure();
  }
  if (isArg() && (!getType().isSignlessInteger(64) || getAxes().size() != 1)) {
    return emitOpError() << "gives the i64 position along exactly one axis";
  }
  if (!isArg() && getType() != type) {
    return emitOpError() << "has a result of type " << getType() << ", but combines " << type;
  }
  if (getLast() && !isArg()) {
    return emitOpError() << "only arg reductions can take the last of equal elements";
  }
  return verifyReducedAxes(*this, getAxes());
}

LogicalResult ContractOp::verify() {
  auto isFloat = [](Value value) {
    return isa<FloatType>(value.getType());
  };
  auto width = [](Value value) {
    return value.getType().getIntOrFloatBitWidth();
  };
  for (Value value : {getA(), getB(), getResult()}) {
    if (!isa<IntegerType, FloatType>(value.getType())) {
      return emitOpError() << "cannot multiply values of type " << value.getType();
    }
  }
  if (isFloat(getA()) != isFloat(getResult()) || isFloat(getB()) != isFloat(getResult()) ||
      width(getA()) > width(getResult()) || width(getB()) > width(getResult())) {
    return emitOpError() << "accumulates in " << getType()
                         << ", which does not hold the values of its operands";
  }
  return verifyReducedAxes(*this, getAxes());
}

static LogicalResult verifyWide(Operation *op, Type type) {
  if (!type.isF32() && !type.isF64()) {
    return op->emitOpError() << "computes in f32 or f64, not " << type
                             << "; extend the value first";
  }
  return success();
}

LogicalResult ExpsumOp::verify() {
  Type type = getValue().getType();
  if (failed(verifyWide(*this, type)) || failed(verifyReducedAxes(*this, getAxes()))) {
    return failure();
  }
  ArrayRef<bool> units = getUnits();
  if (units.empty() || getSums().size() != units.size() ||
      static_cast<size_t>(llvm::count(units, false)) != getWeights().size()) {
    return emitOpError() << "gives the maximum and one sum per weight, of which it has "
                         << units.size();
  }
  for (Value weight : getWeights()) {
    auto element = dyn_cast<FloatType>(weight.getType());
    if (!element || element.getWidth() > type.getIntOrFloatBitWidth()) {
      return emitOpError() << "sums in " << type << ", which does not hold a weight of type "
                           << weight.getType();
    }
  }
  if (llvm::any_of(getResultTypes(), [&](Type result) { return result != type; })) {
    return emitOpError() << "has results of the type of its value, " << type;
  }
  return success();
}

LogicalResult WelfordOp::verify() {
  Type type = getValue().getType();
  if (getMean().getType() != type || getM2().getType() != type) {
    return emitOpError() << "has results of the type of its value, " << type;
  }
  return failure(failed(verifyWide(*this, type)) || failed(verifyReducedAxes(*this, getAxes())));
}

LogicalResult ScanOp::verify() {
  if (failed(verifyMonoid(*this, getKind(), getValue().getType())) ||
      failed(verifyReducedAxes(*this, {static_cast<int64_t>(getAxis())}))) {
    return failure();
  }
  if (getKind() >= ReduceKind::ArgMax) {
    return emitOpError() << "cannot run by " << stringifyReduceKind(getKind());
  }
  if (getType() != getValue().getType()) {
    return emitOpError() << "has a result of type " << getType() << ", but combines "
                         << getValue().getType();
  }
  return success();
}

LogicalResult ScalarOp::verify() {
  std::optional<unsigned> arity = scalarFunctionArity(getFunction());
  if (!arity) {
    return emitOpError() << "calls '" << getFunction()
                         << "', which is no scalar function; known are " << scalarFunctionNames()
                         << " and the float ops of zyx";
  }
  if (*arity != getArgs().size()) {
    return emitOpError() << "gives " << getArgs().size() << " operands to '" << getFunction()
                         << "', which takes " << *arity;
  }
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(getType()) ||
      llvm::any_of(getArgs(), [&](Value arg) { return arg.getType() != getType(); })) {
    return emitOpError() << "needs operands and a result of one float type";
  }
  return success();
}

} // namespace zyxc::zyxk
