// Division of 64-bit integers for SPIR-V.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace zyxc {

/// The result is an integer of 64 bits, an index in a module whose indices have 64 bits
/// (wideIndexAttrName), or a vector of such.
bool isWideInteger(mlir::Operation *op);

/// Patterns for quotients and remainders of 64 bits. NVIDIA's compiler of shaders (580.159) gives
/// wrong ones by constants: x / 7 beside x % 7. So they are divisions of 32 bits where the operands
/// are known to fit, which is faster anyway, and else products with reciprocals. Signed ones go by
/// the magnitudes. Remainders go by the quotients. A quotient by what is not constant is left to
/// the device.
void populateSpirvDivisionPatterns(mlir::RewritePatternSet &set);

} // namespace zyxc
