// zyx-opt: runs passes on text IR, for lit tests and for compiler engineers.
#include "dialects/zyx/IR/ZyxDialect.h"
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/kernel/Passes.h"
#include "passes/lower/LowerHost.h"
#include "passes/lower/gpu/LowerGpu.h"
#include "passes/lower/matrix/LowerMatrix.h"
#include "passes/pipelines/GpuToNvvm.h"
#include "passes/pipelines/HostPipeline.h"
#include "passes/pipelines/spirv/GpuToSpirv.h"
#include "runtime/support/TextNesting.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

/// mlir::MlirOptMain, after a look at the text: too deep a nesting would overflow its stack.
static llvm::LogicalResult runOpt(llvm::StringRef inputName, llvm::StringRef outputName,
                                  mlir::DialectRegistry &registry) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = mlir::openInputFile(inputName, &message);
  if (!input) {
    llvm::errs() << message << "\n";
    return llvm::failure();
  }
  std::string_view name = inputName == "-" ? "<stdin>" : std::string_view(inputName);
  zyxc::Status nesting = zyxc::checkTextNesting(std::string_view(input->getBuffer()), name);
  if (!nesting.isOk()) {
    llvm::errs() << nesting.message() << "\n";
    return llvm::failure();
  }
  std::unique_ptr<llvm::ToolOutputFile> output = mlir::openOutputFile(outputName, &message);
  if (!output) {
    llvm::errs() << message << "\n";
    return llvm::failure();
  }
  if (failed(mlir::MlirOptMain(output->os(), std::move(input), registry,
                               mlir::MlirOptMainConfig::createFromCLOptions()))) {
    return llvm::failure();
  }
  output->keep();
  return llvm::success();
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<zyxc::zyx::ZyxDialect, zyxc::zyxk::ZyxkDialect, mlir::affine::AffineDialect,
                  mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                  mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::spirv::SPIRVDialect, mlir::vector::VectorDialect>();
  mlir::func::registerInlinerExtension(registry);
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerInlinerPass();
  mlir::registerSymbolDCEPass();
  zyxc::registerGraphPasses();
  zyxc::registerKernelPasses();
  zyxc::registerLowerHostPass();
  zyxc::registerLowerGpuPass();
  zyxc::registerLowerMatrixPass();
  zyxc::registerHostPipeline();
  zyxc::registerNvvmPipeline();
  zyxc::registerGpuToSpirv();
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, "zyxc optimizer driver\n", registry);
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses()) {
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
  }
  llvm::InitLLVM initialize(argc, argv);
  return mlir::asMainReturnCode(runOpt(input, output, registry));
}
