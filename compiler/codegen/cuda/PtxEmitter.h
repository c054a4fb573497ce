// LLVM IR to PTX, in this process.
#pragma once
#include "compiler/codegen/cuda/PtxCompiler.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace zyxc {

/// Makes PTX for one target. Used by one thread at a time.
class PtxEmitter {
public:
  /// An emitter for a target; `libdevice` is the file of the library, or empty.
  static Expected<PtxEmitter> create(const Target &target, std::string libdevice);

  /// Sets the module's target, and links what it calls of libdevice.
  Status prepare(llvm::Module &module);
  /// Cleans up the code: nothing that moves inline assembly.
  Status optimize(llvm::Module &module);
  Expected<std::string> emit(llvm::Module &module);

private:
  PtxEmitter(std::unique_ptr<llvm::TargetMachine> machine, std::string libdevice)
      : machine(std::move(machine)), libdevice(std::move(libdevice)) {}

  std::unique_ptr<llvm::TargetMachine> machine;
  std::string libdevice;
};

} // namespace zyxc
