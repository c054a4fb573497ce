#include "compiler/graph/module/GivenKernel.h"
#include "compiler/graph/Callee.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "dialects/zyxk/scalar/ScalarBody.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/raw_ostream.h"

namespace zyxc::graph {

static std::string toText(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// A port must be dense memory of the elements of a tensor.
static Status checkPort(zyxk::KernelOp kernel, unsigned number, mlir::Type value,
                        zyxk::PortMode mode) {
  zyxk::PortType port = kernel.getPortType(number);
  ZYXC_ASSIGN(TensorType type, zyx::toTensorType(value));
  std::optional<llvm::SmallVector<int64_t>> shape = port.getStaticShape();
  bool fits = port.getMode() == mode && !port.getLayout() && shape &&
              llvm::ArrayRef(*shape) == llvm::ArrayRef(type.shape) &&
              port.getElementType() == zyxc::storageType(kernel.getContext(), type.dtype);
  return fits ? Status::ok()
              : makeError(ErrorCode::Unsupported, "port {} of kernel @{} is {}, but {} is {} {}",
                          number, kernel.getSymName().str(), toText(port),
                          mode == zyxk::PortMode::In ? "the operand" : "the result", toString(type),
                          "in dense memory");
}

Expected<std::string> givenKernelText(zyx::KernelOp op) {
  auto kernel = mlir::SymbolTable::lookupNearestSymbolFrom<zyxk::KernelOp>(op, op.getKernelAttr());
  if (!kernel) {
    return makeError(ErrorCode::Unsupported, "the module has no zyxk.kernel @{}",
                     op.getKernel().str());
  }
  if (kernel.getNumDims() > 0) {
    return makeError(ErrorCode::Unsupported,
                     "kernel @{} takes dims: write one for the sizes of its operands",
                     op.getKernel().str());
  }
  unsigned numOperands = op.getOperands().size();
  if (kernel.getNumPorts() != numOperands + op.getNumResults()) {
    return makeError(ErrorCode::Unsupported,
                     "kernel @{} has {} ports for {} operands and {} results", op.getKernel().str(),
                     kernel.getNumPorts(), numOperands, op.getNumResults());
  }
  for (unsigned i = 0; i < kernel.getNumPorts(); ++i) {
    bool isInput = i < numOperands;
    mlir::Type type =
        isInput ? op.getOperand(i).getType() : op.getResult(i - numOperands).getType();
    ZYXC_RETURN_IF_ERROR(
        checkPort(kernel, i, type, isInput ? zyxk::PortMode::In : zyxk::PortMode::Out));
  }
  zyxk::KernelOp copy = kernel.clone();
  copy.setSymName(llvm::StringRef(givenKernelName));
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy.print(stream);
  copy.erase();
  return text + "\n";
}

} // namespace zyxc::graph
