// Checks of kernels and their body ops.
#include "dialects/zyxk/IR/AxisSets.h"
#include "dialects/zyxk/IR/Ranges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/StringSet.h"

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

LogicalResult ReduceOp::verify() {
  Type type = getValue().getType();
  bool integerOnly = llvm::is_contained({ReduceKind::UMax, ReduceKind::UMin, ReduceKind::And,
                                         ReduceKind::Or, ReduceKind::UArgMax, ReduceKind::UArgMin},
                                        getKind());
  if (!isa<IntegerType>(type) && (integerOnly || !isa<FloatType>(type))) {
    return emitOpError() << "cannot combine values of type " << type << " by "
                         << stringifyReduceKind(getKind());
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

//===- The kernel itself ---------------------------------------------------------------------===//

static bool isName(StringRef name) {
  auto isWord = [](char c) {
    return llvm::isAlnum(c) || c == '_';
  };
  return !name.empty() && llvm::isAlpha(name[0]) && llvm::all_of(name, isWord) &&
         !llvm::is_contained({"and", "where", "floordiv", "mod", "ceildiv"}, name);
}

static LogicalResult verifyNames(KernelOp kernel) {
  llvm::StringSet<> seen;
  for (ArrayAttr list : {kernel.getDimNames(), kernel.getAxisNames()}) {
    for (StringRef name : list.getAsValueRange<StringAttr>()) {
      if (!isName(name)) {
        return kernel.emitOpError() << "'" << name << "' cannot name an axis or a dim";
      }
      if (!seen.insert(name).second) {
        return kernel.emitOpError() << "'" << name << "' is declared twice";
      }
    }
  }
  if (kernel.getNumAxes() > maxAxes) {
    return kernel.emitOpError() << "has " << kernel.getNumAxes() << " axes; at most " << maxAxes
                                << " are possible";
  }
  return success();
}

static LogicalResult verifyBounds(KernelOp kernel) {
  AffineMap bounds = kernel.getAxisBounds();
  unsigned numAxes = kernel.getNumAxes();
  unsigned numDims = kernel.getNumDims();
  if (bounds.getNumResults() != numAxes || bounds.getNumDims() != numAxes ||
      bounds.getNumSymbols() != numDims) {
    return kernel.emitOpError() << "axis bounds must be one expression per axis";
  }
  for (unsigned axis = 0; axis < numAxes; ++axis) {
    AffineExpr bound = bounds.getResult(axis);
    if (axesIn(bound, numAxes) >> axis) {
      return kernel.emitOpError() << "the bound of axis '" << kernel.getAxisName(axis)
                                  << "' may only use axes before it";
    }
    auto constant = dyn_cast<AffineConstantExpr>(bound);
    if (constant && constant.getValue() < 0) {
      return kernel.emitOpError() << "axis '" << kernel.getAxisName(axis)
                                  << "' has a negative bound";
    }
  }
  if (kernel.getDomain() && (kernel.getDomain()->getNumDims() != numAxes ||
                             kernel.getDomain()->getNumSymbols() != numDims)) {
    return kernel.emitOpError() << "domain must be over the axes and the dims";
  }
  if (kernel.getAssume() &&
      (kernel.getAssume()->getNumDims() != 0 || kernel.getAssume()->getNumSymbols() != numDims)) {
    return kernel.emitOpError() << "assumptions must be over the dims";
  }
  return success();
}

LogicalResult KernelOp::verify() {
  if (failed(verifyNames(*this)) || failed(verifyBounds(*this))) {
    return failure();
  }
  for (BlockArgument argument : getBody().getArguments()) {
    auto port = dyn_cast<PortType>(argument.getType());
    if (!port || isa<NoneType>(port.getElementType())) {
      return emitOpError() << "argument " << argument.getArgNumber() << " is no port";
    }
    if (port.getShape().getNumSymbols() != getNumDims()) {
      return emitOpError() << "the shape of port " << argument.getArgNumber()
                           << " must be over the dims of the kernel";
    }
  }
  if (getSchedule() &&
      !isa<MapScheduleAttr, RowScheduleAttr, ColScheduleAttr, ContractScheduleAttr, MmaScheduleAttr,
           AttnScheduleAttr, MoveScheduleAttr, ScanScheduleAttr, BlockScheduleAttr>(
          *getSchedule())) {
    return emitOpError() << "has an unknown schedule: " << *getSchedule();
  }
  return success();
}

//===- The body as a whole -------------------------------------------------------------------===//

/// Loads that some store needs outside of every `where`.
static DenseSet<Operation *> unguardedLoads(KernelOp kernel) {
  DenseSet<Operation *> loads;
  DenseSet<Operation *> seen;
  SmallVector<Value> work;
  for (auto store : kernel.getBlock().getOps<StoreOp>()) {
    work.push_back(store.getValue());
    work.append(store.getCoords().begin(), store.getCoords().end());
  }
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second) {
      continue;
    }
    if (isa<LoadOp>(op)) {
      loads.insert(op);
    }
    if (auto where = dyn_cast<WhereOp>(op)) {
      work.push_back(where.getOtherwise());
    } else {
      work.append(op->operand_begin(), op->operand_end());
    }
  }
  return loads;
}

