// zyx-opt: runs passes on text IR, for lit tests and for compiler engineers.
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "runtime/support/TextNesting.h"
#include "tools/ir/Registration.h"
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
  zyxc::registerDialects(registry);
  zyxc::registerPasses();
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, "zyxc optimizer driver\n", registry);
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses()) {
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
  }
  llvm::InitLLVM initialize(argc, argv);
  return mlir::asMainReturnCode(runOpt(input, output, registry));
}
