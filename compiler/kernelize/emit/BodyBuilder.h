// The body of a zyxk kernel from a program's values.
#pragma once
#include "compiler/kernelize/emit/AffineSizes.h"
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "dialects/zyxk/scalar/ScalarBody.h"
#include "mlir/IR/Builders.h"

namespace zyxc::kernelize {

/// Writes one kernel. The kernel and the program must outlive it.
class BodyBuilder {
public:
  /// `kernel` has the program's ports and axes, in order, and an empty body.
  BodyBuilder(mlir::OpBuilder &builder, zyxk::KernelOp kernel, const Program &program);

  /// Emits all values and stores.
  void build();

private:
  mlir::Value emit(const Value &value);
  mlir::Value emitLiteral(const Value &value);
  mlir::Value emitLoad(const Value &value);
  mlir::Value emitReduce(const Value &value);
  mlir::Value clampToFinite(OpKind kind, mlir::Value extreme);
  mlir::Value emitScan(const Value &value);
  mlir::Value emitSoftmaxSum(const Value &value);
  void emitRoutine();
  mlir::Value contractOperand(ValueId operand, DType accumulate);
  mlir::Value convert(mlir::Value value, DType from, DType to);
  mlir::Value emitElementwise(const Value &value);
  mlir::Value emitWhere(const Value &value);
  void emitStore(const Store &store);
  /// An index expression over axes as an SSA value of type index.
  mlir::Value emitIndex(const IndexExpr &expr);
  mlir::Value emitSize(int64_t size);
  mlir::Value emitFactor(const dim::Factor &factor);
  mlir::Value emitAtom(const IndexAtom &atom);
  /// Dims of the result are the kernel's axes, then SSA coordinates.
  mlir::AffineMap coordinateMap(const std::vector<IndexExpr> &coords, size_t numOperands) const;
  mlir::IntegerSet guardSet(const std::vector<Constraint> &guard) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  zyxk::KernelOp kernel;
  const Program &program;
  AffineSizes sizes;
  std::vector<mlir::Value> values; ///< by ValueId, as body scalars
};

} // namespace zyxc::kernelize
