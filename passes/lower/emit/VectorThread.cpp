// VectorExpr for a thread of a GPU. There are no masks and no branches: a guarded value is
// selected, and a load that is not proved inside its port is moved inside. A contiguous access
// becomes as few aligned ones as the address proves, any other one scalars.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/emit/VectorFrame.h"
#include <numeric>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Bytes of the widest access of a thread.
static constexpr int64_t maxAccessBytes = 16;
/// Alignment of ports that state none (runtime and planner align buffers so).
static constexpr int64_t defaultPortAlignment = 256;

//===- Alignment -----------------------------------------------------------------------------===//

int64_t VectorExpr::alignedLanes(PortType port, const LaneIndex &at) const {
  unsigned bits = port.getElementType().getIntOrFloatBitWidth();
  if (numLanes == 0 || at.lanes || at.step != 1 || bits < 8) {
    return 1;
  }
  int64_t align = port.getAlign() ? port.getAlign() : defaultPortAlignment;
  int64_t lanes = std::gcd(numLanes, std::min(align, maxAccessBytes) * 8 / bits);
  return std::gcd(lanes, at.firstDivisor());
}

//===- Memory --------------------------------------------------------------------------------===//

namespace {

/// A load or store of one thread.
struct ThreadAccess {
  OpBuilder &builder;
  Location loc;
  Value memory;
  LaneIndex at;
  int64_t width;   ///< lanes
  int64_t aligned; ///< lanes of one access
  bool limit;      ///< move the address inside the port

  int64_t elements() const { return cast<MemRefType>(memory.getType()).getNumElements(); }
  Type element() const { return cast<MemRefType>(memory.getType()).getElementType(); }
  llvm::MaybeAlign alignment() const {
    return llvm::MaybeAlign(static_cast<uint64_t>(aligned * element().getIntOrFloatBitWidth() / 8));
  }
  Value constant(int64_t value) const {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// The address of a lane, the first of `count`.
  Value address(int64_t lane, int64_t count) const {
    LaneIndex moved = at;
    moved.offset += at.step * lane;
    Value index = LaneIndexEmitter(builder, loc, 0).first(moved);
    if (at.lanes) {
      Value own = isa<VectorType>(at.lanes.getType())
                      ? vector::ExtractOp::create(builder, loc, at.lanes, lane).getResult()
                      : at.lanes;
      index = builder.createOrFold<arith::AddIOp>(loc, index, own);
    }
    if (limit) {
      index = arith::MaxSIOp::create(builder, loc, index, constant(0));
      index = arith::MinSIOp::create(builder, loc, index, constant(elements() - count));
    }
    return index;
  }
  Value loadScalar(int64_t lane) const {
    return memref::LoadOp::create(builder, loc, memory, address(lane, 1));
  }
  Value load() const {
    auto type = VectorType::get({width}, element());
    if (elements() < aligned) {
      return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    }
    if (aligned == 1) {
      SmallVector<Value> lanes;
      for (int64_t lane = 0; lane < width; ++lane) {
        lanes.push_back(loadScalar(lane));
      }
      return vector::FromElementsOp::create(builder, loc, type, lanes);
    }
    auto part = VectorType::get({aligned}, element());
    SmallVector<Value> parts;
    for (int64_t lane = 0; lane < width; lane += aligned) {
      parts.push_back(vector::LoadOp::create(builder, loc, part, memory, address(lane, aligned),
                                             false, alignment()));
    }
    return join(parts);
  }
  /// One vector of all parts, which are equally long and a power of two in number.
  Value join(SmallVector<Value> parts) const {
    while (parts.size() > 1) {
      int64_t lanes = cast<VectorType>(parts.front().getType()).getNumElements();
      SmallVector<int64_t> pick(2 * lanes);
      std::iota(pick.begin(), pick.end(), 0);
      for (size_t i = 0; i < parts.size() / 2; ++i) {
        parts[i] = vector::ShuffleOp::create(builder, loc, parts[2 * i], parts[2 * i + 1], pick);
      }
      parts.resize(parts.size() / 2);
    }
    return parts.front();
  }
  void store(Value value) const {
    if (aligned == 1) {
      for (int64_t lane = 0; lane < width; ++lane) {
        Value one = vector::ExtractOp::create(builder, loc, value, lane);
        memref::StoreOp::create(builder, loc, one, memory, address(lane, 1));
      }
      return;
    }
    for (int64_t lane = 0; lane < width; lane += aligned) {
      SmallVector<int64_t> pick(aligned);
      std::iota(pick.begin(), pick.end(), lane);
      Value part = aligned == width
                       ? value
                       : vector::ShuffleOp::create(builder, loc, value, value, pick).getResult();
      vector::StoreOp::create(builder, loc, part, memory, address(lane, aligned), false,
                              alignment());
    }
  }
};

} // namespace

Value VectorExpr::computeThreadLoad(OpBuilder &builder, LoadOp load) {
  const Access &access = accessTable.accessOf(load);
  Location loc = load.getLoc();
  LaneIndex at = address(builder, load, load.getCoords(), load.getPort());
  bool limit = !access.inBounds && !access.clamped;
  // Under a guard that differs between lanes some of them may be outside of the port.
  bool together = !limit || !guard || !isa<VectorType>(guard.getType());
  int64_t aligned = together ? alignedLanes(cast<PortType>(load.getPort().getType()), at) : 1;
  ThreadAccess memory{builder, loc, portMemory(load.getPort()), at, numLanes, aligned, limit};
  if (at.isUniform() || numLanes == 0) {
    if (memory.elements() == 0) {
      return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(load.getType()));
    }
    return memory.loadScalar(0);
  }
  return memory.load();
}

