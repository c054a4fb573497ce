#include "dialects/zyxk/scalar/ScalarFunction.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/Transforms.h"

namespace zyxc {

#define GEN_PASS_DEF_INLINESCALARSPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

void inlineScalars(KernelOp kernel) {
  SmallVector<ScalarOp> calls(kernel.getBlock().getOps<ScalarOp>());
  for (ScalarOp call : calls) {
    OpBuilder builder(call);
    call.getResult().replaceAllUsesWith(
        emitScalarFunction(builder, call.getLoc(), call.getFunction(), call.getArgs()));
    call.erase();
  }
}

void expandForLowering(KernelOp kernel) {
  inlineScalars(kernel);
  expandOob(kernel);
  foldCounts(kernel);
}

namespace {

struct InlineScalarsPass : impl::InlineScalarsPassBase<InlineScalarsPass> {
  void runOnOperation() override { inlineScalars(getOperation()); }
};

} // namespace

} // namespace zyxc
