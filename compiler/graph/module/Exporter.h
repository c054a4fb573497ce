// How graphs are written as ops: ToModule.cpp has functions and nodes, ToRegions.cpp calls.
#pragma once
#include "compiler/graph/Choice.h"
#include "dialects/zyx/IR/MlirGraphBuilder.h"
#include "dialects/zyx/IR/ZyxDialect.h"

namespace zyxc::graph {

/// Writes a graph at the insertion point of a builder.
class Exporter {
public:
  Exporter(mlir::OpBuilder &builder, const TensorGraph &graph, Choice choice)
      : builder(builder), graph(graph), choice(std::move(choice)),
        ops(builder, builder.getUnknownLoc()) {}

  /// The values of the graph's outputs, from those of its inputs.
  Expected<llvm::SmallVector<mlir::Value>> run(mlir::ValueRange inputs);

private:
  Status addNode(ClassId cls, NodeId node);
  Expected<mlir::Operation *> makeCall(const Callee &callee, mlir::ValueRange operands,
                                       mlir::Location location);
  Expected<mlir::Operation *> makeIf(const Callee &callee, mlir::ValueRange operands,
                                     mlir::Location location);
  Expected<mlir::Operation *> makeLoop(const Callee &callee, mlir::ValueRange operands,
                                       mlir::Location location);
  Expected<mlir::Operation *> makeCustom(const Callee &callee, mlir::ValueRange operands,
                                         mlir::Location location);
  Expected<mlir::Operation *> makeKernel(const Callee &callee, mlir::ValueRange operands,
                                         mlir::Location location);
  Status fillRegion(mlir::Region &region, const TensorGraph &body, mlir::TypeRange arguments,
                    mlir::ValueRange captures);
  llvm::SmallVector<mlir::Type> typesOf(llvm::ArrayRef<ClassId> classes) const;
  bool isMade(ClassId cls) const { return values[cls].id != GraphValue().id; }

  mlir::OpBuilder &builder;
  const TensorGraph &graph;
  Choice choice;
  zyx::MlirGraphBuilder ops;
  std::vector<GraphValue> values; ///< by canonical class
};

} // namespace zyxc::graph
