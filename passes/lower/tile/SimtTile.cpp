#include "passes/lower/tile/SimtTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/emit/BoolMemory.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace zyxc {

/// A thread reads up to this many partial results of subgroups itself; more go through another
/// butterfly.
static constexpr int64_t maxReads = 4;
/// Workgroup memory that PTX takes without asking; what exceeds it is dynamic.
static constexpr int64_t maxStaticBytes = 48 * 1024;
/// Bytes of the widest access to workgroup memory.
static constexpr int64_t stageAlignment = 16;

SimtTile::SimtTile(GpuLaunch &launch, const Target &target, Location loc)
    : launch(launch), target(target), loc(loc), subgroup(target.subgroupSize) {
  OpBuilder builder = launch.atStart();
  threadId = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
}

Value SimtTile::constant(OpBuilder &builder, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value SimtTile::quotient(OpBuilder &builder, Value x, int64_t by) {
  assert(llvm::isPowerOf2_64(by));
  return builder.createOrFold<arith::ShRUIOp>(loc, x, constant(builder, llvm::Log2_64(by)));
}

Value SimtTile::remainder(OpBuilder &builder, Value x, int64_t by) {
  assert(llvm::isPowerOf2_64(by));
  return builder.createOrFold<arith::AndIOp>(loc, x, constant(builder, by - 1));
}

Value SimtTile::member(OpBuilder &builder, const Team &team) {
  return remainder(builder, quotient(builder, threadId, team.stride), team.size);
}

Value SimtTile::teamIndex(OpBuilder &builder, const Team &team) {
  Value outer = quotient(builder, threadId, team.stride * team.size);
  if (team.stride == 1) {
    return outer;
  }
  Value first = builder.createOrFold<arith::MulIOp>(loc, outer, constant(builder, team.stride));
  return builder.createOrFold<arith::AddIOp>(loc, first, remainder(builder, threadId, team.stride));
}

void SimtTile::tileLoop(OpBuilder &builder, int64_t tiles,
                        llvm::function_ref<void(OpBuilder &, Value, Value)> body) {
  Value tile = blockIndex(builder, loc, launch);
  Value active;
  if (launch.grid[0] * launch.grid[1] > tiles) {
    Value last = constant(builder, tiles - 1);
    active = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, tile, last);
    tile = arith::MinUIOp::create(builder, loc, tile, last);
  }
  body(builder, tile, active);
}

void SimtTile::role(OpBuilder &builder, Value condition,
                    llvm::function_ref<void(OpBuilder &)> body) {
  auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  OpBuilder inside = OpBuilder::atBlockBegin(branch.thenBlock());
  body(inside);
}

//===- Workgroup memory ----------------------------------------------------------------------===//

Stage SimtTile::stageAlloc(OpBuilder &builder, Type element, int64_t elements) {
  OpBuilder start = launch.atStart();
  int64_t bytes =
      std::max<int64_t>(elements, 1) * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  bytes = llvm::alignTo<stageAlignment>(bytes);
  if (target.kind == TargetKind::Ptx && staticBytes + bytes > maxStaticBytes) {
    return dynamicStage(start, element, elements, bytes);
  }
  staticBytes += bytes;
  auto type = MemRefType::get({std::max<int64_t>(elements, 1)}, element,
                              MemRefLayoutAttrInterface(), workgroupSpace(builder.getContext()));
  return memref::AllocOp::create(start, loc, type, builder.getI64IntegerAttr(stageAlignment));
}

Stage SimtTile::dynamicStage(OpBuilder &start, Type element, int64_t elements, int64_t bytes) {
  int64_t offset = 0;
  if (auto used = launch.function->getAttrOfType<IntegerAttr>(sharedBytesAttrName)) {
    offset = used.getInt();
  }
  launch.function->setAttr(sharedBytesAttrName, start.getI64IntegerAttr(offset + bytes));
  Attribute space = workgroupSpace(start.getContext());
  auto all = MemRefType::get({ShapedType::kDynamic}, start.getI8Type(), MemRefLayoutAttrInterface(),
                             space);
  auto type = MemRefType::get({elements}, element, MemRefLayoutAttrInterface(), space);
  Value memory = gpu::DynamicSharedMemoryOp::create(start, loc, all);
  return memref::ViewOp::create(start, loc, type, memory, constant(start, offset), ValueRange());
}

