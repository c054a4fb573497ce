#include "passes/kernel/Passes.h"
#include "passes/kernel/Transforms.h"
#include "passes/kernel/edit/BodyEdit.h"

namespace zyxc {

#define GEN_PASS_DEF_ADDSTOREPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

SmallVector<Value> storableValues(KernelOp kernel) {
  AxisSets sets(kernel);
  SmallVector<Value> values;
  for (Operation &op : kernel.getBlock()) {
    for (Value result : op.getResults()) {
      Type type = result.getType();
      bool isElement = isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type) ||
                       (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() >= 8);
      bool plainBounds = llvm::all_of(axesOf(sets[result]), [&](unsigned axis) {
        return axesIn(kernel.getAxisBounds().getResult(axis), kernel.getNumAxes()) == 0;
      });
      if (isElement && plainBounds && !isa<arith::ConstantOp>(op)) {
        values.push_back(result);
      }
    }
  }
  return values;
}

namespace {

struct AddStorePass : impl::AddStorePassBase<AddStorePass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Value> values = storableValues(getOperation());
    if (value >= values.size()) {
      getOperation().emitError() << "has " << values.size() << " values that can be stored, not "
                                 << value + 1;
      return signalPassFailure();
    }
    addStore(getOperation(), values[value]);
  }
};

} // namespace

} // namespace zyxc
