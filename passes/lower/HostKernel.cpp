#include "passes/lower/HostKernel.h"
#include "dialects/zyxk/IR/PortElements.h"
#include "dialects/zyxk/IR/affine/SizeExpr.h"
#include "mlir/IR/AffineMap.h"
#include "passes/lower/HostFunction.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// What the type of a port's memory says where its size is known at run time only: more than 32
/// bits count, less than any machine addresses.
static constexpr int64_t unknownElements = int64_t(1) << 40;

static Type memoryOf(PortType port) {
  bool isKnown = port.getStaticShape() && port.getLinearMap().getNumSymbols() == 0;
  return MemRefType::get({isKnown ? zyxk::portElements(port) : unknownElements},
                         port.getElementType());
}

/// A number of tasks as an attribute: an integer, or a map from the dims.
static Attribute tasksAttr(Builder &builder, int64_t numTasks, unsigned numDims) {
  if (!dim::isSymbolic(numTasks)) {
    return builder.getI64IntegerAttr(numTasks);
  }
  return AffineMapAttr::get(
      AffineMap::get(0, numDims, zyxk::exprOf(numTasks, builder.getContext())));
}

HostKernel HostKernel::create(OpBuilder &builder, KernelOp kernel, int64_t numTasks,
                              int64_t scratchBytes) {
  SmallVector<Type> inputs;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    inputs.push_back(memoryOf(cast<PortType>(argument.getType())));
  }
  unsigned numDims = kernel.getNumDims();
  inputs.push_back(MemRefType::get({scratchBytes}, builder.getI8Type()));
  inputs.append(numDims + 2, builder.getIndexType());
  HostKernel result;
  result.function = func::FuncOp::create(builder, kernel.getLoc(), kernel.getSymName(),
                                         builder.getFunctionType(inputs, {}));
  result.function->setAttr(numTasksAttrName, tasksAttr(builder, numTasks, numDims));
  result.function->setAttr(scratchBytesAttrName, builder.getI64IntegerAttr(scratchBytes));
  if (numDims) {
    result.function->setAttr(dimsAttrName, builder.getI64IntegerAttr(numDims));
  }
  Block *entry = result.function.addEntryBlock();
  unsigned numPorts = kernel.getNumPorts();
  result.ports.assign(entry->args_begin(), entry->args_begin() + numPorts);
  result.scratch = entry->getArgument(numPorts);
  for (unsigned dim = 0; dim < numDims; ++dim) {
    result.dims.push_back(entry->getArgument(numPorts + 1 + dim));
  }
  result.firstTask = entry->getArgument(numPorts + numDims + 1);
  result.endTask = entry->getArgument(numPorts + numDims + 2);
  return result;
}

} // namespace zyxc
