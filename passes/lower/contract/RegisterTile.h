// The innermost loop of contractions on the host: sums of a few rows and vectors in registers, over
// the steps of a sum. Rows are scalars that are broadcast, columns are lanes.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace zyxc {

/// The shape of a register tile, and where its operands lie. All pitches count elements.
struct RegisterTile {
  /// What the sums are before the first step.
  enum class Start : uint8_t {
    Zero,
    Memory,           ///< what lies where they are stored
    MemoryUnlessFirst ///< the same, or zero if the function's last argument is true
  };

  int64_t mr = 0;          ///< rows
  int64_t nv = 0;          ///< vectors of a row
  int64_t lanes = 0;       ///< elements of a vector
  int64_t rowPitch = 0;    ///< of the rows' operand: from one row to the next
  int64_t stepPitch = 0;   ///< of the same: from one step to the next
  int64_t columnPitch = 0; ///< of the columns' operand: from one step to the next
  int64_t sumPitch = 0;    ///< of the sums: from one row to the next
  int64_t nextRows = 0;    ///< to the rows' operand of the next tile, which is fetched; 0: none
  Start start = Start::Zero;
};

/// Emits a private function at the insertion point of the builder:
///   NAME(rows, rowsAt, columns, columnsAt, sums, sumsAt, steps, isFirst)
/// memrefs of one element type, each with the index where the tile begins, the number of steps, and
/// an i1. `types`: of its arguments. It is a function of its own so that nothing around it takes
/// registers from its loop.
mlir::func::FuncOp emitRegisterTile(mlir::OpBuilder &builder, mlir::Location loc,
                                    llvm::StringRef name, const RegisterTile &tile,
                                    llvm::ArrayRef<mlir::Type> types);

} // namespace zyxc
