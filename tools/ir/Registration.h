// What the programs for compiler engineers know: dialects and passes, registered one by one.
#pragma once
#include "mlir/IR/DialectRegistry.h"

namespace zyxc {

/// zyx, zyxk, and MLIR's dialects that kernels are lowered to.
void registerDialects(mlir::DialectRegistry &registry);

/// The passes and pipelines of zyxc, and MLIR's canonicalizer, CSE, inliner and symbol DCE.
void registerPasses();

} // namespace zyxc
