// One worker of the host compiler: turns the text of a kernel into an object file. Each worker has
// contexts and a target machine of its own, so workers run side by side without locks.
#pragma once
#include "compiler/codegen/cpu/HostCompiler.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace zyxc {

/// A packing function of a kernel's prepared port.
struct PackEntry {
  std::string symbol;
  uint32_t port = 0;
  uint64_t bytes = 0;
  int64_t numTasks = 1;
};

/// An object file and what is known of the kernel in it.
struct KernelObject {
  std::string symbol;
  int64_t numTasks = 1; ///< a size over "d0", "d1", ..
  uint32_t numDims = 0;
  uint64_t scratchBytes = 0;
  std::string joinSymbol; ///< empty: none
  int64_t joinTasks = 0;
  uint64_t sharedBytes = 0;
  std::vector<PackEntry> packs;
  bool callsRoutine = false; ///< the object needs addresses of runtime/routines
  std::shared_ptr<const std::string> object;
  uint64_t numInstructions = 0; ///< of the optimized LLVM IR
  std::optional<KernelTexts> texts;
};

/// Used by one thread at a time.
class KernelWorker {
public:
  KernelWorker(const HostTarget &target, std::unique_ptr<llvm::TargetMachine> machine);

  /// Compiles one module text. Never aborts on a bad kernel.
  Expected<KernelObject> compile(llvm::StringRef text);

  HostCompileTimes times;
  bool keepTexts = false; ///< kernels come with the texts of the steps in between

private:
  Status lower(mlir::ModuleOp module);
  Status convert(mlir::ModuleOp module);
  Expected<KernelObject> describe(mlir::ModuleOp module) const;
  Expected<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp module,
                                                    llvm::LLVMContext &context);
  Status optimize(llvm::Module &module);
  Expected<std::string> emit(llvm::Module &module);
  Expected<std::string> emitAssembly(llvm::Module &module);

  HostTarget target;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<mlir::MLIRContext> context;
  // Kept, since their patterns are made once. Nothing is verified between passes: tests of passes
  // do that, and what LLVM is given is verified when it is translated.
  mlir::PassManager lowering, conversion;
  std::string diagnostics; ///< text of the errors reported since the last kernel began
};

} // namespace zyxc
