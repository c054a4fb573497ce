// The matrix unit of sm_90a: warpgroup 0 loads tiles by TMA into stages of workgroup memory, the
// others multiply them by wgmma, 64 rows each; mbarriers pass the stages back and forth.
#pragma once
#include "passes/lower/matrix/MatrixFrame.h"

namespace zyxc {

/// Adds the tensor maps (GpuFunction.h) of a factor whose tile has `tileRows` rows: one for each
/// class of rows.
void addTensorMaps(mlir::OpBuilder &builder, const MatrixProblem &problem,
                   const MatrixOperand &operand, const AccessTable &table, int64_t tileRows,
                   llvm::SmallVectorImpl<mlir::Attribute> &maps);
/// True if TMA can load a factor: 16-byte strides.
bool isTmaSource(const MatrixSource &source);
/// The classes of rows by which TMA can load a factor of `rows` rows that is no such source;
/// nothing if it cannot.
std::optional<int64_t> rowClassesOf(const MatrixSource &source, int64_t rows);

/// Emits the body of the launch, whose last arguments are the tensor maps of a, then that of b.
void emitWgmmaKernel(MatrixFrame &frame);

} // namespace zyxc
