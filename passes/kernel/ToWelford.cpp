#include "passes/kernel/Passes.h"
#include "passes/kernel/Transforms.h"
#include "passes/kernel/edit/BodyEdit.h"

namespace zyxc {

#define GEN_PASS_DEF_TOWELFORDPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

/// Points that a reduction combines; nothing if that is not one number for all its results.
static std::optional<int64_t> pointsOf(KernelOp kernel, ReduceOp reduce) {
  std::optional<SmallVector<int64_t>> extents = kernel.getStaticExtents();
  if (!extents || kernel.getDomain()) {
    return std::nullopt;
  }
  int64_t points = 1;
  for (int64_t axis : reduce.getAxes()) {
    points *= (*extents)[axis];
  }
  return points;
}

/// The mean that is made of a sum: divided by the count, or times its inverse.
static bool isMean(Operation *op, Value sum, int64_t points) {
  auto count = static_cast<double>(points);
  if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
    return quotient.getLhs() == sum && floatConstant(quotient.getRhs()) == count;
  }
  auto product = dyn_cast<arith::MulFOp>(op);
  if (!product) {
    return false;
  }
  Value other = product.getLhs() == sum ? product.getRhs() : product.getLhs();
  std::optional<double> factor = floatConstant(other);
  // The inverse is rounded to f32 at least.
  return factor && std::abs(*factor * count - 1) < 1e-6;
}

/// The sum of squared deviations from `mean`, over the same points as `sum`.
static ReduceOp findSquares(ReduceOp sum, Value mean) {
  for (Operation *user : mean.getUsers()) {
    auto deviation = dyn_cast<arith::SubFOp>(user);
    if (!deviation || deviation.getLhs() != sum.getValue() || deviation.getRhs() != mean) {
      continue;
    }
    for (Operation *next : deviation->getUsers()) {
      auto square = dyn_cast<arith::MulFOp>(next);
      if (!square || square.getLhs() != square.getRhs()) {
        continue;
      }
      for (Operation *last : square->getUsers()) {
        auto squares = dyn_cast<ReduceOp>(last);
        if (squares && squares.getKind() == ReduceKind::Add &&
            squares.getOrder() != ReduceOrder::Serial && squares.getAxes() == sum.getAxes()) {
          return squares;
        }
      }
    }
  }
  return {};
}

static bool rewrite(KernelOp kernel, ReduceOp sum) {
  std::optional<int64_t> points = pointsOf(kernel, sum);
  bool wide = sum.getType().isF32() || sum.getType().isF64();
  bool serial = sum.getOrder() == ReduceOrder::Serial;
  if (sum.getKind() != ReduceKind::Add || serial || !wide || !points || *points == 0) {
    return false;
  }
  AxisSets sets(kernel);
  if (axisSetOf(sum.getAxes()) & ~sets[sum.getValue()]) {
    return false;
  }
  for (Operation *user : llvm::to_vector(sum->getUsers())) {
    ReduceOp squares;
    if (isMean(user, sum.getResult(), *points)) {
      squares = findSquares(sum, user->getResult(0));
    }
    if (squares) {
      OpBuilder builder(sum);
      auto welford = WelfordOp::create(builder, sum.getLoc(), sum.getType(), sum.getType(),
                                       sum.getValue(), sum.getAxes());
      user->getResult(0).replaceAllUsesWith(welford.getMean());
      squares.getResult().replaceAllUsesWith(welford.getM2());
      return true;
    }
  }
  return false;
}

bool toWelford(KernelOp kernel) {
  bool changed = false;
  for (auto sum : llvm::make_early_inc_range(kernel.getBlock().getOps<ReduceOp>())) {
    changed |= rewrite(kernel, sum);
  }
  dropUnusedOps(kernel);
  return changed;
}

namespace {

struct ToWelfordPass : impl::ToWelfordPassBase<ToWelfordPass> {
  void runOnOperation() override { toWelford(getOperation()); }
};

} // namespace

} // namespace zyxc
