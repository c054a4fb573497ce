// Memory operations of lowered GPU kernels as accesses through plain pointers: a memref is static,
// so its address is all that remains of it.
#pragma once
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace zyxc {

/// Makes memrefs pointers, in the address space of PTX (generic, global, shared).
void configureGpuMemory(mlir::LLVMTypeConverter &converter);

/// Adds patterns for loads, stores, allocations and views of memrefs, and for
/// gpu.dynamic_shared_memory.
void populateGpuMemoryPatterns(const mlir::LLVMTypeConverter &converter,
                               mlir::RewritePatternSet &patterns);

} // namespace zyxc
