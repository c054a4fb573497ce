#include "passes/lower/gpu/ExpandBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// A value in a wider or narrower type of its kind; integers are signed.
static Value convert(OpBuilder &builder, Location loc, Type type, Value value) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (value.getType() == type) {
    return value;
  }
  if (isa<FloatType>(type)) {
    return from < to ? arith::ExtFOp::create(builder, loc, type, value).getResult()
                     : arith::TruncFOp::create(builder, loc, type, value).getResult();
  }
  return from < to ? arith::ExtSIOp::create(builder, loc, type, value).getResult()
                   : arith::TruncIOp::create(builder, loc, type, value).getResult();
}

static Value reduce(OpBuilder &builder, Location loc, ReduceKind kind, Value value,
                    ArrayRef<int64_t> axes) {
  return ReduceOp::create(builder, loc, value.getType(), kind, value, axes, ReduceOrder::Free,
                          /*last=*/false);
}

void expandContractions(KernelOp kernel) {
  for (ContractOp op : llvm::to_vector(kernel.getBlock().getOps<ContractOp>())) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Type type = op.getType();
    Value a = convert(builder, loc, type, op.getA());
    Value b = convert(builder, loc, type, op.getB());
    Value product = isa<FloatType>(type) ? arith::MulFOp::create(builder, loc, a, b).getResult()
                                         : arith::MulIOp::create(builder, loc, a, b).getResult();
    op.replaceAllUsesWith(reduce(builder, loc, ReduceKind::Add, product, op.getAxes()));
    op.erase();
  }
}

static void expand(WelfordOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<FloatType>(op.getValue().getType());
  SmallVector<int64_t> extents = *op->getParentOfType<KernelOp>().getStaticExtents();
  double points = 1;
  for (int64_t axis : op.getAxes()) {
    points *= static_cast<double>(extents[axis]);
  }
  Value sum = reduce(builder, loc, ReduceKind::Add, op.getValue(), op.getAxes());
  // Over no points the sum is 0, and so is the mean.
  auto count = FloatAttr::get(type, points == 0 ? 1 : points);
  Value mean =
      arith::DivFOp::create(builder, loc, sum, arith::ConstantOp::create(builder, loc, count));
  Value deviation = arith::SubFOp::create(builder, loc, op.getValue(), mean);
  Value square = arith::MulFOp::create(builder, loc, deviation, deviation);
  Value m2 = reduce(builder, loc, ReduceKind::Add, square, op.getAxes());
  op.getMean().replaceAllUsesWith(mean);
  op.getM2().replaceAllUsesWith(m2);
  op.erase();
}

static void expand(ExpsumOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<FloatType>(op.getValue().getType());
  Value maximum = reduce(builder, loc, ReduceKind::Max, op.getValue(), op.getAxes());
  // Where every value is -inf the sums are 0: e^(-inf - 0).
  auto lowest = FloatAttr::get(type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/true));
  Value isLowest = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, maximum,
                                         arith::ConstantOp::create(builder, loc, lowest));
  Value zero = arith::ConstantOp::create(builder, loc, FloatAttr::get(type, 0.0));
  Value shift = arith::SelectOp::create(builder, loc, isLowest, zero, maximum);
  Value distance = arith::SubFOp::create(builder, loc, op.getValue(), shift);
  Value weight = math::ExpOp::create(builder, loc, distance);
  for (unsigned sum = 0; sum < op.getNumSums(); ++sum) {
    Value factor = op.getWeight(sum);
    Value term =
        factor ? arith::MulFOp::create(builder, loc, weight, convert(builder, loc, type, factor))
                     .getResult()
               : weight;
    op.getSums()[sum].replaceAllUsesWith(reduce(builder, loc, ReduceKind::Add, term, op.getAxes()));
  }
  op.getMaximum().replaceAllUsesWith(maximum);
  op.erase();
}

void expandTuples(KernelOp kernel) {
  for (Operation &op : llvm::make_early_inc_range(kernel.getBlock())) {
    if (auto welford = dyn_cast<WelfordOp>(op)) {
      expand(welford);
    } else if (auto expsum = dyn_cast<ExpsumOp>(op)) {
      expand(expsum);
    }
  }
}

} // namespace zyxc
