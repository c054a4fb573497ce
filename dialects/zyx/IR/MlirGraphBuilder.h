// A GraphBuilder that creates zyx ops in MLIR: importers and decompositions write through it.
#pragma once
#include "dialects/zyx/semantics/GraphBuilder.h"
#include "mlir/IR/Builders.h"
#include <deque>

namespace zyxc::zyx {

/// Creates ops at the insertion point of an OpBuilder, which it does not own. The zyx dialect must
/// be loaded in the builder's context.
class MlirGraphBuilder : public GraphBuilder {
public:
  MlirGraphBuilder(mlir::OpBuilder &builder, mlir::Location location)
      : builder(builder), location(location) {}

  /// Location of the ops created from now on: NameLoc of the source node.
  void setLocation(mlir::Location newLocation) { location = newLocation; }

  /// A value from outside, so that it can be an operand; the same value gives the same GraphValue.
  /// Its type must have a TensorType (toTensorType): use tryWrap for user input.
  GraphValue wrap(mlir::Value value);
  Expected<GraphValue> tryWrap(mlir::Value value);
  mlir::Value valueOf(GraphValue value) const { return values[value.id]; }

  const TensorType &typeOf(GraphValue value) const override { return types[value.id]; }

protected:
  GraphValue addOp(OpKind kind, std::span<const GraphValue> operands, Attrs attrs,
                   TensorType type) override;

private:
  GraphValue append(mlir::Value value, TensorType type);

  mlir::OpBuilder &builder;
  mlir::Location location;
  std::vector<mlir::Value> values;
  std::deque<TensorType> types; // stable references
  llvm::DenseMap<mlir::Value, uint32_t> ids;
};

} // namespace zyxc::zyx
