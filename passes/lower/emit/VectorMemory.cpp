// Loads and stores of VectorExpr: contiguous, reversed, every second element, or by gather and
// scatter, with a mask where lanes are off or a guard is not proved away.
#include "dialects/zyxk/scalar/ScalarEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AffineMap.h"
#include "passes/lower/emit/VectorFrame.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

//===- Addresses -----------------------------------------------------------------------------===//

/// If the axes enter `expr` only as `factor` times their row-major index: that factor.
static std::optional<int64_t> flatFactor(const AccessTable &table, AffineExpr expr,
                                         ArrayRef<unsigned> axes) {
  for (auto [outer, inner] : llvm::zip(axes.drop_back(), axes.drop_front())) {
    auto factors = factorsOf(expr, outer, inner);
    if (!factors || factors->first != dim::mul(factors->second, table.sizeOf(inner))) {
      return std::nullopt;
    }
  }
  auto last = factorsOf(expr, axes.back(), axes.back());
  return last ? std::optional<int64_t>(last->second) : std::nullopt;
}

LaneIndex VectorExpr::evaluateIndex(OpBuilder &builder, Location loc, AffineExpr expr,
                                    ArrayRef<LaneIndex> coords) {
  LaneIndexEmitter emit = indices(builder, loc);
  SmallVector<LaneIndex> dims(accessTable.numAxes());
  AxisSet used = axesIn(expr, accessTable.numAxes());
  for (unsigned axis = 0; axis < accessTable.numAxes(); ++axis) {
    if (contains(used, axis)) {
      dims[axis] = coordinate(axis);
    }
  }
  dims.append(coords.begin(), coords.end());
  AxisSet assignedInside = 0;
  for (const auto &frame : llvm::reverse(frames)) {
    AxisSet inner = assignedInside;
    assignedInside |= frame->assigned;
    if (!frame->hasLanes) {
      continue;
    }
    std::optional<int64_t> factor;
    auto isReassigned = [&](unsigned axis) {
      return contains(inner, axis);
    };
    if (!frame->flattened.empty() && llvm::none_of(frame->flattened, isReassigned)) {
      factor = flatFactor(accessTable, expr, frame->flattened);
    }
    if (!factor) {
      break;
    }
    for (unsigned axis : frame->flattened) {
      dims[axis] = {};
    }
    return emit.add(emit.evaluate(expr, dims), emit.scale(frame->flat, *factor));
  }
  return emit.evaluate(expr, dims);
}

SmallVector<LaneIndex> VectorExpr::givenCoords(OpBuilder &builder, ValueRange coords) {
  SmallVector<LaneIndex> given;
  for (Value coord : coords) {
    Value value = evaluate(builder, coord);
    bool isVector = isa<VectorType>(value.getType());
    given.push_back(isVector ? LaneIndex::perLane(value) : LaneIndex::uniform(value));
  }
  return given;
}

LaneIndex VectorExpr::address(OpBuilder &builder, Operation *op, ValueRange coords, Value port) {
  const Access &access = accessTable.accessOf(op);
  LaneIndexEmitter emit = indices(builder, op->getLoc());
  SmallVector<LaneIndex> given = givenCoords(builder, coords);
  if (!access.clamped) {
    return evaluateIndex(builder, op->getLoc(), access.linear, given);
  }
  auto type = cast<PortType>(port.getType());
  SmallVector<LaneIndex> clamped;
  for (auto [expr, size] :
       llvm::zip(access.coordinates.getResults(), type.getShape().getResults())) {
    LaneIndex at = evaluateIndex(builder, op->getLoc(), expr, given);
    auto number = dyn_cast<AffineConstantExpr>(size);
    if (!accessTable.isInside(expr, size)) {
      at = number ? emit.clamp(at, number.getValue()) : emit.clamp(at, sizes->valueOf(size));
    }
    clamped.push_back(at);
  }
  return emit.evaluate(type.getLinearMap().getResult(0), clamped);
}

Value VectorExpr::portMemory(Value port) const {
  return ports[cast<BlockArgument>(port).getArgNumber()];
}

int64_t VectorExpr::alignmentOf(Value port) const {
  return std::max(portAlignment, cast<PortType>(port.getType()).getAlign());
}

