#include "passes/lower/attention/WgmmaAttention.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace zyxc {

Value WgmmaAttention::parityOf(Value turn) {
  return math.bitAnd(math.shiftRight(turn, llvm::Log2_64(plan.stages)), 1);
}

//===- Frame ---------------------------------------------------------------------------------===//

void WgmmaAttention::emit() {
  setUp();
  ifElse(
      math.equal(math.shiftRight(ptx.threadId(), 7), 0), [&] { emitLoader(); },
      [&] { emitCompute(); });
}

static DictionaryAttr describe(OpBuilder &builder, const AttentionMap &map) {
  SmallVector<int64_t> box = {AttentionMap::chunkColumns};
  for (AffineExpr coordinate : map.coordinates) {
    box.push_back(coordinate ? 1 : map.rows);
  }
  return builder.getDictionaryAttr({
      builder.getNamedAttr("port", builder.getI64IntegerAttr(map.port)),
      builder.getNamedAttr("dims", builder.getDenseI64ArrayAttr(map.dims)),
      builder.getNamedAttr("strides", builder.getDenseI64ArrayAttr(map.strides)),
      builder.getNamedAttr("box", builder.getDenseI64ArrayAttr(box)),
      builder.getNamedAttr("swizzle", builder.getI64IntegerAttr(AttentionMap::chunkRowBytes)),
      builder.getNamedAttr("type", TypeAttr::get(map.element)),
  });
}

void WgmmaAttention::setUp() {
  gpu::GPUFuncOp function = launch.function;
  SmallVector<Attribute> descriptions;
  for (const AttentionMap *map : {&plan.q, &plan.k, &plan.v}) {
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    unsigned index = function.getNumArguments();
    (void)function.insertArgument(index, pointer, DictionaryAttr(), loc);
    maps.push_back(function.getArgument(index));
    descriptions.push_back(describe(builder, *map));
  }
  function->setAttr(tensorMapsAttrName, builder.getArrayAttr(descriptions));
  // Else ptxas takes more registers than setmaxnreg can redistribute.
  function->setAttr(minBlocksAttrName, builder.getI64IntegerAttr(1));
  function->setAttr(sharedBytesAttrName, builder.getI64IntegerAttr(plan.sharedBytes()));

  sharedBase = dynamicSharedBase(builder, loc);
  ifThen(math.equal(ptx.threadId(), 0), [&] {
    auto init = [&](int64_t bar, int64_t buffers, int64_t count) {
      for (int64_t i = 0; i < buffers; ++i) {
        ptx.barrierInit(at(bar + 8 * i), count);
      }
    };
    init(plan.queryFull(), plan.queryBuffers(), 1);
    init(plan.queryEmpty(), plan.queryBuffers(), plan.warpgroups);
    init(plan.keyFull(), plan.stages, 1);
    init(plan.keyEmpty(), plan.stages, plan.warpgroups);
    init(plan.valueFull(), plan.stages, 1);
    init(plan.valueEmpty(), plan.stages, plan.warpgroups);
    ptx.barrierInitFence();
  });
  gpu::BarrierOp::create(builder, loc);
}

//===- Tiles ---------------------------------------------------------------------------------===//

// Without a window all tiles cost the same: workgroup w takes w, w + W, .., the tiles of a batch
// side by side. With one, tiles differ: the costly ones (late queries) come first, and every second
// round goes backwards, so that each workgroup gets about the same sum.
Value WgmmaAttention::placeIn(Value round) {
  Value workgroup = ptx.blockId();
  if (!plan.window.first && !plan.window.last) {
    return workgroup;
  }
  Value reversed = math.sub(math.add(ptx.gridSize(), -1), workgroup);
  return math.select(math.equal(math.bitAnd(round, 1), 0), workgroup, reversed);
}

Value WgmmaAttention::tileIndex(Value round) {
  return math.add(math.mul(round, ptx.gridSize()), placeIn(round));
}

