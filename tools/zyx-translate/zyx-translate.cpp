// zyx-translate: between zyxc's dialects and other formats, one file to one file, for lit tests and
// for compiler engineers. Models come in (onnx-to-zyx), kernels go out (zyxk-to-asm ...).
#include "compiler/import/Onnx.h"
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "passes/kernel/Transforms.h"
#include "tools/ir/Registration.h"
#include "tools/zyxc/kernel/targets/KernelRunner.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

static llvm::cl::opt<std::string>
    targetName("target",
               llvm::cl::desc("target of zyxk translations: host, host-avx2, sm_80, vulkan ... "
                              "(default host; sm_90a for PTX, vulkan for SPIR-V)"));

/// The file is read by its name: weights may lie in files beside it.
static OwningOpRef<Operation *> importModel(llvm::SourceMgr &sources, MLIRContext *context) {
  std::string path = sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier().str();
  if (path == "<stdin>") {
    llvm::errs() << "zyx-translate: error: onnx-to-zyx needs the name of a file, not a pipe\n";
    return {};
  }
  auto module = zyxc::importOnnx(*context, path);
  if (!module) {
    llvm::errs() << "zyx-translate: error: " << module.error().message() << "\n";
    return {};
  }
  return std::move(*module);
}

/// Prints each kernel of a module in one form of a target.
static LogicalResult emitKernels(Operation *root, llvm::raw_ostream &output, StringRef form,
                                 StringRef otherwise) {
  std::string name = targetName.empty() ? otherwise.str() : targetName;
  auto target = zyxc::tool::KernelTarget::open(name, {});
  if (!target) {
    return emitError(root->getLoc()) << target.error().message();
  }
  auto kernels = root->getRegion(0).getOps<zyxc::zyxk::KernelOp>();
  if (kernels.empty()) {
    return emitError(root->getLoc()) << "holds no zyxk.kernel";
  }
  for (zyxc::zyxk::KernelOp kernel : kernels) {
    if (kernel.getNumDims() != 0) {
      return emitError(kernel.getLoc())
             << "@" << kernel.getSymName()
             << " has dims: bind them first, by zyx-opt -zyxk-specialize=dims=N=64";
    }
    OwningOpRef<ModuleOp> module = ModuleOp::create(root->getLoc());
    zyxc::zyxk::KernelOp copy = kernel.clone();
    module->push_back(copy);
    zyxc::expandForLowering(copy);
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream);
    auto emitted = (*target)->emit(text, form.str());
    if (!emitted) {
      return emitError(kernel.getLoc()) << emitted.error().message();
    }
    output << *emitted;
  }
  return success();
}

/// One translation from zyxk; `otherwise` is the target where none is given.
static void registerKernelTranslation(StringRef name, StringRef what, StringRef form,
                                      StringRef otherwise) {
  TranslateFromMLIRRegistration(
      name, what,
      [form, otherwise](Operation *root, llvm::raw_ostream &output) {
        return emitKernels(root, output, form, otherwise);
      },
      zyxc::registerDialects);
}

int main(int argc, char **argv) {
  TranslateToMLIRRegistration(
      "onnx-to-zyx", "an ONNX model of known shapes to a module of zyx ops",
      [](llvm::SourceMgr &sources, MLIRContext *context) { return importModel(sources, context); },
      zyxc::registerDialects);
  registerKernelTranslation("zyxk-to-mlir", "kernels to loops and vectors", "mlir", "host");
  registerKernelTranslation("zyxk-to-llvm", "kernels to LLVM IR", "llvm", "host");
  registerKernelTranslation("zyxk-to-asm", "kernels to assembly of the host", "asm", "host");
  registerKernelTranslation("zyxk-to-ptx", "kernels to PTX", "ptx", "sm_90a");
  registerKernelTranslation("zyxk-to-spirv", "kernels to SPIR-V as text", "spirv", "vulkan");
  return failed(mlirTranslateMain(argc, argv, "zyxc translation driver"));
}