Value VectorExpr::accessMask(OpBuilder &builder, Location loc, bool guarded) const {
  Value mask = laneMask();
  if (!guarded || !guard) {
    return mask;
  }
  return mask ? arith::AndIOp::create(builder, loc, mask, guard).getResult() : guard;
}

//===- Forms of access -----------------------------------------------------------------------===//

namespace {

/// One access to memory at `width` lanes.
struct LaneAccess {
  OpBuilder &builder;
  Location loc;
  Value memory;
  LaneIndex at;
  Value mask; ///< or null
  int64_t width;
  int64_t portAlignment;  ///< bytes
  bool streaming = false; ///< stores go past the caches

  VectorType type() const {
    return VectorType::get({width}, cast<MemRefType>(memory.getType()).getElementType());
  }
  Value zero() const {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type()));
  }
  Value base() const { return baseAt(0); }
  Value allLanes() const {
    auto i1 = VectorType::get({width}, builder.getI1Type());
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(i1, true));
  }
  /// The offset of lane 0, without `lanes`, plus a constant.
  Value baseAt(int64_t offset) const {
    LaneIndex moved = at;
    moved.offset += offset;
    return LaneIndexEmitter(builder, loc, width).first(moved);
  }

  /// What the address of lane 0 is known to be a multiple of, in bytes; nothing if that is not more
  /// than an element.
  llvm::MaybeAlign alignment() const {
    int64_t element = llvm::divideCeil(type().getElementTypeBitWidth(), 8);
    int64_t known = std::gcd(at.firstDivisor() * element, portAlignment);
    known &= -known; // the largest power of two in it
    return known > element ? llvm::MaybeAlign(known) : llvm::MaybeAlign();
  }

  /// Offsets of the lanes from base(), for gather and scatter: 32 bits where they surely fit.
  Value offsets() const {
    LaneIndexEmitter emit(builder, loc, width);
    Value index = emit.vector({Value(), 0, at.step, at.lanes});
    if (cast<MemRefType>(memory.getType()).getNumElements() > INT32_MAX) {
      return index;
    }
    auto i32 = VectorType::get({width}, builder.getI32Type());
    return arith::IndexCastOp::create(builder, loc, i32, index);
  }

  Value loadContiguous(Value start, llvm::MaybeAlign alignment) const {
    if (!mask) {
      return vector::LoadOp::create(builder, loc, type(), memory, start, /*nontemporal=*/false,
                                    alignment);
    }
    return vector::MaskedLoadOp::create(builder, loc, type(), memory, start, mask, zero());
  }
  /// The elements [first, first + width) of loadEverySecond(). Odd elements belong to no lane.
  Value loadPart(int64_t first) const {
    if (!mask) {
      return vector::LoadOp::create(builder, loc, type(), memory, baseAt(first));
    }
    SmallVector<int64_t> pick;
    for (int64_t element = first; element < first + width; ++element) {
      pick.push_back(element % 2 == 0 ? element / 2 : width);
    }
    auto i1 = VectorType::get({width}, builder.getI1Type());
    Value off = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(i1, false));
    Value part = vector::ShuffleOp::create(builder, loc, mask, off, pick);
    return vector::MaskedLoadOp::create(builder, loc, type(), memory, baseAt(first), part, zero());
  }
  /// Elements base, base + 2, ...: two loads that overlap by one element, so that none lies behind
  /// the last lane, and a shuffle.
  Value loadEverySecond() const {
    Value low = loadPart(0);
    Value high = loadPart(width - 1);
    SmallVector<int64_t> pick;
    for (int64_t lane = 0; lane < width; ++lane) {
      int64_t element = 2 * lane;
      pick.push_back(element < width ? element : width + element - (width - 1));
    }
    return vector::ShuffleOp::create(builder, loc, low, high, pick);
  }
  Value reverse(Value value) const {
    SmallVector<int64_t> pick;
    for (int64_t lane = width - 1; lane >= 0; --lane) {
      pick.push_back(lane);
    }
    return vector::ShuffleOp::create(builder, loc, value, value, pick);
  }
  Value load() const {
    if (!at.lanes && at.step == 1) {
      return loadContiguous(base(), alignment());
    }
    if (!at.lanes && at.step == 2 && width > 1) {
      return loadEverySecond();
    }
    if (!at.lanes && at.step == -1 && !mask) {
      return reverse(loadContiguous(baseAt(1 - width), llvm::MaybeAlign()));
    }
    return vector::GatherOp::create(builder, loc, type(), memory, base(), offsets(),
                                    mask ? mask : allLanes(), zero());
  }
  void store(Value value) const {
    if (!at.lanes && at.step == 1) {
      if (mask) {
        vector::MaskedStoreOp::create(builder, loc, memory, base(), mask, value);
      } else {
        llvm::MaybeAlign known = alignment();
        int64_t bytes = width * type().getElementTypeBitWidth() / 8;
        bool past = streaming && known && known->value() >= static_cast<uint64_t>(bytes);
        vector::StoreOp::create(builder, loc, value, memory, base(), past, known);
      }
      return;
    }
    vector::ScatterOp::create(builder, loc, Type(), memory, base(), offsets(),
                              mask ? mask : allLanes(), value);
  }
};

} // namespace