void SimtTile::barrier(OpBuilder &builder) {
  gpu::BarrierOp::create(builder, loc);
}

SmallVector<Stage> SimtTile::exchangeStages(OpBuilder &builder, ValueRange values, int64_t slots) {
  SmallVector<Stage> stages;
  turn ^= 1;
  for (auto [index, value] : llvm::enumerate(values)) {
    Type element = getElementTypeOrSelf(value.getType());
    auto vector = dyn_cast<VectorType>(value.getType());
    int64_t elements = slots * (vector ? vector.getNumElements() : 1);
    Stage &stage = exchanges[{element.getAsOpaquePointer(), index, elements, turn}];
    if (!stage) {
      stage = stageAlloc(builder, storedType(element), elements);
    }
    stages.push_back(stage);
  }
  return stages;
}

void SimtTile::put(OpBuilder &builder, Value value, Stage stage, Value slot) {
  value = toStored(builder, loc, value);
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector) {
    memref::StoreOp::create(builder, loc, value, stage, slot);
    return;
  }
  int64_t lanes = vector.getNumElements();
  int64_t bytes = lanes * vector.getElementTypeBitWidth() / 8;
  Value first = builder.createOrFold<arith::MulIOp>(loc, slot, constant(builder, lanes));
  llvm::MaybeAlign alignment(static_cast<uint64_t>(std::min(bytes, stageAlignment)));
  vector::StoreOp::create(builder, loc, value, stage, first, false, alignment);
}

Value SimtTile::get(OpBuilder &builder, Type type, Stage stage, Value slot) {
  auto vector = dyn_cast<VectorType>(storedType(type));
  if (!vector) {
    Value value = memref::LoadOp::create(builder, loc, stage, slot);
    return fromStored(builder, loc, value, type);
  }
  int64_t lanes = vector.getNumElements();
  int64_t bytes = lanes * vector.getElementTypeBitWidth() / 8;
  Value first = builder.createOrFold<arith::MulIOp>(loc, slot, constant(builder, lanes));
  llvm::MaybeAlign alignment(static_cast<uint64_t>(std::min(bytes, stageAlignment)));
  Value value = vector::LoadOp::create(builder, loc, vector, stage, first, false, alignment);
  return fromStored(builder, loc, value, type);
}

SmallVector<Value> SimtTile::getAll(OpBuilder &builder, ValueRange like, ArrayRef<Stage> stages,
                                    Value slot) {
  Values values;
  for (auto [value, stage] : llvm::zip(like, stages)) {
    values.push_back(get(builder, value.getType(), stage, slot));
  }
  return values;
}

//===- Shuffles ------------------------------------------------------------------------------===//

/// Shuffles move 32 bits: narrower values are widened, wider ones go in two halves.
Value SimtTile::shuffle(OpBuilder &builder, Value value, Value operand, gpu::ShuffleMode mode) {
  Type type = value.getType();
  if (auto vector = dyn_cast<VectorType>(type)) {
    Values lanes;
    for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
      Value one = vector::ExtractOp::create(builder, loc, value, lane);
      lanes.push_back(shuffle(builder, one, operand, mode));
    }
    return vector::FromElementsOp::create(builder, loc, vector, lanes);
  }
  Type i32 = builder.getI32Type();
  unsigned bits = type.getIntOrFloatBitWidth();
  auto asInteger = [&](Value v) -> Value {
    return isa<FloatType>(type)
               ? arith::BitcastOp::create(builder, loc, builder.getIntegerType(bits), v).getResult()
               : v;
  };
  auto back = [&](Value v) -> Value {
    return isa<FloatType>(type) ? arith::BitcastOp::create(builder, loc, type, v).getResult() : v;
  };
  Value width = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(subgroup));
  auto move = [&](Value v) -> Value {
    return gpu::ShuffleOp::create(builder, loc, v, operand, width, mode).getShuffleResult();
  };
  if (bits == 32) {
    return move(value);
  }
  Value integer = asInteger(value);
  if (bits < 32) {
    Value wide = arith::ExtUIOp::create(builder, loc, i32, integer);
    return back(arith::TruncIOp::create(builder, loc, integer.getType(), move(wide)));
  }
  Type i64 = builder.getI64Type();
  Value half = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(32));
  Value low = arith::TruncIOp::create(builder, loc, i32, integer);
  Value shifted = arith::ShRUIOp::create(builder, loc, integer, half);
  Value high = arith::TruncIOp::create(builder, loc, i32, shifted);
  low = arith::ExtUIOp::create(builder, loc, i64, move(low));
  high = arith::ExtUIOp::create(builder, loc, i64, move(high));
  high = arith::ShLIOp::create(builder, loc, high, half);
  return back(arith::OrIOp::create(builder, loc, low, high));
}

