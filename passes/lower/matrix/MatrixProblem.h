// A kernel as a batch of matrix products with an epilogue: what a GPU's matrix units can compute.
#pragma once
#include "passes/lower/emit/ContractAxes.h"

namespace zyxc {

/// Where a matrix unit's copies find an operand: a port, or the scratch buffer after it was packed
/// there. Strides count elements; one of rowStride and kStride is 1, except along an extent of 1.
struct MatrixSource {
  std::optional<unsigned> port; ///< nothing: the scratch buffer
  int64_t offset = 0;           ///< bytes
  int64_t rowStride = 0;
  int64_t kStride = 0;
  llvm::SmallVector<int64_t> batchStrides; ///< of MatrixOperand::batch
  bool kMajor = true;                      ///< k is contiguous, else the rows are
};

/// One factor: rows (m of the first, n of the second) by k.
struct MatrixOperand {
  mlir::Value value;                 ///< in the body: f16 or bf16
  llvm::SmallVector<unsigned> rows;  ///< axes, outermost first
  llvm::SmallVector<unsigned> batch; ///< the batch axes that it uses
  /// Set if the value is a load of a port, linear in all roles and contiguous in one.
  std::optional<MatrixSource> source;
};

/// C[batch, m, n] = sum over k of a[batch, m, k] * b[batch, n, k], then the stores of the kernel.
struct MatrixProblem {
  zyxk::ContractOp op;
  MatrixOperand a; ///< gives the rows of a tile
  MatrixOperand b; ///< gives the columns: the first store is contiguous along them, if along any
  llvm::SmallVector<unsigned> batch;
  llvm::SmallVector<unsigned> k; ///< outermost first
  llvm::SmallVector<zyxk::StoreOp> stores;
  mlir::Type element; ///< of both factors
  int64_t batches = 1, m = 1, n = 1, depth = 1;

  /// Nothing if the kernel is no product of f16 or bf16 factors with f32 sums (or narrower ones),
  /// or is empty. Merge the table's axes before.
  static std::optional<MatrixProblem> find(const AccessTable &table);
};

} // namespace zyxc