/// True if any lane of a mask is on.
static Value anyLane(OpBuilder &builder, Location loc, Value mask) {
  if (!isa<VectorType>(mask.getType())) {
    return mask;
  }
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, mask);
}

Value VectorExpr::insideOf(OpBuilder &builder, LoadOp load) {
  Location loc = load.getLoc();
  LaneIndexEmitter emit = indices(builder, loc);
  SmallVector<LaneIndex> given = givenCoords(builder, load.getCoords());
  AffineMap map = accessTable.accessOf(load).coordinates;
  AffineMap shape = cast<PortType>(load.getPort().getType()).getShape();
  Value inside;
  for (auto [expr, size] : llvm::zip(map.getResults(), shape.getResults())) {
    if (accessTable.isInside(expr, size)) {
      continue;
    }
    LaneIndex at = evaluateIndex(builder, loc, expr, given);
    Value value = at.isUniform() ? emit.first(at) : emit.vector(at);
    Value limit = sizes->valueOf(size);
    // A negative coordinate is large as an unsigned one.
    Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, value,
                                        at.isUniform() ? limit : splat(builder, limit));
    if (inside && inside.getType() != below.getType()) {
      inside = splat(builder, inside);
      below = splat(builder, below);
    }
    inside = inside ? arith::AndIOp::create(builder, loc, inside, below).getResult() : below;
  }
  return inside;
}

Value VectorExpr::computeLoadInside(OpBuilder &builder, LoadOp load) {
  Location loc = load.getLoc();
  Value inside = insideOf(builder, load);
  Value otherwise = evaluate(builder, load.getOtherwise());
  LaneIndex at = address(builder, load, load.getCoords(), load.getPort());
  Value memory = portMemory(load.getPort());
  Value mask = laneMask();
  int64_t alignment = alignmentOf(load.getPort());
  if (isa<VectorType>(inside.getType())) {
    mask = mask ? arith::AndIOp::create(builder, loc, mask, inside).getResult() : inside;
    Value loaded = LaneAccess{builder, loc, memory, at, mask, numLanes, alignment}.load();
    return arith::SelectOp::create(builder, loc, inside, loaded, splat(builder, otherwise));
  }
  bool isVector = !at.isUniform() || isa<VectorType>(otherwise.getType());
  Type type = isVector ? Type(VectorType::get({numLanes}, load.getType())) : load.getType();
  auto branch = scf::IfOp::create(builder, loc, type, inside, true, true);
  OpBuilder then = OpBuilder::atBlockEnd(branch.thenBlock());
  Value loaded;
  if (at.isUniform()) {
    Value index = LaneIndexEmitter(then, loc, numLanes).first(at);
    loaded = memref::LoadOp::create(then, loc, memory, index);
  } else {
    loaded = LaneAccess{then, loc, memory, at, mask, numLanes, alignment}.load();
  }
  scf::YieldOp::create(then, loc, isVector ? splat(then, loaded) : loaded);
  OpBuilder other = OpBuilder::atBlockEnd(branch.elseBlock());
  scf::YieldOp::create(other, loc, isVector ? splat(other, otherwise) : otherwise);
  return branch.getResult(0);
}

