// How functions and regions are read into e-graphs: FromModule.cpp has the ops with one result,
// FromRegions.cpp those that become calls,
// FromEffects.cpp writes to inputs.
#pragma once
#include "compiler/graph/Callee.h"
#include "compiler/graph/module/FindLayers.h"
#include "compiler/graph/module/FromModule.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace zyxc::graph {

/// Reads one function, or one region of an op of another importer's function.
class Importer {
public:
  explicit Importer(const FromModuleOptions &options, Importer *outer = nullptr)
      : options(options), outer(outer) {}

  Expected<TensorGraph> run(mlir::func::FuncOp function);
  /// The graph of a region: inputs are its arguments and the captures, outputs what it yields.
  Expected<std::shared_ptr<TensorGraph>> run(mlir::Region &region,
                                             llvm::ArrayRef<mlir::Value> captures);

private:
  Status addLeaf(mlir::Value value, std::string name);
  /// All ops of a block but its terminator.
  Status addOps(mlir::Block &block);
  /// Leaves for the parameters of the layers that are read, and what the others have.
  Status addLayers();
  Status addOp(mlir::Operation *op);
  Status addNode(mlir::Operation *op);
  /// Notes an op that was read, for explanations.
  void noteSource(mlir::Operation *op);
  void addGuard(SizeGuard guard);
  Status addOutputs(mlir::func::FuncOp function, mlir::Operation *terminator);

  /// The class of a value; one from outside of a region that follows from constants alone is read
  /// again, so that the region knows its value.
  Expected<ClassId> classOf(mlir::Value value);
  Expected<std::vector<ClassId>> classesOf(mlir::ValueRange values);
  /// The same of the operands of an op, of which some are parameters of its layer.
  Expected<std::vector<ClassId>> operandsOf(mlir::Operation *op);
  /// True if a region reads the value again instead of taking it as an input.
  bool isReadAgain(mlir::Value value);

  Status addIf(zyx::IfOp op);
  Status addLoop(zyx::LoopOp op);
  Status addKernel(zyx::KernelOp op);
  Status addCustom(zyx::CustomOp op);
  /// The results of a custom op's decomposition, which is read here.
  Expected<std::vector<ClassId>> readDecomposition(zyx::CustomOp op,
                                                   llvm::ArrayRef<ClassId> operands);
  Status addAssign(zyx::AssignOp op);
  Status addAfter(zyx::AfterOp op);
  /// Values from outside that regions use and take as inputs, in the order of their first use.
  llvm::SmallVector<mlir::Value> capturesOf(mlir::Operation *op);
  /// The graph of a region of an op of this function, which runs at most so many times (a size).
  Expected<std::shared_ptr<TensorGraph>>
  readRegion(mlir::Region &region, llvm::ArrayRef<mlir::Value> captures, int64_t times);
  /// Reads the ops of a block here; its terminator's operands are the results.
  Expected<std::vector<ClassId>> readInPlace(mlir::Block &block);
  void setResults(mlir::Operation *op, llvm::ArrayRef<ClassId> results);
  /// Adds a node for each result of the op.
  Status addCall(mlir::Operation *op, llvm::ArrayRef<ClassId> operands, Callee callee);

  FromModuleOptions options;
  Importer *outer;
  TensorGraph graph;
  llvm::DenseMap<mlir::Value, ClassId> classes;
  const FunctionLayers *layers = nullptr;        ///< null in regions
  llvm::DenseMap<mlir::Value, bool> readAgain;   ///< answers of isReadAgain
  llvm::DenseMap<mlir::Value, ClassId> contents; ///< of written inputs, after the last write
  llvm::DenseMap<mlir::Operation *, ClassId> contentAfter; ///< by the assign
  llvm::SmallVector<mlir::Operation *> reading;  ///< decompositions that are read just now
  llvm::DenseMap<mlir::Value, int32_t> sourceOf; ///< as in SourceOp::operands
  /// What the last op stands for besides its operands: captures, or the results of the block that
  /// was read in its place.
  llvm::SmallVector<mlir::Value> alsoRead;
};

} // namespace zyxc::graph
