#include "passes/lower/HostKernel.h"
#include "dialects/zyxk/IR/PortElements.h"
#include "passes/lower/HostFunction.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

HostKernel HostKernel::create(OpBuilder &builder, KernelOp kernel, int64_t numTasks,
                              int64_t scratchBytes) {
  SmallVector<Type> inputs;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    auto port = cast<PortType>(argument.getType());
    inputs.push_back(MemRefType::get({zyxk::portElements(port)}, port.getElementType()));
  }
  inputs.push_back(MemRefType::get({scratchBytes}, builder.getI8Type()));
  inputs.append(2, builder.getIndexType());
  HostKernel result;
  result.function = func::FuncOp::create(builder, kernel.getLoc(), kernel.getSymName(),
                                         builder.getFunctionType(inputs, {}));
  result.function->setAttr(numTasksAttrName, builder.getI64IntegerAttr(numTasks));
  result.function->setAttr(scratchBytesAttrName, builder.getI64IntegerAttr(scratchBytes));
  Block *entry = result.function.addEntryBlock();
  unsigned numPorts = kernel.getNumPorts();
  result.ports.assign(entry->args_begin(), entry->args_begin() + numPorts);
  result.scratch = entry->getArgument(numPorts);
  result.firstTask = entry->getArgument(numPorts + 1);
  result.endTask = entry->getArgument(numPorts + 2);
  return result;
}

} // namespace zyxc
