#include "compiler/interp/module/KernelCall.h"
#include "compiler/interp/kernel/KernelInterpreter.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

namespace zyxc::interp {

/// An element type as kernels name it: signless, small floats by their bits.
static DType portDType(DType dtype) {
  switch (dtype) {
  case DType::U8:
  case DType::F8E4M3FN:
  case DType::F8E5M2: return DType::I8;
  case DType::U16: return DType::I16;
  case DType::U32: return DType::I32;
  case DType::U64: return DType::I64;
  default: return dtype;
  }
}

/// The bytes of a tensor under the element type of a port.
static Tensor asPort(const Tensor &tensor) {
  auto owner = std::make_shared<Tensor>(tensor);
  return Tensor::view({portDType(tensor.dtype()), tensor.shape()}, tensor.data(), owner);
}

/// A value per dim of the kernel, from the ports whose axes have it as their size.
static Expected<std::vector<int64_t>> dimsOf(zyxk::KernelOp kernel,
                                             std::span<const Tensor> tensors) {
  std::vector<int64_t> dims(kernel.getNumDims(), -1);
  for (unsigned port = 0; port < kernel.getNumPorts(); ++port) {
    mlir::AffineMap shape = kernel.getPortType(port).getShape();
    for (unsigned axis = 0; axis < shape.getNumResults(); ++axis) {
      if (auto dim = mlir::dyn_cast<mlir::AffineSymbolExpr>(shape.getResult(axis))) {
        dims[dim.getPosition()] = tensors[port].shape()[axis];
      }
    }
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) {
      return makeError(ErrorCode::Input, "its dim {} is the size of no axis of a port",
                       llvm::cast<mlir::StringAttr>(kernel.getDimNames()[i]).str());
    }
  }
  return dims;
}

/// A tensor per port: the operands at input ports, in order, new ones for results at the others.
static Expected<std::vector<Tensor>> portsOf(zyx::KernelOp call, zyxk::KernelOp kernel,
                                             std::span<const Tensor> operands) {
  std::vector<Tensor> tensors;
  size_t numIn = 0;
  size_t numOut = 0;
  for (unsigned port = 0; port < kernel.getNumPorts(); ++port) {
    zyxk::PortType type = kernel.getPortType(port);
    if (type.getMode() == zyxk::PortMode::In && numIn < operands.size()) {
      tensors.push_back(asPort(operands[numIn++]));
    } else if (type.getMode() == zyxk::PortMode::Out && numOut < call.getNumResults()) {
      ZYXC_ASSIGN(TensorType result, zyx::toTensorType(call.getResult(numOut++).getType()));
      tensors.push_back(Tensor::allocate({portDType(result.dtype), result.shape}));
    } else {
      return makeError(ErrorCode::Input,
                       "it needs an 'in' port for each of {} operands and an 'out' port for each "
                       "of {} results; port {} is one more, or of another kind",
                       operands.size(), call.getNumResults(), port);
    }
    if (tensors.back().type().rank() != type.getRank()) {
      return makeError(ErrorCode::Input, "port {} has rank {}, but is given {}", port,
                       type.getRank(), toString(tensors.back().type()));
    }
  }
  if (numIn != operands.size() || numOut != call.getNumResults()) {
    return makeError(ErrorCode::Input, "it has {} in and {} out ports for {} operands, {} results",
                     numIn, numOut, operands.size(), call.getNumResults());
  }
  return tensors;
}

static Expected<std::vector<Tensor>> runKernel(zyx::KernelOp call, zyxk::KernelOp kernel,
                                               std::span<const Tensor> operands) {
  ZYXC_ASSIGN(std::vector<Tensor> tensors, portsOf(call, kernel, operands));
  ZYXC_ASSIGN(std::vector<int64_t> dims, dimsOf(kernel, tensors));
  ZYXC_ASSIGN(auto interpreter, KernelInterpreter::create(kernel, dims));
  std::vector<Tensor> results;
  for (size_t port = 0; port < tensors.size(); ++port) {
    const KernelPort &wanted = interpreter.ports()[port];
    if (wanted.type != tensors[port].type()) {
      return makeError(ErrorCode::Input, "port {} is {}, but is given {}", port,
                       toString(wanted.type), toString(tensors[port].type()));
    }
    if (wanted.mode == zyxk::PortMode::Out) {
      DType dtype = zyx::toTensorType(call.getResult(results.size()).getType())->dtype;
      auto owner = std::make_shared<Tensor>(tensors[port]);
      results.push_back(Tensor::view({dtype, tensors[port].shape()}, tensors[port].data(), owner));
    }
  }
  ZYXC_RETURN_IF_ERROR(interpreter.run(tensors));
  return results;
}

Expected<std::vector<Tensor>> callKernel(zyx::KernelOp call, std::span<const Tensor> operands) {
  auto kernel =
      mlir::SymbolTable::lookupNearestSymbolFrom<zyxk::KernelOp>(call, call.getKernelAttr());
  if (!kernel) {
    return makeError(ErrorCode::Input, "the module has no zyxk.kernel @{}", call.getKernel().str());
  }
  Expected<std::vector<Tensor>> results = runKernel(call, kernel, operands);
  if (!results) {
    return std::move(results).error().withContext("@" + call.getKernel().str());
  }
  return results;
}

} // namespace zyxc::interp
