// Rewrites a GPU function so that every value is a scalar that SPIR-V has: vectors become one
// scalar a lane (GPUs compute lane by lane anyway; only memory accesses stay wide), bf16 becomes
// i16 with arithmetic through f32, memory becomes addresses and variables (SpirvMemory). What has
// no form here is an error at its place.
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/pipelines/spirv/SpirvMemory.h"

namespace zyxc {

class LaneRewriter {
public:
  LaneRewriter(mlir::gpu::GPUModuleOp module, bool wideIndex, unsigned subgroupSize)
      : memory(module, wideIndex), subgroupSize(subgroupSize), b(module.getContext()) {}

  /// Replaces `function` by one without arguments, vectors and memrefs.
  mlir::LogicalResult run(mlir::gpu::GPUFuncOp function);

private:
  mlir::LogicalResult rewriteBody(mlir::Block &block);
  mlir::LogicalResult rewrite(mlir::Operation *op);
  // Control flow.
  mlir::LogicalResult rewriteFor(mlir::scf::ForOp op);
  mlir::LogicalResult rewriteIf(mlir::scf::IfOp op);
  mlir::LogicalResult rewriteWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult rewriteRegion(mlir::Region &from, mlir::Region &to);
  // Values.
  mlir::LogicalResult rewriteSubgroupId(mlir::Operation *op);
  mlir::LogicalResult rewriteConstant(mlir::Operation *op, mlir::Attribute value);
  mlir::LogicalResult rewriteElementwise(mlir::Operation *op);
  mlir::FailureOr<mlir::Value> rewriteLane(mlir::Operation *op, mlir::ValueRange operands,
                                           unsigned result);
  mlir::LogicalResult rewriteMemory(mlir::Operation *op);
  mlir::LogicalResult rewriteVector(mlir::Operation *op);
  mlir::LogicalResult rewriteExtract(mlir::Operation *op);
  mlir::LogicalResult rewriteStrided(mlir::Operation *op);
  mlir::LogicalResult rewriteReduction(mlir::Operation *op);
  mlir::LogicalResult rewriteShuffle(mlir::gpu::ShuffleOp op);
  mlir::Value shuffleLane(mlir::Location loc, mlir::Value value, mlir::Value source, bool isXor);

  const Lanes &lanesOf(mlir::Value value);
  mlir::Value scalarOf(mlir::Value value) { return lanesOf(value).front(); }
  Lanes scalarsOf(mlir::ValueRange values);
  Lanes flatten(mlir::ValueRange values);
  void take(mlir::ValueRange from, mlir::ValueRange to);
  mlir::Value widen(mlir::Location loc, mlir::Value lane, mlir::Type type);
  mlir::Value narrow(mlir::Location loc, mlir::Value lane, mlir::Type type);

  SpirvMemory memory;
  unsigned subgroupSize;
  unsigned threads = 1; ///< of a workgroup
  mlir::OpBuilder b;
  llvm::StringRef name;
  llvm::DenseMap<mlir::Value, Lanes> lanes;
};

} // namespace zyxc
