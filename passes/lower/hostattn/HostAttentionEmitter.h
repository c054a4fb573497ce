// Emits the code of attention on the host. HostAttentionTask.cpp has tasks, blocks and packing,
// HostAttentionSoftmax.cpp the softmax of a block and the epilogue.
#pragma once
#include "passes/lower/HostKernel.h"
#include "passes/lower/contract/LowerContractLoops.h"
#include "passes/lower/emit/AttentionRoles.h"
#include "passes/lower/emit/VectorExpr.h"
#include "passes/lower/hostattn/HostAttentionPlan.h"

namespace zyxc {

/// How a kernel is attention.
struct HostAttentionProblem {
  AttentionRoles roles;
  KeyWindow window;
  bool keysInPlace = false; ///< scalars are read from the port
  bool valuesInPlace = false;

  /// Nothing if this family does not take the kernel.
  static std::optional<HostAttentionProblem> find(zyxk::KernelOp kernel, unsigned vectorBits);
  HostAttentionSizes sizes(const AccessTable &table, unsigned vectorBits) const;
};

class HostAttentionEmitter {
public:
  HostAttentionEmitter(mlir::OpBuilder &builder, const AccessTable &table,
                       const HostAttentionProblem &problem, const HostAttentionPlan &plan);

  /// Emits the function beside the kernel.
  void emit();

private:
  using Value = mlir::Value;

  /// Scratch memory of a task, in elements of the type of scores and sums.
  struct Scratch {
    Value queries;   ///< [panels][groups][depth][queries of a group]
    Value queryRows; ///< [panel][depth]: queries before they are transposed
    Value scores;    ///< [keyRows + keyBlock][scorePitch], then weights; row keyRows is key 0
    Value outputs;   ///< [panels][panel][columns]
    Value maxima;    ///< [panels][panel]
    Value sums;      ///< [panels][panel]
    Value factors;   ///< [lanes]
    Value keys;      ///< [keyRows + keyBlock][keyPitch], if packed
    Value values;    ///< [keyBlock][columns], if packed
  };
  /// A panel of queries, and the keys of the block that it sees.
  struct Panel {
    Value index;      ///< in the task
    Value firstQuery; ///< of all queries
    Value count;      ///< queries
    Value lo, hi;     ///< keys
  };

  // Tasks (HostAttentionTask.cpp).
  void createKernel();
  void emitTileFunctions();
  void emitTask(Value task);
  void emitQueries(const Panel &panel);
  void emitTransposed(const Panel &panel);
  void emitInitial(const Panel &panel);
  void emitKeyBlock(Value firstKey);
  void emitPack(const AttentionOperand &operand, unsigned column, Value firstKey, Value memory,
                int64_t firstRow, int64_t pitch);
  void emitPanelBlock(Panel panel, Value firstKey);
  void emitScores(const Panel &panel, Value firstKey);
  void emitOutputs(const Panel &panel, Value firstKey);
  Panel panelAt(Value index);
  /// Where the element of an operand at key 0, column 0 lies in its port.
  Value portOffset(const AttentionOperand &operand);
  int64_t strideAlong(const AttentionOperand &operand, unsigned axis) const;

  // Softmax (HostAttentionSoftmax.cpp).
  void emitSoftmax(const Panel &panel, Value firstKey);
  void emitSoftmaxVector(const Panel &panel, Value firstKey, Value vector);
  /// These return the largest logit of each lane.
  Value emitMaxima(const Panel &panel, Value firstKey, Value column, bool masked);
  Value emitScaledLogits(const Panel &panel, Value firstKey, Value column);
  Value emitLogits(const Panel &panel, Value firstKey, Value column);
  Value emitRescale(const Panel &panel, Value column, Value old, Value maximum, Value sum);
  Value emitWeights(const Panel &panel, Value firstKey, Value column, Value maximum, Value sum);
  void emitEpilogue(const Panel &panel);
  void emitRow(const Panel &panel, Value row);
  /// The lanes of `column` that see a key; null if that is all of them.
  Value visible(const Panel &panel, Value column, Value key);
  /// Whether some lane of `column` does not see all keys of the panel's block; null: never.
  Value needsMask(const Panel &panel, Value column);
  /// The logits are a constant times the scores.
  bool isScaled() const { return roles.scale.has_value(); }

  // Values.
  Value add(Value a, int64_t b) { return math.add(a, math.constant(b)); }
  Value lesser(Value a, Value b);
  Value greater(Value a, Value b);
  Value load(Value memory, Value at);
  void store(Value value, Value memory, Value at);
  Value splat(Value scalar);
  Value constant(double value);
  Value fadd(Value a, Value b);
  Value fsub(Value a, Value b);
  Value fmul(Value a, Value b);
  Value fmax(Value a, Value b);
  /// e^((a - b) * scale of the logits)
  Value weight(Value a, Value b);
  /// In the type of the scores.
  Value widen(Value value);
  /// The lanes whose index first + lane is below `limit`; null if all are, for any first.
  Value lanesBelow(Value first, int64_t limit, int64_t unit);
  /// A loop that carries values.
  llvm::SmallVector<Value>
  carry(Value lo, Value hi, int64_t step, llvm::ArrayRef<Value> init,
        llvm::function_ref<llvm::SmallVector<Value>(Value at, mlir::ValueRange values)> body);
  void loop(Value lo, Value hi, int64_t step, llvm::function_ref<void(Value)> body) {
    emitLoop(builder, loc, lo, hi, step, body);
  }
  /// Where the scores of a key begin, less the column.
  Value scoreRow(Value key, Value firstKey);
  int64_t keyPitch() const;
  int64_t transposedDepth() const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const AccessTable &table;
  const HostAttentionProblem &problem;
  const AttentionRoles &roles;
  const HostAttentionPlan &plan;
  IndexMath math;
  int64_t queries, keys, depth, width;
  mlir::FloatType element;
  mlir::VectorType vectorType;
  HostKernel host;
  Scratch scratch;
  std::optional<VectorExpr> expr;
  mlir::func::FuncOp scoreTile, outputTile;
  // Of the task being emitted.
  Value firstQuery, numQueries;
  Value keyOffset, valueOffset; ///< in the ports, if they are read in place
};

} // namespace zyxc
