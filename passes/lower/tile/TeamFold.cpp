// Free folds of TeamNest: each member folds the chunks that are its own, then merges its lanes,
// then the team merges its members.
#include "passes/lower/emit/FoldCode.h"
#include "passes/lower/tile/TeamNest.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

Value TeamNest::shareFold(OpBuilder &builder, FoldOp op) {
  FoldCode code(op);
  PointSpace space = spaceOf(table.reducedBy(op));
  std::optional<unsigned> kept = unitLane();
  bool keepsLanes = kept && contains(table.axesOf(op.getResult(0)), *kept);
  int64_t lanes = plan.width > 1 && (space.lane() || keepsLanes) ? plan.width : 0;
  Values inits;
  for (Value init : op.getInits()) {
    inits.push_back(splatTo(builder, body.evaluate(builder, init), lanes));
  }
  for (Value value : op.getValues()) {
    body.prepare(builder, value);
  }
  auto step = [&](OpBuilder &inside, Chunks &chunks, Values states) {
    prefetch(inside, chunks, space, op.getValues());
    for (Chunk &chunk : chunks) {
      Visit visit(*this, chunk);
      Values values;
      for (Value value : op.getValues()) {
        values.push_back(splatTo(inside, body.evaluate(inside, value), lanes));
      }
      Values after = code.step(inside, states, values);
      states = chunk.active ? selectStates(inside, chunk.active, after, states) : after;
    }
    return states;
  };
  Values total = sweep(builder, space, Value(), 0, space.size(), inits, step);
  if (space.lane() && plan.width > 1) {
    total = code.acrossLanes(builder, total);
  }
  total = tile.fragReduce(
      builder, plan.team, total,
      [&](OpBuilder &inside, ValueRange a, ValueRange b) { return code.merge(inside, a, b); });
  for (OpResult result : llvm::drop_begin(op->getResults())) {
    body.bind(result, total[result.getResultNumber()]);
  }
  return total.front();
}

} // namespace zyxc
