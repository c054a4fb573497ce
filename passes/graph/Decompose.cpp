// zyx-decompose: composites become primitives, by the decompositions of dialects/zyx/semantics.
#include "dialects/zyx/IR/MlirGraphBuilder.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "passes/graph/Passes.h"

namespace zyxc {

#define GEN_PASS_DEF_DECOMPOSEPASS
#include "passes/graph/Passes.h.inc"

namespace {

/// The kinds that have a decomposition: composites, and contract.
bool hasDecomposition(OpKind kind) {
  return isComposite(kind) || kind == OpKind::Contract;
}

struct DecomposePass : impl::DecomposePassBase<DecomposePass> {
  using DecomposePassBase::DecomposePassBase;

  llvm::LogicalResult initialize(mlir::MLIRContext *context) override {
    picked.assign(numOpKinds(), false);
    for (const std::string &mnemonic : ops) {
      std::optional<OpKind> kind = parseOpKind(mnemonic);
      if (!kind || !hasDecomposition(*kind)) {
        return mlir::emitError(mlir::UnknownLoc::get(context))
               << "zyx-decompose: '" << mnemonic << "' names no op with a decomposition";
      }
      picked[static_cast<size_t>(*kind)] = true;
    }
    return mlir::success();
  }

  void runOnOperation() override {
    // Decompositions may hold composites of their own: walk until nothing is left.
    for (bool changed = true; changed;) {
      llvm::SmallVector<mlir::Operation *> worklist;
      getOperation()->walk([&](mlir::Operation *op) {
        if (isPicked(op)) {
          worklist.push_back(op);
        }
      });
      changed = !worklist.empty();
      for (mlir::Operation *op : worklist) {
        if (failed(replace(op))) {
          return signalPassFailure();
        }
      }
    }
  }

private:
  bool isPicked(mlir::Operation *op) const {
    std::optional<OpKind> kind = zyx::kindOf(op);
    return kind && (ops.empty() ? isComposite(*kind) : picked[static_cast<size_t>(*kind)]);
  }

  static llvm::LogicalResult replace(mlir::Operation *op) {
    Expected<Attrs> attrs = zyx::attrsOf(op);
    if (!attrs) {
      return op->emitError(attrs.error().message());
    }
    mlir::OpBuilder builder(op);
    zyx::MlirGraphBuilder graph(builder, op->getLoc());
    llvm::SmallVector<GraphValue> operands;
    for (mlir::Value operand : op->getOperands()) {
      operands.push_back(graph.wrap(operand));
    }
    GraphValue result = decompose(graph, *zyx::kindOf(op), operands, *attrs);
    op->getResult(0).replaceAllUsesWith(graph.valueOf(result));
    op->erase();
    return mlir::success();
  }

  std::vector<bool> picked; // by kind
};

} // namespace
} // namespace zyxc
