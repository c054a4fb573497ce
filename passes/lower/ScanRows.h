// Scans along rows on the host: a vector of prefixes at a time, made by log2(lanes) shuffles, then
// joined with what came before. The prefixes of a row lie in scratch memory.
#pragma once
#include "passes/lower/emit/VectorExpr.h"

namespace zyxc {

/// Emits the scan of the row at the current coordinates; result n goes to element n of `row`, which
/// has a vector more than the axis.
void emitScanRow(mlir::OpBuilder &builder, VectorExpr &expr, zyxk::ScanOp scan, mlir::Value row);

} // namespace zyxc
