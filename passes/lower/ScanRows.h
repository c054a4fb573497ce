// Scans along rows on the host: a vector of prefixes at a time, made by log2(lanes) shuffles, then
// joined with what came before. The prefixes of a row lie in scratch memory, or are used at once.
#pragma once
#include "passes/lower/emit/VectorExpr.h"

namespace zyxc {

/// Emits the scan of the row at the current coordinates; result n goes to element n of `row`, which
/// has a vector more than the axis.
void emitScanRow(mlir::OpBuilder &builder, VectorExpr &expr, zyxk::ScanOp scan, mlir::Value row);

/// Scans along one axis without a size, in one direction, each after those that it uses: a loop
/// along the axis in which the prefixes of a vector are given to `body` and not kept.
void emitScanLanes(mlir::OpBuilder &builder, VectorExpr &expr, RuntimeSizes &sizes,
                   llvm::ArrayRef<zyxk::ScanOp> scans,
                   llvm::function_ref<void(mlir::OpBuilder &)> body);

} // namespace zyxc
