// Which axis plays which role in a contraction, and which operand gives rows and columns.
#pragma once
#include "passes/lower/contract/LowerContractPlan.h"
#include "passes/lower/emit/ContractAxes.h"

namespace zyxc {

/// An operand of the contraction, with what its packing needs.
struct ContractOperand {
  mlir::Value value;
  PackWhen when = PackWhen::Loop;
  unsigned preparedPort = 0;             ///< Prepared: the one port that it reads
  llvm::SmallVector<unsigned> batchAxes; ///< the batch axes that it uses
};

/// Roles of the axes of extent other than 1, each list outermost first.
struct ContractRoles {
  zyxk::ContractOp op;
  ContractOperand a; ///< gives the rows: scalars
  ContractOperand b; ///< gives the columns: vector lanes
  llvm::SmallVector<zyxk::StoreOp> stores;

  llvm::SmallVector<unsigned> batch; ///< of both operands, or of the stores only
  llvm::SmallVector<unsigned> outer; ///< column axes over which the first store is not linear
  llvm::SmallVector<unsigned> m;
  llvm::SmallVector<unsigned> n;
  llvm::SmallVector<unsigned> k; ///< axes that guards mention come first

  mlir::Type computeType;    ///< in which products and sums are formed
  bool rowsAlongSum = false; ///< rows are packed in the loop, each along the last summed axis
  bool gathersB = false;     ///< packing the columns reads no vectors of neighbours

  /// Finds the roles; null op if the kernel has no contraction that the family can lower.
  static ContractRoles find(const AccessTable &table);

  ContractSizes sizes(const AccessTable &table, unsigned vectorBits) const;
};

} // namespace zyxc
