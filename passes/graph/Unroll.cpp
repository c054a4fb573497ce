// zyx-unroll: both branches and all iterations, one after the other.
#include "passes/graph/Unroll.h"
#include "dialects/zyx/IR/MlirGraphBuilder.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/graph/Passes.h"
#include "runtime/core/Dim.h"

namespace zyxc {

#define GEN_PASS_DEF_UNROLLPASS
#include "passes/graph/Passes.h.inc"

using namespace zyx;

namespace {

/// Writes what stands for one op, before it.
class Unroller {
public:
  explicit Unroller(mlir::Operation *op) : builder(op), graph(builder, op->getLoc()) {}

  void branch(IfOp op);
  void loop(LoopOp op, int64_t limit);

private:
  mlir::Value constant(const Tensor &value) { return graph.valueOf(graph.constant(value)); }
  mlir::Value chosen(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value zero(mlir::Value like) { return graph.valueOf(graph.splatLike(graph.wrap(like), 0)); }
  mlir::Value stacked(llvm::ArrayRef<mlir::Value> rows);

  mlir::OpBuilder builder;
  MlirGraphBuilder graph;
};

} // namespace

static bool isAlways(mlir::Value condition) {
  mlir::DenseElementsAttr value;
  return mlir::matchPattern(condition, mlir::m_Constant(&value)) && value.getSplatValue<bool>();
}

/// x where a condition of rank 0 holds, else y.
mlir::Value Unroller::chosen(mlir::Value condition, mlir::Value x, mlir::Value y) {
  if (x == y) {
    return x;
  }
  GraphValue first = graph.wrap(x);
  GraphValue holds = graph.broadcast(graph.wrap(condition), graph.typeOf(first).shape);
  return graph.valueOf(graph.select(holds, first, graph.wrap(y)));
}

mlir::Value Unroller::stacked(llvm::ArrayRef<mlir::Value> rows) {
  std::vector<GraphValue> parts;
  for (mlir::Value row : rows) {
    GraphValue value = graph.wrap(row);
    Shape shape = graph.typeOf(value).shape;
    shape.insert(shape.begin(), 1);
    parts.push_back(graph.reshape(value, std::move(shape)));
  }
  return graph.valueOf(parts.size() == 1 ? parts[0]
                                         : graph.op(OpKind::Concat, parts, {{"axis", int64_t(0)}}));
}

void Unroller::branch(IfOp op) {
  llvm::SmallVector<mlir::Value> values[2];
  for (mlir::Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    mlir::Block &block = region->front();
    values[region == &op.getElseRegion()] = block.getTerminator()->getOperands();
    block.getTerminator()->erase();
    op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations());
  }
  for (auto [result, x, y] : llvm::zip_equal(op.getResults(), values[0], values[1])) {
    result.replaceAllUsesWith(chosen(op.getCondition(), x, y));
  }
}

void Unroller::loop(LoopOp op, int64_t limit) {
  mlir::Block &body = op.getBody().front();
  llvm::SmallVector<mlir::Value> carried(op.getInits());
  std::vector<llvm::SmallVector<mlir::Value>> rows(op.collected().size());
  mlir::Value active = op.getFirst(); // whether it still runs
  for (int64_t i = 0; i < limit; ++i) {
    mlir::IRMapping mapping;
    mapping.map(body.getArgument(0), constant(Tensor::scalarInt(DType::I64, i)));
    mapping.map(body.getArguments().drop_front(), carried);
    for (mlir::Operation &inner : body.without_terminator()) {
      builder.clone(inner, mapping);
    }
    llvm::SmallVector<mlir::Value> yielded;
    for (mlir::Value value : body.getTerminator()->getOperands()) {
      yielded.push_back(mapping.lookupOrDefault(value));
    }
    bool runs = isAlways(active);
    for (size_t k = 0; k < carried.size(); ++k) {
      carried[k] = runs ? yielded[1 + k] : chosen(active, yielded[1 + k], carried[k]);
    }
    for (size_t k = 0; k < rows.size(); ++k) {
      mlir::Value row = yielded[1 + carried.size() + k];
      rows[k].push_back(runs ? row : chosen(active, row, zero(row)));
    }
    if (!isAlways(yielded[0])) {
      active =
          runs ? yielded[0]
               : graph.valueOf(graph.op(OpKind::And, {graph.wrap(active), graph.wrap(yielded[0])}));
    }
  }
  for (const auto &list : rows) {
    carried.push_back(stacked(list));
  }
  op->replaceAllUsesWith(carried);
}

static int64_t opsOf(mlir::Operation *op) {
  int64_t count = 0;
  op->walk([&](mlir::Operation *) { ++count; });
  return count;
}

void unrollRegions(mlir::func::FuncOp function) {
  llvm::SmallVector<mlir::Operation *> worklist; // inner ones first
  function.walk([&](mlir::Operation *op) {
    if (llvm::isa<IfOp, LoopOp>(op)) {
      worklist.push_back(op);
    }
  });
  int64_t total = opsOf(function);
  for (mlir::Operation *op : worklist) {
    if (!mlir::isMemoryEffectFree(op)) {
      continue;
    }
    if (auto branch = llvm::dyn_cast<IfOp>(op)) {
      Unroller(op).branch(branch);
      op->erase();
      continue;
    }
    auto loop = llvm::cast<LoopOp>(op);
    auto limit = static_cast<int64_t>(loop.getLimit());
    if (dim::isSymbolic(limit) || limit < 1 || limit > mostUnrolledIterations ||
        total + limit * opsOf(op) > mostUnrolledOps) {
      continue;
    }
    total += limit * opsOf(op);
    Unroller(op).loop(loop, limit);
    op->erase();
  }
}

namespace {

struct UnrollPass : impl::UnrollPassBase<UnrollPass> {
  void runOnOperation() override { unrollRegions(getOperation()); }
};

} // namespace
} // namespace zyxc
