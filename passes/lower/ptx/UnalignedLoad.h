// Loads of 16 bytes at an address that is no multiple of 16, for threads of a GPU.
#pragma once
#include "mlir/IR/Builders.h"

namespace zyxc {

/// Elements of 16 bits that one such load gives.
inline constexpr int64_t unalignedLanes = 8;

/// Loads elements `index` to `index` + 7 of a 1-D memory of 16-bit elements as the two aligned
/// vectors around them, shifted together: neighbouring threads share these vectors in the cache,
/// where single elements would take eight loads. `index` (i32) is not negative, and the memory
/// starts at a multiple of 16 bytes. Where isWithinVectors() does not hold, the result is
/// undefined; nothing outside of the memory is read.
mlir::Value loadUnaligned(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memory,
                          mlir::Value index);

/// Whether elements `index` to `index` + 7 lie in whole aligned vectors of the memory (i1): false
/// only near its end.
mlir::Value isWithinVectors(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memory,
                            mlir::Value index);

} // namespace zyxc
