#include "compiler/interp/kernel/KernelProgramInterpreter.h"
#include "compiler/interp/kernel/GraphBuilder.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Dims as the constants of affine expressions.
static SmallVector<AffineExpr> constantsOf(MLIRContext *context, std::span<const int64_t> dims) {
  SmallVector<AffineExpr> constants;
  for (int64_t value : dims) {
    constants.push_back(getAffineConstantExpr(value, context));
  }
  return constants;
}

Expected<std::vector<int64_t>> launchDims(LaunchOp launch, std::span<const int64_t> dims) {
  SmallVector<AffineExpr> constants = constantsOf(launch.getContext(), dims);
  std::vector<int64_t> values;
  for (AffineExpr expr : launch.getDims().getResults()) {
    auto value = dyn_cast<AffineConstantExpr>(expr.replaceSymbols(constants));
    if (!value || value.getValue() < 0) {
      return makeError(ErrorCode::Input, "launch of @{}: dim {} has no valid value",
                       launch.getKernel().str(), values.size());
    }
    values.push_back(value.getValue());
  }
  return values;
}

/// The types of a program's ports.
static Status addPorts(ProgramOp program, ArrayRef<AffineExpr> dims,
                       std::vector<KernelPort> &ports) {
  for (unsigned i = 0; i < program.getNumPorts(); ++i) {
    PortType type = program.getPortType(i);
    ZYXC_ASSIGN(kernelinterp::ScalarType element,
                kernelinterp::scalarTypeOf(type.getElementType()));
    KernelPort port = {{element.dtype, {}}, type.getMode()};
    for (AffineExpr expr : type.getShape().getResults()) {
      auto extent = dyn_cast<AffineConstantExpr>(expr.replaceSymbols(dims));
      if (!extent || extent.getValue() < 0) {
        return makeError(ErrorCode::Input, "port {} has no valid shape at these dims", i);
      }
      port.type.shape.push_back(extent.getValue());
    }
    ports.push_back(std::move(port));
  }
  return Status::ok();
}

static bool isAssumed(std::optional<IntegerSet> assume, ArrayRef<AffineExpr> dims) {
  for (unsigned i = 0; assume && i < assume->getNumConstraints(); ++i) {
    auto value = dyn_cast<AffineConstantExpr>(assume->getConstraint(i).replaceSymbols(dims));
    if (!value || (assume->isEq(i) ? value.getValue() != 0 : value.getValue() < 0)) {
      return false;
    }
  }
  return true;
}

Expected<KernelProgramInterpreter> KernelProgramInterpreter::create(ProgramOp program,
                                                                    std::span<const int64_t> dims) {
  SmallVector<AffineExpr> constants = constantsOf(program.getContext(), dims);
  if (dims.size() != program.getNumDims() || !isAssumed(program.getAssume(), constants)) {
    return makeError(ErrorCode::Input, "the dims are not what the program assumes");
  }
  KernelProgramInterpreter result;
  ZYXC_RETURN_IF_ERROR(addPorts(program, constants, result.programPorts));
  for (auto launch : program.getBlock().getOps<LaunchOp>()) {
    std::string name = launch.getKernel().str();
    ZYXC_ASSIGN(std::vector<int64_t> values, launchDims(launch, dims));
    auto interpreter = KernelInterpreter::create(launch.lookUpKernel(), values);
    if (!interpreter) {
      return std::move(interpreter).error().withContext("@" + name);
    }
    std::vector<unsigned> ports;
    for (Value port : launch.getPorts()) {
      ports.push_back(cast<BlockArgument>(port).getArgNumber());
    }
    for (size_t i = 0; i < ports.size(); ++i) {
      TensorType given = result.programPorts[ports[i]].type;
      if (given != interpreter->ports()[i].type) {
        return makeError(ErrorCode::Input, "@{}: port {} has type {}, but the program gives {}",
                         name, i, toString(interpreter->ports()[i].type), toString(given));
      }
    }
    result.launches.push_back({name, std::move(*interpreter), std::move(ports)});
  }
  return result;
}

double KernelProgramInterpreter::work() const {
  double total = 0;
  for (const Launch &launch : launches) {
    total += launch.interpreter.work();
  }
  return total;
}

Status KernelProgramInterpreter::run(std::span<const Tensor> tensors) const {
  for (const Launch &launch : launches) {
    std::vector<Tensor> ports;
    for (unsigned port : launch.ports) {
      ports.push_back(tensors[port]);
    }
    Status status = launch.interpreter.run(ports);
    if (!status.isOk()) {
      return std::move(status).withContext("@" + launch.kernel);
    }
  }
  return Status::ok();
}

} // namespace zyxc
