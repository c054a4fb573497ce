// A GraphBuilder that creates zyx ops in MLIR: importers and decompositions write through it.
#pragma once
#include "dialects/zyx/semantics/RegionBuilder.h"
#include "mlir/IR/Builders.h"
#include <deque>

namespace zyxc::zyx {

/// Creates ops at the insertion point of an OpBuilder, which it does not own. The zyx dialect must
/// be loaded in the builder's context. Constants are created outside of all regions, so that they
/// are visible after them, too.
class MlirGraphBuilder : public RegionBuilder {
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

  std::vector<GraphValue> beginRegion(std::span<const TensorType> arguments) override;
  Region endRegion(std::span<const GraphValue> yielded) override;
  void drop(Region region) override;
  void splice(Region region) override;
  std::vector<GraphValue> branch(GraphValue condition, Region taken, Region other) override;
  std::vector<GraphValue> loop(int64_t limit, GraphValue first, std::span<const GraphValue> inits,
                               Region body) override;

protected:
  GraphValue addOp(OpKind kind, std::span<const GraphValue> operands, Attrs attrs,
                   TensorType type) override;

private:
  GraphValue append(mlir::Value value, TensorType type);
  std::unique_ptr<mlir::Region> take(Region region);
  std::vector<GraphValue> appendResults(mlir::Operation *op);

  mlir::OpBuilder &builder;
  mlir::Location location;
  std::vector<mlir::Value> values;
  std::deque<TensorType> types; // stable references
  llvm::DenseMap<mlir::Value, uint32_t> ids;
  std::vector<std::unique_ptr<mlir::Region>> regions; // by id; those that are taken are null
  std::vector<uint32_t> open;                         // regions that were begun, ids
  std::vector<mlir::OpBuilder::InsertPoint> outside;  // where each of these began
};

} // namespace zyxc::zyx
