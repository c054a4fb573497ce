// The move family on the host: transposes with whatever is computed beside them. Loads that are
// contiguous along another axis than the stores are read as blocks and transposed in registers.
#pragma once
#include "passes/lower/emit/AccessTable.h"

namespace zyxc {

/// True if the kernel only maps, its stores are contiguous along one axis and some of its loads
/// along another one, both at least a vector long.
bool isMove(AccessTable table, unsigned vectorBits);

/// Replaces a kernel for which isMove() holds by its host function.
void lowerMove(AccessTable &table, unsigned vectorBits);

/// Transposes square blocks in registers, which stand one after another in vectors of `width`
/// elements: as many vectors as a block has columns, a power of two.
llvm::SmallVector<mlir::Value> transposeBlocks(mlir::OpBuilder &builder, mlir::Location loc,
                                               llvm::SmallVector<mlir::Value> rows, int64_t width);

} // namespace zyxc
