// Math functions on an NVIDIA GPU that have no instruction: calls of libdevice, the function
// library of the CUDA toolkit.
#pragma once
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace zyxc {

/// Whether an operation is a function that must be computed one element at a time (exp, sin, ..),
/// not arithmetic that has an instruction (fma, floor, ..).
bool isMathFunction(mlir::Operation *op);

/// Adds patterns that compute functions of f16 and bf16 through f32.
void populateLibdeviceF32Patterns(mlir::RewritePatternSet &patterns);

/// Whether the operation is a function that only libdevice has.
bool isLibdeviceCall(mlir::Operation *op);

/// Adds patterns that make such functions calls, and declare in the gpu.module what is called.
void populateLibdevicePatterns(const mlir::LLVMTypeConverter &converter,
                               mlir::RewritePatternSet &patterns);

} // namespace zyxc
