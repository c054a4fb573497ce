// Checks of a kernel and of its body as a whole.
#include "dialects/zyxk/IR/AxisSets.h"
#include "dialects/zyxk/IR/Ranges.h"
#include "dialects/zyxk/IR/affine/Injective.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace zyxc::zyxk {

//===- The kernel itself ---------------------------------------------------------------------===//

static bool isName(StringRef name) {
  auto isWord = [](char c) {
    return llvm::isAlnum(c) || c == '_';
  };
  return !name.empty() && llvm::isAlpha(name[0]) && llvm::all_of(name, isWord) &&
         !llvm::is_contained({"and", "where", "floordiv", "mod", "ceildiv"}, name);
}

static LogicalResult verifyNames(KernelOp kernel) {
  // The name becomes that of functions in object files and PTX.
  StringRef name = kernel.getSymName();
  if (name.empty() || llvm::any_of(name, [](char c) {
        return !llvm::isAlnum(c) && c != '_' && c != '.' && c != '$';
      })) {
    return kernel.emitOpError() << "has a name with other characters than letters, digits, '_', "
                                   "'.' and '$'";
  }
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

/// Checks that a layout with known sizes stays at offsets that can be addressed, from 0 on, and
/// that elements that are written have addresses of their own.
static LogicalResult verifyLayout(KernelOp kernel, PortType port, unsigned number) {
  constexpr int64_t mostElements = int64_t(1) << 48; // more than any machine addresses
  std::optional<SmallVector<int64_t>> shape = port.getStaticShape();
  if (!port.getLayout() || !shape || llvm::is_contained(*shape, 0)) {
    return success();
  }
  std::optional<IndexRange> range = rangeOf(port.getLayout().getResult(0), *shape);
  if (!range || range->first < 0 || range->second >= mostElements) {
    InFlightDiagnostic error = kernel.emitOpError();
    error << "the layout of port " << number << " leaves its memory: ";
    return range ? error << "its offsets run from " << range->first << " to " << range->second
                 : error << "its offsets are not known or too large";
  }
  if (!port.isWritable()) {
    return success();
  }
  std::optional<bool> injective = isInjective(port.getLayout().getResult(0), *shape);
  if (injective != true) {
    return kernel.emitOpError() << "the layout of port " << number
                                << (injective ? " gives two elements one address"
                                              : " may give two elements one address")
                                << ", but the port is written";
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
    if (failed(verifyLayout(*this, port, argument.getArgNumber()))) {
      return failure();
    }
  }
  if (getNumPorts() == 0) {
    return emitOpError() << "has no ports: nothing would be left of it";
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

static bool usesDims(AffineExpr expr) {
  bool uses = false;
  expr.walk([&](AffineExpr part) { uses |= isa<AffineSymbolExpr>(part); });
  return uses;
}

/// Whether `address` leaves 64 bits when each of its dims runs over a range. Put into it,
/// coordinates would be multiplied by its strides with numbers that wrap.
static bool leavesWidth(AffineExpr address, ArrayRef<IndexRange> ranges) {
  SmallVector<AffineExpr> shifted;
  SmallVector<int64_t> extents;
  for (auto [i, range] : llvm::enumerate(ranges)) {
    int64_t extent = 0;
    if (__builtin_sub_overflow(range.second, range.first, &extent) || extent == INT64_MAX) {
      return true;
    }
    extents.push_back(extent + 1);
    shifted.push_back(getAffineDimExpr(i, address.getContext()) + range.first);
  }
  return !rangeOf(address.replaceDims(shifted), extents);
}

/// Refuses coordinates, or the addresses that they give, that leave 64 bits at some point of the
/// axes. SSA coordinates are taken to be addresses of some machine.
static LogicalResult verifyWidth(Operation *op, AffineMap map, Value port,
                                 SmallVector<int64_t> extents) {
  constexpr int64_t mostAddress = int64_t(1) << 48;
  if (llvm::is_contained(extents, 0)) {
    return success();
  }
  extents.resize(map.getNumDims(), mostAddress);
  SmallVector<IndexRange> ranges;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    std::optional<IndexRange> range = rangeOf(expr, extents);
    if (!range && !usesDims(expr)) {
      return op->emitOpError() << "coordinate " << i << " leaves 64 bits";
    }
    if (range) {
      ranges.push_back(*range);
    }
  }
  auto type = cast<PortType>(port.getType());
  if (!type.getStaticShape() || type.getRank() != static_cast<int64_t>(ranges.size())) {
    return success();
  }
  AffineExpr address = type.getLinearMap().getResult(0);
  if (!usesDims(address) && leavesWidth(address, ranges)) {
    return op->emitOpError() << "the address that its coordinates give leaves 64 bits";
  }
  return success();
}

/// The same of conditions.
static LogicalResult verifyWidth(Operation *op, IntegerSet set, ArrayRef<int64_t> extents) {
  for (AffineExpr constraint : set.getConstraints()) {
    if (!usesDims(constraint) && !llvm::is_contained(extents, 0) && !rangeOf(constraint, extents)) {
      return op->emitOpError() << "a condition on its axes leaves 64 bits";
    }
  }
  return success();
}

/// Refuses an access that provably leaves its port at some point of the axes. With a domain that is
/// no box, only accesses that are never inside are known to be wrong; with an axis without points,
/// none.
static LogicalResult verifyInside(Operation *op, AffineMap map, Value port,
                                  ArrayRef<int64_t> extents, bool isBox) {
  std::optional<SmallVector<int64_t>> shape = cast<PortType>(port.getType()).getStaticShape();
  if (!shape || llvm::is_contained(extents, 0)) {
    return success();
  }
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    std::optional<IndexRange> range = rangeOf(expr, extents);
    if (!range || (range->first >= 0 && range->second < (*shape)[i])) {
      continue;
    }
    bool whollyOutside = range->second < 0 || range->first >= (*shape)[i];
    if ((isBox && hasExactRange(expr)) || whollyOutside) {
      return op->emitOpError() << "coordinate " << i << " runs from " << range->first << " to "
                               << range->second << ", but the port has " << (*shape)[i]
                               << " elements there; guard the value by a where";
    }
  }
  return success();
}

/// A store runs along whole axes: if the bound of one depends on another, that must be there.
static LogicalResult verifyStoreBounds(KernelOp kernel, StoreOp store, AxisSet domain) {
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis) {
    AxisSet missing = axesIn(kernel.getAxisBounds().getResult(axis), kernel.getNumAxes()) & ~domain;
    if (contains(domain, axis) && missing) {
      return store.emitOpError() << "runs along axis '" << kernel.getAxisName(axis)
                                 << "', whose bound depends on axis '"
                                 << kernel.getAxisName(llvm::countr_zero(missing))
                                 << "', which it does not use";
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

/// The axes that combining ops need in their operands: the combined ones, or the scanned one.
static AxisSet axesNeeded(Operation &op) {
  auto scan = dyn_cast<ScanOp>(op);
  return scan ? axisBit(scan.getAxis()) : combinedAxes(op);
}

static StringRef nameOfFirst(KernelOp kernel, AxisSet set) {
  return kernel.getAxisName(llvm::countr_zero(set));
}

/// Where the range of an axis depends on others: all of them must be known where it is walked.
static LogicalResult verifyRanges(KernelOp kernel, Operation &op, AxisSet present, AxisSet walked) {
  unsigned numAxes = kernel.getNumAxes();
  for (unsigned axis = 0; axis < numAxes; ++axis) {
    AxisSet bound = axesIn(kernel.getAxisBounds().getResult(axis), numAxes);
    if (contains(walked, axis) && (bound & ~present)) {
      return op.emitOpError() << "runs along axis '" << kernel.getAxisName(axis)
                              << "', whose bound depends on axis '"
                              << nameOfFirst(kernel, bound & ~present)
                              << "', but its operands do not depend on that";
    }
    if (contains(present & ~walked, axis) && (bound & walked)) {
      return op.emitOpError() << "combines over axis '" << nameOfFirst(kernel, bound & walked)
                              << "', on which the bound of axis '" << kernel.getAxisName(axis)
                              << "' of its result depends";
    }
  }
  for (AffineExpr constraint :
       kernel.getDomain() ? kernel.getDomain()->getConstraints() : ArrayRef<AffineExpr>()) {
    AxisSet used = axesIn(constraint, numAxes);
    if ((used & walked) && (used & ~present)) {
      return op.emitOpError() << "runs along axis '" << nameOfFirst(kernel, used & walked)
                              << "', which the domain restricts by axis '"
                              << nameOfFirst(kernel, used & ~present)
                              << "', but its operands do not depend on that";
    }
  }
  return success();
}

/// The axes that an op combines or scans must be axes of its operands (of expsum: of its value); a
/// fold begins before the first point.
static LogicalResult verifyCombinedAxes(KernelOp kernel, Operation &op, const AxisSets &sets) {
  AxisSet needed = axesNeeded(op);
  AxisSet present = 0;
  auto expsum = dyn_cast<ExpsumOp>(op);
  for (Value operand : op.getOperands().take_front(expsum ? 1 : op.getNumOperands())) {
    present |= sets[operand];
  }
  if (auto fold = dyn_cast<FoldOp>(op)) {
    for (Value init : fold.getInits()) {
      if (AxisSet folded = sets[init] & needed) {
        return op.emitOpError() << "begins with a value that depends on axis '"
                                << nameOfFirst(kernel, folded) << "', over which it runs";
      }
    }
  }
  // A plain reduction or fold over an axis that its values lack combines equal values.
  AxisSet missing = isa<ReduceOp, FoldOp>(op) ? 0 : needed & ~present;
  if (missing) {
    return op.emitOpError() << (isa<ContractOp>(op) ? "sums" : "runs") << " over axis '"
                            << nameOfFirst(kernel, missing) << "', which "
                            << (isa<ContractOp>(op) ? "neither operand uses"
                                                    : "its value does not use");
  }
  return verifyRanges(kernel, op, present | needed, needed);
}

static bool isBodyOp(Operation &op) {
  return isa<LoadOp, StoreOp, WhereOp, IndexOp, DimOp, ReduceOp, ContractOp, ExpsumOp, WelfordOp,
             FoldOp, ScanOp, ScalarOp, OpaqueOp>(op) ||
         isa<arith::ArithDialect, math::MathDialect>(op.getDialect());
}

/// Refuses what no number is a result of: division by a constant zero, shifts by the width and
/// more.
static LogicalResult verifyDefined(Operation &op) {
  APInt right;
  if (op.getNumOperands() != 2 || !matchPattern(op.getOperand(1), m_ConstantInt(&right))) {
    return success();
  }
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp>(op) &&
      right.isZero()) {
    return op.emitOpError() << "divides by zero";
  }
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op) && right.uge(right.getBitWidth())) {
    return op.emitOpError() << "shifts by " << right.getLimitedValue() << " bits a number of "
                            << right.getBitWidth();
  }
  return success();
}

