#include "passes/lower/matrix/MatrixFrame.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace zyxc {

MatrixFrame::MatrixFrame(const AccessTable &table, const MatrixProblem &problem,
                         const MatrixPlan &plan, GpuLaunch &launch)
    : table(table), problem(problem), plan(plan), launch(launch),
      builder(launch.function.getContext()), loc(launch.function.getLoc()), math(builder, loc),
      ptx(builder, loc) {
  Block &entry = launch.function.getBody().front();
  entry.getTerminator()->erase();
  builder.setInsertionPointToEnd(&entry);
  threadId = NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
}

void MatrixFrame::finish() {
  gpu::ReturnOp::create(builder, loc);
}

Block *MatrixFrame::appendBlock(ValueRange arguments) {
  Region &body = launch.function.getBody();
  SmallVector<Location> locations(arguments.size(), loc);
  OpBuilder::InsertionGuard guard(builder);
  return builder.createBlock(&body, body.end(), arguments.getTypes(), locations);
}

MatrixFrame::Values MatrixFrame::doWhile(ValueRange initial,
                                         function_ref<std::pair<Value, Values>(ValueRange)> body) {
  Block *loop = appendBlock(initial);
  cf::BranchOp::create(builder, loc, loop, initial);
  builder.setInsertionPointToEnd(loop);
  auto [again, next] = body(loop->getArguments());
  Block *exit = appendBlock();
  cf::CondBranchOp::create(builder, loc, again, loop, next, exit, ValueRange());
  builder.setInsertionPointToEnd(exit);
  return next;
}

void MatrixFrame::branch(Value condition, function_ref<void()> then,
                         function_ref<void()> otherwise) {
  Block *thenBlock = appendBlock();
  Block *elseBlock = otherwise ? appendBlock() : nullptr;
  Block *join = appendBlock();
  cf::CondBranchOp::create(builder, loc, condition, thenBlock, ValueRange(),
                           elseBlock ? elseBlock : join, ValueRange());
  builder.setInsertionPointToEnd(thenBlock);
  then();
  cf::BranchOp::create(builder, loc, join);
  if (elseBlock) {
    builder.setInsertionPointToEnd(elseBlock);
    otherwise();
    cf::BranchOp::create(builder, loc, join);
  }
  builder.setInsertionPointToEnd(join);
}

/// Groups of tile rows by all columns, rows first, so that workgroups that run together share
/// operands in the cache.
TilePosition MatrixFrame::positionOf(Value tile) {
  int64_t perBatch = plan.tilesM * plan.tilesN;
  TilePosition position;
  Value batch = math.constant(0);
  if (problem.batches > 1) {
    batch = math.div(tile, perBatch);
    tile = math.rem(tile, perBatch);
  }
  position.batch = coordinatesOf(math, table, problem.batch, batch);
  int64_t perGroup = plan.group * plan.tilesN;
  Value group = math.div(tile, perGroup);
  Value inGroup = math.rem(tile, perGroup);
  Value firstRow = math.mul(group, plan.group);
  Value row, column;
  if (plan.tilesM % plan.group == 0) {
    row = math.rem(inGroup, plan.group);
    column = math.div(inGroup, plan.group);
  } else { // the last group has fewer rows
    Value left = math.sub(math.constant(plan.tilesM), firstRow);
    Value rows = arith::MinUIOp::create(builder, loc, left, math.constant(plan.group));
    row = arith::RemUIOp::create(builder, loc, inGroup, rows);
    column = arith::DivUIOp::create(builder, loc, inGroup, rows);
  }
  position.row = math.mul(math.add(firstRow, row), plan.tileM);
  position.column = math.mul(column, plan.tileN);
  return position;
}

void MatrixFrame::tileLoop(ValueRange initial,
                           function_ref<Values(const TilePosition &, ValueRange)> body) {
  Values carried = {NVVM::BlockIdXOp::create(builder, loc, builder.getI32Type())};
  llvm::append_range(carried, initial);
  doWhile(carried, [&](ValueRange arguments) {
    Value tile = arguments.front();
    Values next = body(positionOf(tile), arguments.drop_front());
    Value following = math.add(tile, plan.workgroups);
    next.insert(next.begin(), following);
    return std::pair(math.less(following, plan.tiles), next);
  });
}

} // namespace zyxc
