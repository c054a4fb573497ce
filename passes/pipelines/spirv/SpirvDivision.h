// Division of 64-bit integers for SPIR-V.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace zyxc {

/// An index, an integer of 64 bits, or a vector of such.
bool isWideInteger(mlir::Type type);

/// Patterns for quotients and remainders of 64 bits. NVIDIA's compiler of shaders (580.159) gives wrong
/// ones by constants: x / 7 beside x % 7. So they are divisions of 32 bits where the operands are
/// known to fit, which is faster anyway, and else products with reciprocals. Signed ones go by the
/// magnitudes. By what is not constant they are left to the device.
void populateSpirvDivisionPatterns(mlir::RewritePatternSet &set);

} // namespace zyxc
