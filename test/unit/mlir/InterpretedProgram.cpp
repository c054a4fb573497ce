#include "test/unit/mlir/InterpretedProgram.h"
#include "compiler/interp/kernel/KernelInterpreter.h"
#include "dialects/zyxk/IR/ZyxkOps.h"
#include <catch2/catch.hpp>
#include <cstring>

using mlir::ModuleOp;
using zyxc::zyxk::KernelOp;
using zyxc::zyxk::LaunchOp;
using zyxc::zyxk::ProgramOp;

namespace zyxc::test {

Tensor allocatePort(zyxk::PortType type) {
  llvm::SmallVector<int64_t> sizes = *type.getStaticShape();
  std::vector<int64_t> shape(sizes.begin(), sizes.end());
  mlir::Type element = type.getElementType();
  DType dtype = element.isF16()         ? DType::F16
                : element.isBF16()      ? DType::BF16
                : element.isF32()       ? DType::F32
                : element.isF64()       ? DType::F64
                : element.isInteger(64) ? DType::I64
                : element.isInteger(32) ? DType::I32
                : element.isInteger(16) ? DType::I16
                                        : DType::I8;
  Tensor tensor = Tensor::allocate({dtype, shape});
  std::memset(tensor.mutableData(), 0xff, tensor.byteSize());
  return tensor;
}

/// Runs a kernel on tensors that have the elements of its ports, perhaps under another shape.
static std::string runKernel(KernelOp kernel, std::span<const Tensor> memory) {
  Expected<KernelInterpreter> interpreter = KernelInterpreter::create(kernel, {});
  if (!interpreter) {
    return interpreter.error().message();
  }
  std::vector<Tensor> ports;
  for (auto [tensor, port] : llvm::zip(memory, interpreter->ports())) {
    REQUIRE(tensor.numElements() == port.type.numElements());
    ports.push_back(tensor.withShape(port.type.shape));
  }
  return interpreter->run(ports).message();
}

static std::string runProgram(ProgramOp program, std::vector<Tensor> memory) {
  for (unsigned port = memory.size(); port < program.getNumPorts(); ++port) {
    memory.push_back(allocatePort(program.getPortType(port)));
  }
  for (auto launch : program.getBlock().getOps<LaunchOp>()) {
    std::vector<Tensor> ports;
    for (mlir::Value port : launch.getPorts()) {
      ports.push_back(memory[mlir::cast<mlir::BlockArgument>(port).getArgNumber()]);
    }
    std::string error = runKernel(launch.lookUpKernel(), ports);
    if (!error.empty()) {
      return error;
    }
  }
  return "";
}

std::string interpret(ModuleOp module, const std::string &name, std::vector<Tensor> memory) {
  if (auto program = module.lookupSymbol<ProgramOp>(name)) {
    return runProgram(program, std::move(memory));
  }
  auto kernel = module.lookupSymbol<KernelOp>(name);
  REQUIRE(kernel);
  for (unsigned port = memory.size(); port < kernel.getNumPorts(); ++port) {
    memory.push_back(allocatePort(kernel.getPortType(port)));
  }
  return runKernel(kernel, memory);
}

} // namespace zyxc::test
