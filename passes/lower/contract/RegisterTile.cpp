#include "passes/lower/contract/RegisterTile.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/contract/LowerContractLoops.h"

using namespace mlir;

namespace zyxc {

namespace {

/// The arguments of the function, and what is emitted in it.
class TileEmitter {
public:
  TileEmitter(OpBuilder &builder, Location loc, const RegisterTile &tile, Block *block)
      : builder(builder), loc(loc), tile(tile), math(builder, loc), arguments(block),
        element(cast<MemRefType>(argument(0).getType()).getElementType()),
        vectorType(VectorType::get(tile.lanes, element)) {}

  void emit();

private:
  Value argument(unsigned i) const { return arguments->getArgument(i); }
  Value multiplyAdd(Value x, Value y, Value sum);
  Value sumAt(int64_t i) const;
  SmallVector<Value> zeros();
  SmallVector<Value> loadSums();
  SmallVector<Value> initial();
  SmallVector<Value> emitStep(Value rowsAt, Value columnsAt, ValueRange sums);

  OpBuilder &builder;
  Location loc;
  const RegisterTile &tile;
  IndexMath math;
  Block *arguments;
  Type element;
  VectorType vectorType;
};

} // namespace

Value TileEmitter::multiplyAdd(Value x, Value y, Value sum) {
  if (isa<FloatType>(element)) {
    return math::FmaOp::create(builder, loc, x, y, sum);
  }
  Value product = arith::MulIOp::create(builder, loc, x, y);
  return arith::AddIOp::create(builder, loc, sum, product);
}

/// Where vector i of the tile lies, counted along its rows.
Value TileEmitter::sumAt(int64_t i) const {
  int64_t offset = i / tile.nv * tile.sumPitch + i % tile.nv * tile.lanes;
  return math.add(argument(5), math.constant(offset));
}

SmallVector<Value> TileEmitter::zeros() {
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vectorType));
  return SmallVector<Value>(tile.mr * tile.nv, zero);
}

SmallVector<Value> TileEmitter::loadSums() {
  SmallVector<Value> loaded;
  for (int64_t i = 0; i < tile.mr * tile.nv; ++i) {
    loaded.push_back(vector::LoadOp::create(builder, loc, vectorType, argument(4), sumAt(i)));
  }
  return loaded;
}

SmallVector<Value> TileEmitter::initial() {
  switch (tile.start) {
  case RegisterTile::Start::Zero: return zeros();
  case RegisterTile::Start::Memory: return loadSums();
  case RegisterTile::Start::MemoryUnlessFirst: break;
  }
  SmallVector<Type> types(tile.mr * tile.nv, vectorType);
  auto choice = scf::IfOp::create(builder, loc, types, argument(7), /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(builder, loc, zeros());
  builder.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(builder, loc, loadSums());
  return choice.getResults();
}

/// One step of the sum of all elements of the tile.
SmallVector<Value> TileEmitter::emitStep(Value rowsAt, Value columnsAt, ValueRange sums) {
  SmallVector<Value> column;
  for (int64_t j = 0; j < tile.nv; ++j) {
    Value at = math.add(columnsAt, math.constant(j * tile.lanes));
    column.push_back(vector::LoadOp::create(builder, loc, vectorType, argument(2), at));
  }
  SmallVector<Value> next;
  for (int64_t r = 0; r < tile.mr; ++r) {
    Value at = math.add(rowsAt, math.constant(r * tile.rowPitch));
    Value scalar = memref::LoadOp::create(builder, loc, argument(0), at);
    Value row = vector::BroadcastOp::create(builder, loc, vectorType, scalar);
    for (int64_t j = 0; j < tile.nv; ++j) {
      next.push_back(multiplyAdd(row, column[j], sums[r * tile.nv + j]));
    }
  }
  return next;
}

void TileEmitter::emit() {
  SmallVector<Value> first = initial();
  auto loop =
      scf::ForOp::create(builder, loc, math.constant(0), argument(6), math.constant(1), first);
  builder.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  Value rowsAt = math.add(argument(1), math.mul(step, tile.stepPitch));
  Value columnsAt = math.add(argument(3), math.mul(step, tile.columnPitch));
  if (tile.nextRows > 0) {
    // Evenly over the steps, to the second cache.
    Value ahead = math.add(argument(1), math.constant(tile.nextRows));
    ahead = math.add(ahead, math.mul(step, tile.mr));
    memref::PrefetchOp::create(builder, loc, argument(0), ahead, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  }
  scf::YieldOp::create(builder, loc, emitStep(rowsAt, columnsAt, loop.getRegionIterArgs()));
  builder.setInsertionPointAfter(loop);
  for (auto [i, result] : llvm::enumerate(loop.getResults())) {
    vector::StoreOp::create(builder, loc, result, argument(4), sumAt(static_cast<int64_t>(i)));
  }
  func::ReturnOp::create(builder, loc);
}

func::FuncOp emitRegisterTile(OpBuilder &builder, Location loc, StringRef name,
                              const RegisterTile &tile, ArrayRef<Type> types) {
  OpBuilder::InsertionGuard guard(builder);
  auto function = func::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {}));
  function.setPrivate();
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  TileEmitter(builder, loc, tile, block).emit();
  return function;
}

} // namespace zyxc
