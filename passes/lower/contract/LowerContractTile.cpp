#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/contract/LowerContractEmitter.h"

using namespace mlir;

namespace zyxc {

Value ContractEmitter::loadVector(Value memory, Value offset, VectorType type) {
  return vector::LoadOp::create(builder, loc, type, memory, offset);
}

void ContractEmitter::storeVector(Value vector, Value memory, Value offset) {
  vector::StoreOp::create(builder, loc, vector, memory, offset);
}

Value ContractEmitter::multiplyAdd(Value x, Value y, Value sum) {
  if (isa<FloatType>(element)) {
    return vector::FMAOp::create(builder, loc, x, y, sum);
  }
  Value product = arith::MulIOp::create(builder, loc, x, y);
  return arith::AddIOp::create(builder, loc, sum, product);
}

/// Zeros before the first block of the sum, the sums up to now before the others.
SmallVector<Value> ContractEmitter::initialTile(Value isFirst, Value offset) {
  size_t count = plan.mr * plan.nv;
  auto zeros = [&] {
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vectorType));
    return SmallVector<Value>(count, zero);
  };
  if (plan.blocks == 1) {
    return zeros();
  }
  auto choice = scf::IfOp::create(builder, loc, SmallVector<Type>(count, vectorType), isFirst,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(builder, loc, zeros());
  builder.setInsertionPointToStart(choice.elseBlock());
  SmallVector<Value> loaded;
  for (size_t i = 0; i < count; ++i) {
    Value at = math.add(offset, math.constant(i * plan.lanes));
    loaded.push_back(loadVector(sums, at, vectorType));
  }
  scf::YieldOp::create(builder, loc, loaded);
  return choice.getResults();
}

/// One step of the sum of all elements of the tile.
SmallVector<Value> ContractEmitter::emitTileStep(Value rows, Value rowsAt, Value columns,
                                                 Value columnsAt, ValueRange accumulators) {
  SmallVector<Value> column;
  for (int64_t j = 0; j < plan.nv; ++j) {
    Value at = math.add(columnsAt, math.constant(j * plan.lanes));
    column.push_back(loadVector(columns, at, vectorType));
  }
  SmallVector<Value> next;
  for (int64_t r = 0; r < plan.mr; ++r) {
    Value at = math.add(rowsAt, math.constant(r * rowPitch()));
    Value scalar = memref::LoadOp::create(builder, loc, rows, at);
    Value row = vector::BroadcastOp::create(builder, loc, vectorType, scalar);
    for (int64_t j = 0; j < plan.nv; ++j) {
      next.push_back(multiplyAdd(row, column[j], accumulators[r * plan.nv + j]));
    }
  }
  return next;
}

/// The register tile is a function of its own (rows, columns and sums, each with an offset; steps;
/// whether it is the first block), so that nothing around it takes registers from its loop.
func::FuncOp ContractEmitter::emitTileFunction(ArrayRef<Type> types) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(kernelFunction);
  std::string name = (kernelFunction.getSymName() + "_tile").str();
  auto function = func::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {}));
  function.setPrivate();
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  Value kernelSums = std::exchange(sums, block->getArgument(4));
  Value tileOffset = block->getArgument(5);
  SmallVector<Value> initial = initialTile(block->getArgument(7), tileOffset);
  auto loop = scf::ForOp::create(builder, loc, math.constant(0), block->getArgument(6),
                                 math.constant(1), initial);
  builder.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  Value rowsAt = math.add(block->getArgument(1), math.mul(step, stepPitch()));
  Value columnsAt = math.add(block->getArgument(3), math.mul(step, plan.nr()));
  SmallVector<Value> next = emitTileStep(block->getArgument(0), rowsAt, block->getArgument(2),
                                         columnsAt, loop.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, next);
  builder.setInsertionPointAfter(loop);
  for (auto [i, result] : llvm::enumerate(loop.getResults())) {
    storeVector(result, sums, math.add(tileOffset, math.constant(i * plan.lanes)));
  }
  func::ReturnOp::create(builder, loc);
  sums = kernelSums;
  return function;
}

/// One register tile over one block of the sum; the result goes to `sums` at `tileOffset`, row by
/// row.
void ContractEmitter::emitTile(Value rows, Value rowsOffset, Value columns, Value columnsOffset,
                               Value count, Value blockIndex, Value tileOffset) {
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, blockIndex, math.constant(0));
  SmallVector<Value> operands = {rows, rowsOffset, columns, columnsOffset,
                                 sums, tileOffset, count,   isFirst};
  if (!tileFunction) {
    tileFunction = emitTileFunction(SmallVector<Type>(ValueRange(operands).getTypes()));
  }
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
  int64_t rows = productOf(table, roles.m);
  int64_t columns = productOf(table, roles.n);
  Value rowEnd = rows % plan.mr == 0 ? math.constant(plan.mr)
                                     : math.min(math.sub(math.constant(rows), firstRow), plan.mr);
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
        expr.setLaneMask(laneMask(first, columns, plan.lanes));
      }
    }
    emitLoop(builder, loc, math.constant(0), rowEnd, 1,
             [&](Value row) { emitRow(vectorIndex, row); });
  });
}

} // namespace zyxc
