// Factors that a matrix unit's copies cannot read where they are (rows that do not start at
// multiples of 16 bytes, values computed from loads, windows of a convolution) are evaluated into
// the scratch buffer by a launch before the product.
#pragma once
#include "passes/lower/matrix/MatrixProblem.h"
#include "passes/lower/tile/GpuLaunch.h"

namespace zyxc {

/// Where the packed factors of a problem go.
struct MatrixPacking {
  llvm::SmallVector<MatrixOperand *, 2> operands; ///< to be packed
  /// Where each of them is now, if it is a plain load.
  llvm::SmallVector<std::optional<MatrixSource>, 2> unpacked;
  int64_t scratchBytes = 0;

  /// Finds the factors whose source `isReadable` refuses, and gives each a source in the scratch
  /// buffer. `problem` must outlive the result.
  static MatrixPacking plan(const AccessTable &table, MatrixProblem &problem,
                            llvm::function_ref<bool(const MatrixSource &)> isReadable);
};

/// Adds the launch that packs all of `packing`.
void addPackLaunch(GpuModule &module, const AccessTable &table, const MatrixProblem &problem,
                   const MatrixPacking &packing);

} // namespace zyxc