Value SimtTile::shuffleXor(OpBuilder &builder, Value value, int64_t distance) {
  Value by = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(distance));
  return shuffle(builder, value, by, gpu::ShuffleMode::XOR);
}

Value SimtTile::shuffleFrom(OpBuilder &builder, Value value, Value lane) {
  return shuffle(builder, value, lane, gpu::ShuffleMode::IDX);
}

//===- Reductions ----------------------------------------------------------------------------===//

SmallVector<Value> SimtTile::butterfly(OpBuilder &builder, Values values, int64_t size,
                                       Combine combine) {
  for (int64_t distance = 1; distance < size; distance *= 2) {
    Values other;
    for (Value value : values) {
      other.push_back(shuffleXor(builder, value, distance));
    }
    values = combine(builder, values, other);
  }
  return values;
}

SmallVector<Value> SimtTile::fragReduce(OpBuilder &builder, const Team &team, ValueRange mine,
                                        Combine combine) {
  if (team.size == 1) {
    return Values(mine);
  }
  if (team.stride > 1) {
    return reduceStrided(builder, team, mine, combine);
  }
  Values values = butterfly(builder, Values(mine), std::min(team.size, subgroup), combine);
  return team.size <= subgroup ? values : reduceSubgroups(builder, team, values, combine);
}

SmallVector<Value> SimtTile::reduceSubgroups(OpBuilder &builder, const Team &team, Values values,
                                             Combine combine) {
  int64_t parts = team.size / subgroup;
  SmallVector<Stage> stages = exchangeStages(builder, values, launch.threads / subgroup);
  Value lane = remainder(builder, threadId, subgroup);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane, constant(builder, 0));
  role(builder, isFirst, [&](OpBuilder &inside) {
    Value slot = quotient(inside, threadId, subgroup);
    for (auto [value, stage] : llvm::zip(values, stages)) {
      put(inside, value, stage, slot);
    }
  });
  barrier(builder);
  Value first = builder.createOrFold<arith::MulIOp>(loc, quotient(builder, threadId, team.size),
                                                    constant(builder, parts));
  // The lanes of a subgroup read one part each where there are many.
  int64_t readers = parts <= maxReads ? 1 : std::min(parts, subgroup);
  if (readers > 1) {
    first = builder.createOrFold<arith::AddIOp>(loc, first, remainder(builder, lane, readers));
  }
  Values total;
  for (int64_t part = 0; part < parts; part += readers) {
    Value slot = builder.createOrFold<arith::AddIOp>(loc, first, constant(builder, part));
    Values next = getAll(builder, values, stages, slot);
    total = total.empty() ? next : combine(builder, total, next);
  }
  return butterfly(builder, total, readers, combine);
}

SmallVector<Value> SimtTile::reduceStrided(OpBuilder &builder, const Team &team, ValueRange mine,
                                           Combine combine) {
  SmallVector<Stage> stages = exchangeStages(builder, mine, launch.threads);
  for (auto [value, stage] : llvm::zip(mine, stages)) {
    put(builder, value, stage, threadId);
  }
  barrier(builder);
  int64_t span = team.size * team.stride;
  Value group = quotient(builder, threadId, span);
  Value first = builder.createOrFold<arith::MulIOp>(loc, group, constant(builder, span));
  first =
      builder.createOrFold<arith::AddIOp>(loc, first, remainder(builder, threadId, team.stride));
  Values total;
  for (int64_t other = 0; other < team.size; ++other) {
    Value by = constant(builder, other * team.stride);
    Value slot = builder.createOrFold<arith::AddIOp>(loc, first, by);
    Values next = getAll(builder, mine, stages, slot);
    total = total.empty() ? next : combine(builder, total, next);
  }
  return total;
}

