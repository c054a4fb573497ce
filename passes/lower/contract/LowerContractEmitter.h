// Emits the code of one host contraction. One file per part: LowerContract.cpp (functions and task
// loops), LowerContractPack.cpp (panels), LowerContractTile.cpp (register tile, epilogue).
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/lower/contract/LowerContractLoops.h"
#include "passes/lower/contract/LowerContractRoles.h"
#include "passes/lower/emit/VectorExpr.h"

namespace zyxc {

/// A block of the sum: its first step in row-major order, its number of steps, and where it lies.
struct SumBlock {
  llvm::SmallVector<mlir::Value> outer; ///< coordinates of the axes before the split axis
  mlir::Value splitLo, splitHi;         ///< steps of the split axis; null if nothing is summed
  mlir::Value first;
  mlir::Value count;
};

/// A packed operand: panels of [count][width] elements of the compute type, one per tile or panel.
/// Rows that are packed along the sum are [mr][rowPitch] instead.
struct PackedBlock {
  mlir::Value memory;
  mlir::Value offset;      ///< of the first panel, at the block's first step
  int64_t panelStride = 0; ///< elements from one panel to the next
};

/// What a task computes.
struct TaskBlock {
  llvm::SmallVector<mlir::Value> batch, outer; ///< coordinates
  mlir::Value firstTile, numTiles;
  mlir::Value firstPanel, numPanels;
};

class ContractEmitter {
public:
  ContractEmitter(mlir::OpBuilder &builder, const AccessTable &table,
                  const ContractRoles &contraction, const ContractPlan &plan, int64_t rowBlock);

  void emitKernel();
  /// The packing functions of prepared operands.
  void emitPackFunctions();

private:
  bool isRows(const ContractOperand &operand) const { return &operand == &roles.a; }

  // Functions (LowerContract.cpp).
  void emitPackFunction(const ContractOperand &operand);
  mlir::func::FuncOp beginFunction(llvm::StringRef name, llvm::ArrayRef<mlir::Type> ports,
                                   int64_t scratchBytes, int64_t numTasks,
                                   bool takesPoints = false);
  mlir::Type portMemoryType(unsigned port) const;
  int64_t packedElements(const ContractOperand &operand) const;
  mlir::Value packedStart(const ContractOperand &operand, const TaskBlock &task) const;
  /// Elements from one row of a packed tile to the next, and from one step of the sum to the next.
  int64_t rowPitch() const;
  int64_t stepPitch() const { return roles.rowsAlongSum ? 1 : plan.mr; }
  mlir::Value scratchView(mlir::Value scratch, int64_t &offset, int64_t elements);
  TaskBlock decodeTask(mlir::Value task) const;
  SumBlock decodeSumBlock(mlir::Value block) const;
  void emitTask(const TaskBlock &task);
  void emitSumBlock(const TaskBlock &task, mlir::Value blockIndex);
  void emitTiles(const TaskBlock &task, const SumBlock &sum, mlir::Value blockIndex,
                 mlir::Value panel, const PackedBlock &rows, const PackedBlock &columns);

  // Panels (LowerContractPack.cpp).
  void emitPackRows(const TaskBlock &task, const SumBlock &sum, mlir::Value tile,
                    mlir::Value memory, mlir::Value offset);
  void emitPackRowsByLane(const TaskBlock &task, const SumBlock &sum, mlir::Value firstRow,
                          mlir::Value memory, mlir::Value offset);
  void emitPackRowsAlongSum(const TaskBlock &task, const SumBlock &sum, mlir::Value tile,
                            mlir::Value memory, mlir::Value offset);
  void emitPackColumns(const TaskBlock &task, const SumBlock &sum, mlir::Value panel,
                       mlir::Value memory, mlir::Value offset);
  void emitPackVectors(const TaskBlock &task, const SumBlock &sum, mlir::Value firstColumn,
                       int64_t count, mlir::Value memory, mlir::Value offset);
  /// Nested loops over the steps of a block, the last axis by `lastStep`; `body` gets the step's
  /// number in the block and its coordinate along the last axis, which it assigns itself (null if
  /// nothing is summed).
  void emitSumLoops(llvm::ArrayRef<VectorExpr *> exprs, mlir::Value bodyValue, const SumBlock &sum,
                    int64_t lastStep,
                    llvm::function_ref<void(mlir::Value step, mlir::Value last)> body);
  void assignTask(VectorExpr &expr, const TaskBlock &task, bool withOuter) const;
  mlir::Value toCompute(mlir::Value value);
  mlir::Value laneMask(mlir::Value first, mlir::Value limit, int64_t lanes);
  /// Rows of the kernel, or of the block that the function computes.
  mlir::Value numRows() const;
  /// Each tile has all of its rows.
  bool hasWholeTiles() const;

  // Register tile (LowerContractTile.cpp).
  mlir::func::FuncOp makeTileFunction(llvm::StringRef suffix, int64_t mr,
                                      llvm::ArrayRef<mlir::Type> types);
  /// With rowsInBlock: the tile is the last one and has one row.
  mlir::Value isOneRow(mlir::Value tile);
  void emitTile(mlir::Value tile, mlir::Value rows, mlir::Value rowsOffset, mlir::Value columns,
                mlir::Value columnsOffset, mlir::Value count, mlir::Value blockIndex,
                mlir::Value tileOffset);
  mlir::Value finishedSum(mlir::Value offset);
  void emitEpilogue(const TaskBlock &task, mlir::Value panel, mlir::Value tile,
                    mlir::Value tileOffset);

  mlir::Value loadVector(mlir::Value memory, mlir::Value offset, mlir::VectorType type);
  void storeVector(mlir::Value vector, mlir::Value memory, mlir::Value offset);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const AccessTable &table;
  ContractRoles roles;
  ContractPlan plan;
  int64_t rowBlock; ///< points of the first row axis, of which a call may have fewer; 0: all
  IndexMath math;
  mlir::Type element;          ///< the compute type
  mlir::VectorType vectorType; ///< plan.lanes elements

  // Of the function being emitted.
  llvm::SmallVector<mlir::Value> ports;
  mlir::Value packedRows, packedColumns, sums; ///< scratch, or null
  mlir::Value rowsInBlock;                     ///< with a rowBlock: rows of this call
  mlir::func::FuncOp kernelFunction, tileFunction, rowFunction;
};

} // namespace zyxc