/// Refuses an access that provably leaves its port at some point of the axes.
static LogicalResult verifyInside(Operation *op, AffineMap map, Value port,
                                  ArrayRef<int64_t> extents) {
  std::optional<SmallVector<int64_t>> shape = cast<PortType>(port.getType()).getStaticShape();
  if (!shape) {
    return success();
  }
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    std::optional<IndexRange> range = rangeOf(expr, extents);
    if (!range || (range->first >= 0 && range->second < (*shape)[i])) {
      continue;
    }
    bool whollyOutside = range->second < 0 || range->first >= (*shape)[i];
    if (hasExactRange(expr) || whollyOutside) {
      return op->emitOpError() << "coordinate " << i << " runs from " << range->first << " to "
                               << range->second << ", but the port has " << (*shape)[i]
                               << " elements there; guard the value by a where";
    }
  }
  return success();
}

static LogicalResult verifyStoreAxes(KernelOp kernel, StoreOp store, const AxisSets &sets) {
  AxisSet given = axesIn(store.getMap(), kernel.getNumAxes());
  for (Value coord : store.getCoords()) {
    given |= sets[coord];
  }
  AxisSet missing = sets[store.getValue()] & ~given;
  if (missing) {
    return store.emitOpError() << "does not use axis '"
                               << kernel.getAxisName(llvm::countr_zero(missing))
                               << "', on which its value depends";
  }
  return success();
}

static LogicalResult verifyBodyOp(KernelOp kernel, Operation &op, const AxisSets &sets) {
  bool known = isa<LoadOp, StoreOp, WhereOp, IndexOp, ReduceOp, ContractOp>(op) ||
               isa<arith::ArithDialect, math::MathDialect>(op.getDialect());
  if (!known || op.getNumRegions() || (op.getNumResults() != 1 && !isa<StoreOp>(op))) {
    return op.emitOpError() << "cannot stand in a kernel: a body holds zyxk, arith and math ops "
                               "with one scalar result";
  }
  for (Type type : op.getResultTypes()) {
    if (!isa<IntegerType, IndexType, FloatType>(type)) {
      return op.emitOpError() << "cannot stand in a kernel: its result is no scalar";
    }
  }
  if (auto contract = dyn_cast<ContractOp>(op)) {
    AxisSet missing =
        axisSetOf(contract.getAxes()) & ~(sets[contract.getA()] | sets[contract.getB()]);
    if (missing) {
      return op.emitOpError() << "sums over axis '"
                              << kernel.getAxisName(llvm::countr_zero(missing))
                              << "', which neither operand uses";
    }
  }
  if (auto store = dyn_cast<StoreOp>(op)) {
    return verifyStoreAxes(kernel, store, sets);
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  AxisSets sets(*this);
  for (Operation &op : getBlock()) {
    if (failed(verifyBodyOp(*this, op, sets))) {
      return failure();
    }
  }
  std::optional<SmallVector<int64_t>> extents = getStaticExtents();
  if (!extents || getDomain()) {
    return success();
  }
  DenseSet<Operation *> unguarded = unguardedLoads(*this);
  for (Operation &op : getBlock()) {
    auto load = dyn_cast<LoadOp>(op);
    if (load && load.getOob() == Oob::Prove && unguarded.contains(load) &&
        failed(verifyInside(load, load.getMap(), load.getPort(), *extents))) {
      return failure();
    }
    auto store = dyn_cast<StoreOp>(op);
    if (store && failed(verifyInside(store, store.getMap(), store.getPort(), *extents))) {
      return failure();
    }
  }
  return success();
}

} // namespace zyxc::zyxk