//===- Scans ---------------------------------------------------------------------------------===//

SmallVector<Value> SimtTile::select(OpBuilder &builder, Value condition, ValueRange yes,
                                    ValueRange no) {
  Values result;
  for (auto [y, n] : llvm::zip(yes, no)) {
    result.push_back(arith::SelectOp::create(builder, loc, condition, y, n));
  }
  return result;
}

std::pair<Value, SmallVector<Value>> SimtTile::fromBelow(OpBuilder &builder, ValueRange values,
                                                         int64_t distance, int64_t lanes) {
  Type i32 = builder.getI32Type();
  Value lane = remainder(builder, threadId, subgroup);
  Value source = arith::IndexCastOp::create(builder, loc, i32, lane);
  Value by = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(distance));
  source = arith::SubIOp::create(builder, loc, source, by);
  Value zero = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  source = arith::MaxSIOp::create(builder, loc, source, zero);
  Values result;
  for (Value value : values) {
    result.push_back(shuffleFrom(builder, value, source));
  }
  Value exists =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                            remainder(builder, threadId, lanes), constant(builder, distance));
  return {exists, result};
}

std::pair<SmallVector<Value>, SmallVector<Value>>
SimtTile::fragScan(OpBuilder &builder, const Team &team, ValueRange mine, ValueRange identity,
                   Combine combine) {
  assert(team.stride == 1 && "a scan runs over neighbours");
  int64_t lanes = std::min(team.size, subgroup);
  if (lanes == 1) {
    return {Values(identity), Values(mine)};
  }
  Values inclusive(mine);
  for (int64_t distance = 1; distance < lanes; distance *= 2) {
    auto [exists, below] = fromBelow(builder, inclusive, distance, lanes);
    inclusive = select(builder, exists, combine(builder, below, inclusive), inclusive);
  }
  auto [exists, below] = fromBelow(builder, inclusive, 1, lanes);
  Values exclusive = select(builder, exists, below, identity);
  if (team.size > subgroup) {
    return scanSubgroups(builder, team, inclusive, exclusive, identity, combine);
  }
  Value last = arith::IndexCastOp::create(
      builder, loc, builder.getI32Type(),
      arith::OrIOp::create(builder, loc, remainder(builder, threadId, subgroup),
                           constant(builder, lanes - 1)));
  Values total;
  for (Value value : inclusive) {
    total.push_back(shuffleFrom(builder, value, last));
  }
  return {exclusive, total};
}

/// The totals of the subgroups go through workgroup memory; each thread combines those before its
/// own.
std::pair<SmallVector<Value>, SmallVector<Value>>
SimtTile::scanSubgroups(OpBuilder &builder, const Team &team, ValueRange inclusive,
                        ValueRange exclusive, ValueRange identity, Combine combine) {
  int64_t parts = team.size / subgroup;
  SmallVector<Stage> stages = exchangeStages(builder, inclusive, launch.threads / subgroup);
  Value lane = remainder(builder, threadId, subgroup);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane,
                                       constant(builder, subgroup - 1));
  Value slot = quotient(builder, threadId, subgroup);
  role(builder, isLast, [&](OpBuilder &inside) {
    for (auto [value, stage] : llvm::zip(inclusive, stages)) {
      put(inside, value, stage, slot);
    }
  });
  barrier(builder);
  Value part = remainder(builder, slot, parts);
  Value first = arith::SubIOp::create(builder, loc, slot, part);
  Values before(identity);
  Values total(identity);
  for (int64_t i = 0; i < parts; ++i) {
    Value index = constant(builder, i);
    Value isMine = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, part, index);
    before = select(builder, isMine, total, before);
    Value at = arith::AddIOp::create(builder, loc, first, index);
    total = combine(builder, total, getAll(builder, inclusive, stages, at));
  }
  return {combine(builder, before, exclusive), total};
}

} // namespace zyxc
