// The matrix unit of sm_90a: warpgroup 0 loads tiles by TMA into stages of workgroup memory, the
// others multiply them by wgmma, 64 rows each; mbarriers pass the stages back and forth.
#pragma once
#include "passes/lower/matrix/MatrixFrame.h"

namespace zyxc {

/// The tensor map (GpuFunction.h) of a factor whose tile has `tileRows` rows.
mlir::DictionaryAttr tensorMapOf(mlir::OpBuilder &builder, const MatrixProblem &problem,
                                 const MatrixOperand &operand, const AccessTable &table,
                                 const MatrixSource &source, int64_t tileRows);
/// True if TMA can load a factor: 16-byte strides.
bool isTmaSource(const MatrixSource &source);

/// Emits the body of the launch, whose last two arguments are the tensor maps of a and b.
void emitWgmmaKernel(MatrixFrame &frame);

} // namespace zyxc
