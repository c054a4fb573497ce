#include "passes/kernel/Passes.h"
#include "passes/kernel/Transforms.h"
#include "passes/kernel/edit/BodyEdit.h"

namespace zyxc {

#define GEN_PASS_DEF_CONVTOCONTRACTPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

/// The value before it was extended to the type of the sum.
static Value unextended(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(op) ? op->getOperand(0) : value;
}

/// Products of i1 are no numbers.
static bool isNumber(Value value) {
  return !value.getType().isInteger(1);
}

bool convToContract(KernelOp kernel) {
  bool changed = false;
  AxisSets sets(kernel);
  for (auto sum : llvm::make_early_inc_range(kernel.getBlock().getOps<ReduceOp>())) {
    Operation *product = sum.getValue().getDefiningOp();
    if (sum.getKind() != ReduceKind::Add || sum.getOrder() != ReduceOrder::Free ||
        !isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product)) {
      continue;
    }
    Value a = product->getOperand(0);
    Value b = product->getOperand(1);
    AxisSet summed = axisSetOf(sum.getAxes());
    // A factor without a summed axis is no operand: it stands before the sum.
    if (!(sets[a] & summed) || !(sets[b] & summed) || (summed & ~(sets[a] | sets[b])) ||
        !isNumber(a) || !isNumber(b)) {
      continue;
    }
    OpBuilder builder(sum);
    Value contract = ContractOp::create(builder, sum.getLoc(), sum.getType(), unextended(a),
                                        unextended(b), sum.getAxes());
    sum.getResult().replaceAllUsesWith(contract);
    sum.erase();
    changed = true;
  }
  dropUnusedOps(kernel);
  return changed;
}

namespace {

struct ConvToContractPass : impl::ConvToContractPassBase<ConvToContractPass> {
  void runOnOperation() override { convToContract(getOperation()); }
};

} // namespace

} // namespace zyxc