void VectorExpr::emitThreadStore(OpBuilder &builder, StoreOp store) {
  Location loc = store.getLoc();
  IntegerSet set = accessTable.guardOf(store);
  if (!set) {
    storeUnguarded(builder, store, Value());
    return;
  }
  evaluate(builder, store.getValue());
  auto [uniform, lanes] = conditionOf(builder, loc, set);
  if (lanes && numLanes == 0) {
    uniform = uniform ? arith::AndIOp::create(builder, loc, uniform, lanes).getResult() : lanes;
    lanes = {};
  }
  if (!uniform) {
    storeUnguarded(builder, store, lanes);
    return;
  }
  auto branch = scf::IfOp::create(builder, loc, uniform);
  OpBuilder inside = OpBuilder::atBlockBegin(branch.thenBlock());
  Scope scope(*this);
  storeUnguarded(inside, store, lanes);
}

std::pair<Value, Value> VectorExpr::storeAddress(OpBuilder &builder, StoreOp store) {
  LaneIndex at = address(builder, store, store.getCoords(), store.getPort());
  return {portMemory(store.getPort()), LaneIndexEmitter(builder, store.getLoc(), 0).first(at)};
}

void VectorExpr::storeUnguarded(OpBuilder &builder, StoreOp store, Value mask) {
  Location loc = store.getLoc();
  Value value = evaluate(builder, store.getValue());
  LaneIndex at = address(builder, store, store.getCoords(), store.getPort());
  int64_t aligned = mask ? 1 : alignedLanes(cast<PortType>(store.getPort().getType()), at);
  ThreadAccess memory{builder,        loc, portMemory(store.getPort()), at, numLanes, aligned,
                      /*limit=*/false};
  Combine combine = store.getCombine();
  if (at.isUniform() || numLanes == 0) {
    assert(!isa<VectorType>(value.getType()) && "a lane axis is missing in a store");
    if (combine != Combine::None) {
      value = combineStored(builder, loc, combine, memory.loadScalar(0), value);
    }
    memref::StoreOp::create(builder, loc, value, memory.memory, memory.address(0, 1));
    return;
  }
  value = splat(builder, value);
  for (int64_t lane = 0; mask && lane < numLanes; ++lane) {
    Value one = vector::ExtractOp::create(builder, loc, value, lane);
    Value isOn = vector::ExtractOp::create(builder, loc, mask, lane);
    Value index = memory.address(lane, 1);
    auto branch = scf::IfOp::create(builder, loc, isOn);
    OpBuilder inside = OpBuilder::atBlockBegin(branch.thenBlock());
    if (combine != Combine::None) {
      Value old = memref::LoadOp::create(inside, loc, memory.memory, index);
      one = combineStored(inside, loc, combine, old, one);
    }
    memref::StoreOp::create(inside, loc, one, memory.memory, index);
  }
  if (mask) {
    return;
  }
  if (combine != Combine::None) {
    value = combineStored(builder, loc, combine, memory.load(), value);
  }
  memory.store(value);
}

//===- Guards --------------------------------------------------------------------------------===//

Value VectorExpr::selectWhere(OpBuilder &builder, WhereOp where, Value uniform, Value lanes) {
  Location loc = where.getLoc();
  auto both = [&](Value a, Value b) -> Value {
    if (!a || !b) {
      return a ? a : b;
    }
    if (isa<VectorType>(a.getType()) || isa<VectorType>(b.getType())) {
      a = splat(builder, a);
      b = splat(builder, b);
    }
    return builder.createOrFold<arith::AndIOp>(loc, a, b);
  };
  Value condition = both(uniform, lanes);
  if (!condition) {
    return evaluate(builder, where.getValue());
  }
  Value outer = guard;
  if (!accessTable.isSafe(where.getValue())) {
    guard = both(outer, condition);
  }
  Value value = evaluate(builder, where.getValue());
  guard = outer;
  Value otherwise = evaluate(builder, where.getOtherwise());
  if (isa<VectorType>(value.getType()) || isa<VectorType>(otherwise.getType()) ||
      isa<VectorType>(condition.getType())) {
    value = splat(builder, value);
    otherwise = splat(builder, otherwise);
    condition = splat(builder, condition);
  }
  return arith::SelectOp::create(builder, loc, condition, value, otherwise);
}

} // namespace zyxc