// Once a workgroup's place is behind the last tile, so are those of later rounds.
void WgmmaAttention::forEachTile(llvm::function_ref<Value(const Tile &, Value)> body) {
  Type i32 = builder.getI32Type();
  Value zero = math.constant(0);
  auto op = scf::WhileOp::create(builder, loc, TypeRange{i32, i32}, ValueRange{zero, zero});
  OpBuilder::InsertionGuard guard(builder);
  Block *before = builder.createBlock(&op.getBefore(), {}, {i32, i32}, {loc, loc});
  Value more = math.less(tileIndex(before->getArgument(0)), plan.tiles());
  scf::ConditionOp::create(builder, loc, more, before->getArguments());
  Block *after = builder.createBlock(&op.getAfter(), {}, {i32, i32}, {loc, loc});
  Value round = after->getArgument(0);
  Value turn = body(tileAt(round), after->getArgument(1));
  scf::YieldOp::create(builder, loc, ValueRange{math.add(round, 1), turn});
}

WgmmaAttention::Tile WgmmaAttention::tileAt(Value round) {
  Tile tile = tileOf(tileIndex(round));
  tile.number = round;
  return tile;
}

//===- Loader --------------------------------------------------------------------------------===//

void WgmmaAttention::emitLoads(const AttentionMap &map, unsigned index, const Tile &tile, Value row,
                               Value shared, Value bar) {
  LaneIndexEmitter indices(builder, loc, 1);
  SmallVector<LaneIndex> axes(kernel.getNumAxes());
  for (auto [axis, coordinate] : llvm::zip_equal(roles.batch, tile.batch)) {
    axes[axis] = LaneIndex::uniform(coordinate);
  }
  Values coordinates = {Value()};
  for (AffineExpr part : map.coordinates) {
    coordinates.push_back(part ? math.fromIndex(indices.first(indices.evaluate(part, axes))) : row);
  }
  ptx.barrierExpect(bar, map.tileBytes());
  for (int64_t chunk = 0; chunk < map.chunks; ++chunk) {
    coordinates.front() = math.constant(64 * chunk);
    ptx.tmaLoad(math.add(shared, chunk * map.chunkBytes()), maps[index], coordinates, bar);
  }
}

void WgmmaAttention::emitLoader() {
  ptx.fewerRegisters(plan.loaderRegisters);
  ifThen(math.equal(ptx.threadId(), 0), [&] {
    forEachTile([&](const Tile &tile, Value firstTurn) -> Value {
      Value buffer = math.bitAnd(tile.number, 1);
      Value parity = math.bitXor(math.bitAnd(math.shiftRight(tile.number, 1), 1), 1);
      Value bar = math.shiftLeft(buffer, 3);
      ptx.barrierWait(math.add(at(plan.queryEmpty()), bar), parity);
      emitLoads(plan.q, 0, tile, tile.firstRow,
                math.add(sharedBase, math.mul(buffer, plan.q.tileBytes())),
                math.add(at(plan.queryFull()), bar));
      Values turn = loop(
          tile.firstKeys, tile.lastKeys, firstTurn, [&](Value keyTile, ValueRange turns) -> Values {
            Value turn = turns.front();
            Value stage = stageOf(turn);
            Value parity = math.bitXor(parityOf(turn), 1);
            Value bar = math.shiftLeft(stage, 3);
            Value row = math.mul(keyTile, plan.keyTile);
            ptx.barrierWait(math.add(at(plan.keyEmpty()), bar), parity);
            emitLoads(plan.k, 1, tile, row,
                      math.add(at(plan.keyOffset()), math.mul(stage, plan.k.tileBytes())),
                      math.add(at(plan.keyFull()), bar));
            ptx.barrierWait(math.add(at(plan.valueEmpty()), bar), parity);
            emitLoads(plan.v, 2, tile, row,
                      math.add(at(plan.valueOffset()), math.mul(stage, plan.v.tileBytes())),
                      math.add(at(plan.valueFull()), bar));
            return {math.add(turn, 1)};
          });
      return turn.front();
    });
  });
}

} // namespace zyxc
