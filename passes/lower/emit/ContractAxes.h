// The roles of a contraction's axes, by their axis sets, and the strides of accesses along them.
// Host and GPU lowerings of contractions share this.
#pragma once
#include "passes/lower/emit/AccessTable.h"

namespace zyxc {

/// Roles of the axes of extent other than 1, each list in the order of the kernel.
struct ContractAxes {
  zyxk::ContractOp op; ///< null if the kernel is not one contraction with an epilogue
  llvm::SmallVector<zyxk::StoreOp> stores;
  llvm::SmallVector<unsigned> batch; ///< of both operands, or of the stores only
  llvm::SmallVector<unsigned> m;     ///< of the first operand only
  llvm::SmallVector<unsigned> n;     ///< of the second operand only
  llvm::SmallVector<unsigned> k;     ///< summed
  zyxk::AxisSet inA = 0;             ///< axes of the first operand that are not summed
  zyxk::AxisSet inB = 0;

  /// Finds the roles: one contract whose result is not reduced again, plain stores over the same
  /// axes.
  static ContractAxes find(const AccessTable &table);
};

/// The constant factor of an axis in a linear address; nothing if the axis occurs in a division.
std::optional<int64_t> strideOf(const AccessTable &table, mlir::Operation *access, unsigned axis);

/// The factor of the flattened index of `axes` (row-major over their extents) in an address;
/// nothing if the address is not linear in it.
std::optional<int64_t> flatStrideOf(const AccessTable &table, mlir::Operation *access,
                                    llvm::ArrayRef<unsigned> axes);

/// The product of the extents of some axes.
int64_t productOf(const AccessTable &table, llvm::ArrayRef<unsigned> axes);

} // namespace zyxc