Value VectorExpr::computeLoad(OpBuilder &builder, LoadOp load) {
  if (style == LaneStyle::Thread) {
    return computeThreadLoad(builder, load);
  }
  const Access &access = accessTable.accessOf(load);
  if (load.getOob() == Oob::Else && access.clamped) {
    return computeLoadInside(builder, load);
  }
  Location loc = load.getLoc();
  LaneIndex at = address(builder, load, load.getCoords(), load.getPort());
  Value memory = portMemory(load.getPort());
  bool guarded = !access.inBounds && !access.clamped;
  if (!at.isUniform()) {
    return LaneAccess{builder,
                      loc,
                      memory,
                      at,
                      accessMask(builder, loc, guarded),
                      numLanes,
                      alignmentOf(load.getPort())}
        .load();
  }
  Value index = LaneIndexEmitter(builder, loc, numLanes).first(at);
  if (guarded && guard) {
    // If no lane needs the element, its address may be outside: element 0 is read instead.
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value needed = anyLane(builder, loc, accessMask(builder, loc, true));
    index = arith::SelectOp::create(builder, loc, needed, index, zero);
  }
  return memref::LoadOp::create(builder, loc, memory, index);
}

void VectorExpr::emitPrefetch(OpBuilder &builder, LoadOp load, int64_t distance, int level) {
  LaneIndex at = address(builder, load, load.getCoords(), load.getPort());
  at.offset += distance;
  Value index = LaneIndexEmitter(builder, load.getLoc(), numLanes).first(at);
  memref::PrefetchOp::create(builder, load.getLoc(), portMemory(load.getPort()), index,
                             /*isWrite=*/false, /*localityHint=*/4 - level, /*isDataCache=*/true);
}

//===- Stores --------------------------------------------------------------------------------===//

Value combineStored(OpBuilder &builder, Location loc, Combine combine, Value old, Value value) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(value.getType()));
  switch (combine) {
  case Combine::None: return value;
  case Combine::Add:
    return isFloat ? arith::AddFOp::create(builder, loc, old, value).getResult()
                   : arith::AddIOp::create(builder, loc, old, value).getResult();
  case Combine::Min:
    return isFloat ? emitFloatExtreme(builder, loc, /*largest=*/false, value, old)
                   : Value(arith::MinSIOp::create(builder, loc, old, value));
  case Combine::Max: break;
  }
  return isFloat ? emitFloatExtreme(builder, loc, /*largest=*/true, value, old)
                 : Value(arith::MaxSIOp::create(builder, loc, old, value));
}

void VectorExpr::emitStore(OpBuilder &builder, StoreOp store) {
  if (style == LaneStyle::Thread) {
    emitThreadStore(builder, store);
    return;
  }
  IntegerSet set = accessTable.guardOf(store);
  if (!set) {
    emitUnguardedStore(builder, store);
    return;
  }
  auto [uniform, lanes] = conditionOf(builder, store.getLoc(), set);
  Scope scope(*this);
  if (lanes) {
    Value mask = laneMask();
    setLaneMask(mask ? arith::AndIOp::create(builder, store.getLoc(), mask, lanes).getResult()
                     : lanes);
  }
  if (!uniform) {
    emitUnguardedStore(builder, store);
    return;
  }
  auto branch = scf::IfOp::create(builder, store.getLoc(), uniform);
  OpBuilder inside = OpBuilder::atBlockBegin(branch.thenBlock());
  ++branchDepth;
  Scope insideScope(*this);
  emitUnguardedStore(inside, store);
  --branchDepth;
}

void VectorExpr::emitUnguardedStore(OpBuilder &builder, StoreOp store) {
  Location loc = store.getLoc();
  Value value = evaluate(builder, store.getValue());
  LaneIndex at = address(builder, store, store.getCoords(), store.getPort());
  Value memory = portMemory(store.getPort());
  if (at.isUniform()) {
    assert(!isa<VectorType>(value.getType()) && "a lane axis is missing in a store");
    Value index = LaneIndexEmitter(builder, loc, numLanes).first(at);
    if (store.getCombine() != Combine::None) {
      Value old = memref::LoadOp::create(builder, loc, memory, index);
      value = combineStored(builder, loc, store.getCombine(), old, value);
    }
    memref::StoreOp::create(builder, loc, value, memory, index);
    return;
  }
  LaneAccess access{builder,
                    loc,
                    memory,
                    at,
                    accessMask(builder, loc, false),
                    numLanes,
                    alignmentOf(store.getPort()),
                    streaming && store.getCombine() == Combine::None};
  value = splat(builder, value);
  if (store.getCombine() != Combine::None) {
    value = combineStored(builder, loc, store.getCombine(), access.load(), value);
  }
  access.store(value);
}

} // namespace zyxc
