#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/contract/LowerContractEmitter.h"
#include "passes/lower/contract/RegisterTile.h"

using namespace mlir;

namespace zyxc {

Value ContractEmitter::loadVector(Value memory, Value offset, VectorType type) {
  return vector::LoadOp::create(builder, loc, type, memory, offset);
}

void ContractEmitter::storeVector(Value vector, Value memory, Value offset) {
  vector::StoreOp::create(builder, loc, vector, memory, offset);
}

func::FuncOp ContractEmitter::makeTileFunction(StringRef suffix, int64_t mr, ArrayRef<Type> types) {
  RegisterTile tile{mr, plan.nv, plan.lanes, rowPitch(), stepPitch(), plan.nr(), plan.nr()};
  tile.nextRows = plan.mr * (roles.rowsAlongSum ? rowPitch() : plan.maxCount);
  if (plan.blocks > 1) {
    tile.start = RegisterTile::Start::MemoryUnlessFirst;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(kernelFunction);
  std::string name = (kernelFunction.getSymName() + suffix).str();
  return emitRegisterTile(builder, loc, name, tile, types);
}

Value ContractEmitter::isOneRow(Value tile) {
  Value left = math.sub(rowsInBlock, math.mul(tile, plan.mr));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, left, math.constant(1));
}

/// One register tile over one block of the sum; the result goes to `sums` at `tileOffset`, row by
/// row. A batch of one point has one row: what is computed for nothing is not hidden behind memory.
void ContractEmitter::emitTile(Value tile, Value rows, Value rowsOffset, Value columns,
                               Value columnsOffset, Value count, Value blockIndex,
                               Value tileOffset) {
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, blockIndex, math.constant(0));
  SmallVector<Value> operands = {rows, rowsOffset, columns, columnsOffset,
                                 sums, tileOffset, count,   isFirst};
  SmallVector<Type> types(ValueRange(operands).getTypes());
  if (!tileFunction) {
    tileFunction = makeTileFunction("_tile", plan.mr, types);
  }
  if (!rowsInBlock) {
    func::CallOp::create(builder, loc, tileFunction, operands);
    return;
  }
  if (!rowFunction) {
    rowFunction = makeTileFunction("_tile_row", 1, types);
  }
  auto choice = scf::IfOp::create(builder, loc, isOneRow(tile), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  func::CallOp::create(builder, loc, rowFunction, operands);
  builder.setInsertionPointToStart(choice.elseBlock());
  func::CallOp::create(builder, loc, tileFunction, operands);
}

/// Finished sums of one vector of columns in the type of the contract op: a scalar if there is only
/// one column.
Value ContractEmitter::finishedSum(Value offset) {
  bool isScalar = roles.n.empty();
  Value sum = isScalar ? memref::LoadOp::create(builder, loc, sums, offset).getResult()
                       : loadVector(sums, offset, vectorType);
  Type type = roles.op.getResult().getType();
  if (type == element) {
    return sum;
  }
  return arith::TruncFOp::create(builder, loc, isScalar ? type : vectorType.clone(type), sum);
}

/// Everything after the contraction, on a finished tile: a rolled loop, so that it is emitted once.
void ContractEmitter::emitEpilogue(const TaskBlock &task, Value panel, Value tile,
                                   Value tileOffset) {
  VectorExpr expr(table, ports, plan.lanes);
  VectorExpr::Scope scope(expr);
  assignTask(expr, task, /*withOuter=*/true);
  Value firstRow = math.mul(tile, plan.mr);
  int64_t columns = productOf(table, roles.n);
  Value rowEnd =
      hasWholeTiles() ? math.constant(plan.mr) : math.min(math.sub(numRows(), firstRow), plan.mr);
  SmallVector<int64_t> rowExtents;
  for (unsigned axis : roles.m) {
    rowExtents.push_back(table.extent(axis));
  }
  auto emitRow = [&](Value vectorIndex, Value row) {
    VectorExpr::Scope rowScope(expr);
    SmallVector<Value> at = math.delinearize(math.add(firstRow, row), rowExtents);
    for (auto [axis, coordinate] : llvm::zip_equal(roles.m, at)) {
      expr.assign(axis, coordinate);
    }
    Value offset = math.add(math.mul(row, plan.nr()), math.mul(vectorIndex, plan.lanes));
    expr.bind(roles.op.getResult(), finishedSum(math.add(tileOffset, offset)));
    for (zyxk::StoreOp store : roles.stores) {
      expr.emitStore(builder, store);
    }
  };
  emitLoop(builder, loc, math.constant(0), math.constant(plan.nv), 1, [&](Value vectorIndex) {
    VectorExpr::Scope columnScope(expr);
    Value first = math.add(math.mul(panel, plan.nr()), math.mul(vectorIndex, plan.lanes));
    if (!roles.n.empty()) {
      expr.assignFlattened(builder, roles.n, first);
      if (columns % plan.nr() != 0) {
        expr.setLaneMask(laneMask(first, math.constant(columns), plan.lanes));
      }
    }
    // What all rows share, such as a bias, comes before them.
    for (zyxk::StoreOp store : roles.m.empty() ? ArrayRef<zyxk::StoreOp>() : roles.stores) {
      expr.prepare(builder, store.getValue());
    }
    emitLoop(builder, loc, math.constant(0), rowEnd, 1,
             [&](Value row) { emitRow(vectorIndex, row); });
  });
}

} // namespace zyxc
