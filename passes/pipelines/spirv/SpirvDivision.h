// Division of 64-bit integers for SPIR-V.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace zyxc {

/// Patterns for quotients and remainders, of 64 bits above all. NVIDIA's compiler of shaders
/// (580.159) gives wrong ones by constants: x / 7 beside x % 7. So they are divisions of 32 bits
/// where the operands are known to fit, which is faster anyway, and else products with reciprocals.
/// Signed ones go by the magnitudes. Remainders go by the quotients. A quotient by what is not
/// constant is left to the device.
void populateSpirvDivisionPatterns(mlir::RewritePatternSet &set);

} // namespace zyxc
