#include "passes/kernel/Passes.h"
#include "passes/kernel/Transforms.h"

namespace zyxc {

#define GEN_PASS_DEF_SWAPOPERANDSPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

void swapOperands(KernelOp kernel) {
  for (auto contract : kernel.getBlock().getOps<ContractOp>()) {
    Value a = contract.getA();
    contract.getAMutable().assign(contract.getB());
    contract.getBMutable().assign(a);
  }
}

namespace {

struct SwapOperandsPass : impl::SwapOperandsPassBase<SwapOperandsPass> {
  void runOnOperation() override { swapOperands(getOperation()); }
};

} // namespace

} // namespace zyxc
