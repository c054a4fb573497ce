// Makes a BodyGraph from the ops of a kernel: domain and ports in BodyGraph.cpp, body ops in
// BodyOps.cpp.
#pragma once
#include "compiler/interp/kernel/BodyGraph.h"
#include "llvm/ADT/DenseMap.h"

namespace zyxc::kernelinterp {

/// How the interpreter holds values of a type; Unsupported if it has none of that type.
Expected<ScalarType> scalarTypeOf(mlir::Type type);

/// The function of a scalar op of arith or math; null if the interpreter does not know it.
ScalarFn scalarFunctionOf(mlir::Operation &op);
/// A constant of a type as a value.
Word wordOf(mlir::Attribute constant, ScalarType type);

class GraphBuilder {
public:
  explicit GraphBuilder(zyxk::KernelOp kernel) : kernel(kernel) {}

  /// In this order. Dims are checked against what the kernel assumes.
  Status addDims(std::span<const int64_t> dims);
  Status addAxes();
  Status addPorts();
  Status addBody();

  BodyGraph graph;

private:
  NodeId add(Node node);
  NodeId constant(ScalarType type, Word value);
  NodeId integer(int64_t value);
  NodeId axis(unsigned position);
  NodeId scalar(ScalarFn fn, ScalarType result, std::vector<NodeId> operands);
  NodeId where(NodeId condition, NodeId inside, NodeId outside);
  /// Adds a root and gives its result.
  NodeId result(Root root);
  NodeId reduce(zyxk::ReduceKind monoid, NodeId value, AxisSet reduced, uint16_t source);

  /// The expression with the dims' values.
  mlir::AffineExpr bound(mlir::AffineExpr expr);
  /// A bound expression; dims beyond the axes are `coords`.
  NodeId affine(mlir::AffineExpr expr, llvm::ArrayRef<NodeId> coords);
  Coordinate coordinate(mlir::AffineExpr expr, llvm::ArrayRef<NodeId> coords);
  NodeId condition(mlir::AffineExpr expr, bool isEquality);
  NodeId condition(mlir::IntegerSet set);
  uint16_t sourceOf(mlir::Operation *op);

  Status addOp(mlir::Operation &op);
  Status addConstant(mlir::Operation &op);
  Status addLoad(zyxk::LoadOp load);
  Status addStore(zyxk::StoreOp store);
  Status addReduce(zyxk::ReduceOp reduce);
  Status addContract(zyxk::ContractOp contract);
  Status addExpsum(zyxk::ExpsumOp expsum);
  Status addWelford(zyxk::WelfordOp welford);
  Status addScan(zyxk::ScanOp scan);
  Status addFold(zyxk::FoldOp fold);
  Status addRoutine(zyxk::OpaqueOp opaque);
  Status addScalar(mlir::Operation &op);
  std::vector<Coordinate> coordinates(mlir::AffineMap map, mlir::ValueRange coords);

  zyxk::KernelOp kernel;
  llvm::SmallVector<mlir::AffineExpr> dimConstants;
  llvm::DenseMap<mlir::Value, NodeId> nodes;
};

} // namespace zyxc::kernelinterp