static LogicalResult verifyBodyOp(KernelOp kernel, Operation &op, const AxisSets &sets) {
  bool several = isa<StoreOp, ExpsumOp, WelfordOp, FoldOp, OpaqueOp>(op);
  bool hasCode = op.getNumRegions() && !isa<FoldOp>(op);
  if (!isBodyOp(op) || hasCode || (op.getNumResults() != 1 && !several)) {
    return op.emitOpError() << "cannot stand in a kernel: a body holds zyxk, arith and math ops "
                               "with scalar results";
  }
  if (failed(verifyDefined(op))) {
    return failure();
  }
  for (Type type : op.getResultTypes()) {
    if (!isa<IntegerType, IndexType, FloatType>(type)) {
      return op.emitOpError() << "cannot stand in a kernel: its result is no scalar";
    }
  }
  if (auto store = dyn_cast<StoreOp>(op)) {
    AxisSet domain = sets.domainOf(store);
    return failure(failed(verifyStoreAxes(kernel, store, sets)) ||
                   failed(verifyStoreBounds(kernel, store, domain)));
  }
  return axesNeeded(op) ? verifyCombinedAxes(kernel, op, sets) : success();
}

/// A routine works on whole ports: nothing stands beside it.
static LogicalResult verifyAlone(KernelOp kernel, OpaqueOp opaque) {
  if (!llvm::hasSingleElement(kernel.getBlock())) {
    return opaque.emitOpError() << "must be the only op of its kernel; a program puts it beside "
                                   "others";
  }
  if (kernel.getNumAxes() != 0 || kernel.getSchedule()) {
    return opaque.emitOpError() << "runs on whole ports: its kernel has no axes and no schedule";
  }
  if (opaque.getPorts().size() != kernel.getNumPorts()) {
    return opaque.emitOpError() << "takes " << opaque.getPorts().size() << " of the "
                                << kernel.getNumPorts() << " ports of its kernel; it must take all";
  }
  return success();
}

