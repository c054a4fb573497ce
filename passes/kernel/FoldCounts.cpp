#include "passes/kernel/Passes.h"
#include "passes/kernel/Transforms.h"

namespace zyxc {

#define GEN_PASS_DEF_FOLDCOUNTSPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

/// The sum of as many equal constants as there are points.
static TypedAttr repeated(TypedAttr constant, int64_t points) {
  if (auto floating = dyn_cast<FloatAttr>(constant)) {
    double sum = floating.getValueAsDouble() * static_cast<double>(points);
    return FloatAttr::get(floating.getType(), sum);
  }
  auto integer = cast<IntegerAttr>(constant);
  APInt count(64, static_cast<uint64_t>(points));
  return IntegerAttr::get(integer.getType(),
                          integer.getValue() * count.sextOrTrunc(integer.getValue().getBitWidth()));
}

void foldCounts(KernelOp kernel) {
  std::optional<SmallVector<int64_t>> extents = kernel.getStaticExtents();
  if (!extents || kernel.getDomain()) {
    return;
  }
  SmallVector<ReduceOp> reductions(kernel.getBlock().getOps<ReduceOp>());
  for (ReduceOp reduce : reductions) {
    auto constant = reduce.getValue().getDefiningOp<arith::ConstantOp>();
    if (!constant || reduce.getKind() != ReduceKind::Add) {
      continue;
    }
    int64_t points = 1;
    for (int64_t axis : reduce.getAxes()) {
      points *= (*extents)[axis];
    }
    OpBuilder builder(reduce);
    Value sum = arith::ConstantOp::create(builder, reduce.getLoc(),
                                          repeated(cast<TypedAttr>(constant.getValue()), points));
    reduce.getResult().replaceAllUsesWith(sum);
    reduce.erase();
  }
}

namespace {

struct FoldCountsPass : impl::FoldCountsPassBase<FoldCountsPass> {
  void runOnOperation() override { foldCounts(getOperation()); }
};

} // namespace

} // namespace zyxc
