// Expsum and welford over the chunks of a team.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/lower/tile/OnlineFold.h"
#include "passes/lower/tile/TeamNest.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// A weight in the type in which the sums are computed.
static Value convert(OpBuilder &builder, Location loc, Value value, Type to) {
  unsigned from = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  if (getElementTypeOrSelf(value.getType()) == to) {
    return value;
  }
  Type type = to;
  if (auto vector = dyn_cast<VectorType>(value.getType())) {
    type = VectorType::get(vector.getShape(), to);
  }
  return from < to.getIntOrFloatBitWidth()
             ? arith::ExtFOp::create(builder, loc, type, value).getResult()
             : arith::TruncFOp::create(builder, loc, type, value).getResult();
}

TeamNest::Values TeamNest::accumulateOnline(OpBuilder &builder, Operation *op,
                                            const PointSpace &space, Chunks &chunks,
                                            ValueRange carried) {
  bool lanes = hasLanes(op, space);
  auto expsum = dyn_cast<ExpsumOp>(op);
  SmallVector<OnlinePoint> points;
  for (Chunk &chunk : chunks) {
    Visit visit(*this, chunk);
    auto evaluate = [&](Value value) {
      return lanes ? body.evaluateVector(builder, value) : body.evaluate(builder, value);
    };
    OnlinePoint point;
    point.value = evaluate(op->getOperand(0));
    for (unsigned sum = 0; expsum && sum < expsum.getNumSums(); ++sum) {
      Value weight = expsum.getWeight(sum);
      point.weights.push_back(
          weight ? convert(builder, loc, evaluate(weight), expsum.getValue().getType()) : Value());
    }
    point.active = chunk.active;
    points.push_back(std::move(point));
  }
  if (rows) {
    rows->flush(builder);
  }
  return OnlineFold(op).add(builder, carried, points);
}

} // namespace zyxc
