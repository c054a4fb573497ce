#include "compiler/codegen/gpu/GpuLowering.h"
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "passes/kernel/Transforms.h"
#include "passes/lower/gpu/LowerGpu.h"
#include "runtime/support/Stopwatch.h"

using namespace mlir;

namespace zyxc {

void addGpuDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, gpu::GPUDialect, math::MathDialect, memref::MemRefDialect,
                  scf::SCFDialect, ub::UBDialect, vector::VectorDialect, zyxk::ZyxkDialect>();
}

GpuLowering::GpuLowering(const DialectRegistry &registry)
    : owned(std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED)) {
  owned->loadAllAvailableDialects();
  owned->getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      diagnostics += diagnostics.empty() ? "" : "; ";
      diagnostics += diagnostic.str();
    }
    return success();
  });
}

Status GpuLowering::error(std::string_view step) const {
  return makeError(ErrorCode::Internal, "{}: {}", step, diagnostics);
}

Status GpuLowering::refusal(std::string_view step) const {
  return diagnostics.empty() ? error(step)
                             : makeError(ErrorCode::Unsupported, "{}: {}", step, diagnostics);
}

Expected<OwningOpRef<ModuleOp>> GpuLowering::lower(const std::string &text, const Target &target,
                                                   double &parse, double &lower) {
  diagnostics.clear();
  OwningOpRef<ModuleOp> module;
  {
    Stopwatch watch(parse);
    module = parseSourceString<ModuleOp>(text, ParserConfig(owned.get()));
  }
  if (!module) {
    return error("kernel does not parse");
  }
  Stopwatch watch(lower);
  for (zyxk::KernelOp kernel : llvm::to_vector(module->getOps<zyxk::KernelOp>())) {
    expandForLowering(kernel);
    if (failed(lowerKernelForGpu(kernel, target))) {
      return refusal("kernel cannot be lowered");
    }
  }
  return module;
}

Expected<gpu::GPUModuleOp> onlyGpuModule(ModuleOp module) {
  auto modules = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  if (modules.size() != 1) {
    return makeError(ErrorCode::Internal, "{} kernels for a GPU in the module, not one",
                     modules.size());
  }
  return modules.front();
}

std::string textOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream);
  return text + "\n";
}

} // namespace zyxc
