// Division of 64-bit integers for SPIR-V.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace zyxc {

/// An index, an integer of 64 bits, or a vector of such.
bool isWideInteger(mlir::Type type);

/// Patterns for quotients and remainders of 64 bits. NVIDIA's compiler of shaders (580.159) gives
/// wrong ones where a value is divided by two constants: x / 7 and x % 7. So they are divisions of
/// 32 bits where the operands are known to fit, which is faster anyway, and else by a divisor of
/// which the compiler cannot know that it is constant. Signed ones go by the magnitudes.
void populateSpirvDivisionPatterns(mlir::RewritePatternSet &set);

} // namespace zyxc