/// A kernel runs its points in any order: what one of them stores, only itself may load.
static LogicalResult verifyInPlace(KernelOp kernel) {
  for (auto store : kernel.getBlock().getOps<StoreOp>()) {
    for (auto load : kernel.getBlock().getOps<LoadOp>()) {
      bool isOwn = load.getMap() == store.getMap() &&
                   llvm::equal(load.getCoords(), store.getCoords()) &&
                   store.getCombine() == Combine::None;
      if (load.getPort() == store.getPort() && !isOwn) {
        InFlightDiagnostic error = load.emitOpError()
                                   << "may read what another point of the kernel stores to this "
                                      "port: give both the same coordinates and no combine, or "
                                      "load in an earlier kernel";
        error.attachNote(store.getLoc()) << "stored here";
        return error;
      }
    }
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  for (auto opaque : getBlock().getOps<OpaqueOp>()) {
    if (failed(verifyAlone(*this, opaque))) {
      return failure();
    }
  }
  AxisSets sets(*this);
  for (Operation &op : getBlock()) {
    if (failed(verifyBodyOp(*this, op, sets))) {
      return failure();
    }
  }
  if (failed(verifyInPlace(*this))) {
    return failure();
  }
  std::optional<SmallVector<int64_t>> extents = getBoxExtents();
  bool isBox = getStaticExtents() && !getDomain();
  if (!extents) {
    return success();
  }
  if (getDomain() && failed(verifyWidth(*this, *getDomain(), *extents))) {
    return failure();
  }
  DenseSet<Operation *> unguarded = unguardedLoads(*this);
  for (Operation &op : getBlock()) {
    auto load = dyn_cast<LoadOp>(op);
    auto where = dyn_cast<WhereOp>(op);
    if ((load && failed(verifyWidth(load, load.getMap(), load.getPort(), *extents))) ||
        (where && failed(verifyWidth(where, where.getSet(), *extents)))) {
      return failure();
    }
    if (load && load.getOob() == Oob::Prove && unguarded.contains(load) &&
        failed(verifyInside(load, load.getMap(), load.getPort(), *extents, isBox))) {
      return failure();
    }
    auto store = dyn_cast<StoreOp>(op);
    if (store && (failed(verifyWidth(store, store.getMap(), store.getPort(), *extents)) ||
                  failed(verifyInside(store, store.getMap(), store.getPort(), *extents, isBox)))) {
      return failure();
    }
  }
  return success();
}

} // namespace zyxc::zyxk
