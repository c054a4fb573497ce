// The text of a program: its ops in a row, or some of them in a region, and its first output stored
// into an input. None of this changes a value.
#include "dialects/zyx/IR/MlirGraphBuilder.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "test/fuzz/graphs/Check.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <numeric>

namespace zyxc::fuzz {

namespace {

class TextWriter {
public:
  explicit TextWriter(const Graph &graph) : graph(graph), values(graph.nodes.size()) {
    context.loadDialect<zyx::ZyxDialect, mlir::func::FuncDialect>();
  }
  std::string run();

private:
  mlir::Type typeOf(uint32_t node) { return zyx::toMlirType(&context, graph.nodes[node].type); }
  void makeFunction();
  void addNode(uint32_t node);
  void addRegion();
  mlir::ValueRange makeRegion(const std::vector<uint32_t> &inside,
                              const std::vector<uint32_t> &results);
  zyx::IfOp makeIf(mlir::Value condition, mlir::TypeRange types);
  zyx::LoopOp makeLoop(int64_t limit, mlir::ValueRange inits, mlir::TypeRange types);
  void yield(mlir::Region &region, mlir::ValueRange list);
  llvm::SmallVector<mlir::Value> addAll(const std::vector<uint32_t> &inside,
                                        const std::vector<uint32_t> &results);
  llvm::SmallVector<mlir::Value> zeros(const std::vector<uint32_t> &results);
  llvm::SmallVector<mlir::Value> storeFirst(llvm::SmallVector<mlir::Value> returned);
  mlir::Value isNot(mlir::Value condition);

  const Graph &graph;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OpBuilder builder{&context};
  mlir::Location location = builder.getUnknownLoc();
  zyx::MlirGraphBuilder ops{builder, location};
  mlir::func::FuncOp function;
  std::vector<GraphValue> values; ///< by node
  mlir::Value go;                 ///< true, but only the run tells
};

/// Nodes of the region, by number.
std::vector<uint32_t> nodesInside(const Graph &graph) {
  std::vector<uint32_t> inside;
  for (uint32_t node = 0; node < graph.nodes.size(); ++node) {
    if (graph.nodes[node].inRegion) {
      inside.push_back(node);
    }
  }
  return inside;
}

/// Nodes of the region that something outside needs.
std::vector<uint32_t> resultsOf(const Graph &graph) {
  std::vector<uint32_t> results;
  auto need = [&](uint32_t node) {
    if (graph.nodes[node].inRegion && std::ranges::find(results, node) == results.end()) {
      results.push_back(node);
    }
  };
  for (const Node &node : graph.nodes) {
    if (!node.inRegion) {
      std::ranges::for_each(node.operands, need);
    }
  }
  std::ranges::for_each(graph.outputs, need);
  return results;
}

} // namespace

void TextWriter::makeFunction() {
  llvm::SmallVector<mlir::Type> arguments, results;
  for (uint32_t node = 0; node < graph.nodes.size(); ++node) {
    if (graph.nodes[node].kind == OpKind::Leaf) {
      arguments.push_back(typeOf(node));
    }
  }
  if (graph.hasRegion()) {
    arguments.push_back(zyx::toMlirType(&context, {DType::Bool, {}}));
  }
  for (uint32_t output : graph.outputs) {
    results.push_back(typeOf(output));
  }
  if (graph.storesFirst) {
    arguments.push_back(results.front());
  }
  function = mlir::func::FuncOp::create(builder, location, "main",
                                        builder.getFunctionType(arguments, results));
  builder.setInsertionPointToStart(function.addEntryBlock());
  unsigned next = 0;
  for (uint32_t node = 0; node < graph.nodes.size(); ++node) {
    if (graph.nodes[node].kind == OpKind::Leaf) {
      values[node] = ops.wrap(function.getArgument(next++));
    }
  }
  if (graph.hasRegion()) {
    go = function.getArgument(next);
  }
}

void TextWriter::addNode(uint32_t node) {
  std::vector<GraphValue> operands;
  for (uint32_t operand : graph.nodes[node].operands) {
    operands.push_back(values[operand]);
  }
  values[node] = ops.op(graph.nodes[node].kind, operands, graph.nodes[node].attrs);
}

llvm::SmallVector<mlir::Value> TextWriter::addAll(const std::vector<uint32_t> &inside,
                                                  const std::vector<uint32_t> &results) {
  std::ranges::for_each(inside, [&](uint32_t node) { addNode(node); });
  llvm::SmallVector<mlir::Value> list;
  for (uint32_t node : results) {
    list.push_back(ops.valueOf(values[node]));
  }
  return list;
}

llvm::SmallVector<mlir::Value> TextWriter::zeros(const std::vector<uint32_t> &results) {
  llvm::SmallVector<mlir::Value> list;
  for (uint32_t node : results) {
    const TensorType &type = graph.nodes[node].type;
    GraphValue zero = ops.constant(Tensor::zeros({type.dtype, {}}));
    list.push_back(ops.valueOf(ops.broadcast(zero, type.shape)));
  }
  return list;
}

mlir::Value TextWriter::isNot(mlir::Value condition) {
  GraphValue no = ops.constant(Tensor::scalarInt(DType::Bool, 0));
  return ops.valueOf(ops.op(OpKind::Eq, {ops.wrap(condition), no}));
}

zyx::IfOp TextWriter::makeIf(mlir::Value condition, mlir::TypeRange types) {
  auto op = zyx::IfOp::create(builder, location, types, condition);
  op.getThenRegion().emplaceBlock();
  op.getElseRegion().emplaceBlock();
  return op;
}

zyx::LoopOp TextWriter::makeLoop(int64_t limit, mlir::ValueRange inits, mlir::TypeRange types) {
  auto op = zyx::LoopOp::create(builder, location, types, go, inits, static_cast<uint64_t>(limit));
  mlir::Block &block = op.getBody().emplaceBlock();
  block.addArgument(zyx::toMlirType(&context, {DType::I64, {}}), location);
  for (mlir::Value init : inits) {
    block.addArgument(init.getType(), location);
  }
  return op;
}

/// Ends a region of a builder that stands in it.
void TextWriter::yield(mlir::Region &region, mlir::ValueRange list) {
  builder.setInsertionPointToEnd(&region.front());
  zyx::YieldOp::create(builder, location, list);
}

mlir::ValueRange TextWriter::makeRegion(const std::vector<uint32_t> &inside,
                                        const std::vector<uint32_t> &results) {
  llvm::SmallVector<mlir::Type> types;
  for (uint32_t node : results) {
    types.push_back(typeOf(node));
  }
  auto fill = [&](mlir::Region &region, auto make, bool withCondition) {
    builder.setInsertionPointToStart(&region.front());
    llvm::SmallVector<mlir::Value> list = make();
    if (withCondition) {
      list.insert(list.begin(), go);
    }
    yield(region, list);
  };
  auto all = [&] {
    return addAll(inside, results);
  };
  auto none = [&] {
    return zeros(results);
  };
  switch (graph.region) {
  case Graph::Region::Then: {
    zyx::IfOp op = makeIf(go, types);
    fill(op.getThenRegion(), all, false);
    fill(op.getElseRegion(), none, false);
    return op.getResults();
  }
  case Graph::Region::Else: {
    zyx::IfOp op = makeIf(isNot(go), types);
    fill(op.getThenRegion(), none, false);
    fill(op.getElseRegion(), all, false);
    return op.getResults();
  }
  case Graph::Region::Carried: {
    zyx::LoopOp op = makeLoop(2, none(), types);
    fill(op.getBody(), all, true);
    return op.getResults();
  }
  case Graph::Region::Collected: {
    for (auto [node, type] : llvm::zip_equal(results, types)) {
      TensorType rows = graph.nodes[node].type;
      rows.shape.insert(rows.shape.begin(), 1);
      type = zyx::toMlirType(&context, rows);
    }
    zyx::LoopOp op = makeLoop(1, {}, types);
    fill(op.getBody(), all, true);
    return op.getResults();
  }
  case Graph::Region::IfInLoop: break;
  }
  zyx::LoopOp loop = makeLoop(2, none(), types);
  builder.setInsertionPointToStart(&loop.getBody().front());
  zyx::IfOp branch = makeIf(go, types);
  fill(branch.getThenRegion(), all, false);
  yield(branch.getElseRegion(), loop.getBody().getArguments().drop_front());
  llvm::SmallVector<mlir::Value> list{go};
  llvm::append_range(list, branch.getResults());
  yield(loop.getBody(), list);
  return loop.getResults();
}

void TextWriter::addRegion() {
  std::vector<uint32_t> results = resultsOf(graph);
  mlir::Block *block = builder.getInsertionBlock();
  mlir::ValueRange made = makeRegion(nodesInside(graph), results);
  builder.setInsertionPointToEnd(block);
  for (auto [node, value] : llvm::zip_equal(results, made)) {
    values[node] = ops.wrap(value);
    if (graph.region == Graph::Region::Collected) {
      values[node] = ops.reshape(values[node], graph.nodes[node].type.shape);
    }
  }
}

/// The first output goes into the last argument, turned, and is read from there.
llvm::SmallVector<mlir::Value> TextWriter::storeFirst(llvm::SmallVector<mlir::Value> returned) {
  mlir::Value state = function.getArguments().back();
  std::vector<int64_t> axes(graph.nodes[graph.outputs[0]].type.shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  mlir::Value target = ops.valueOf(ops.op(OpKind::Flip, {ops.wrap(state)}, {{"axes", axes}}));
  mlir::Value write = zyx::AssignOp::create(builder, location, target, returned[0]);
  returned[0] = zyx::AfterOp::create(builder, location, target, write);
  return returned;
}

std::string TextWriter::run() {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location);
  builder.setInsertionPointToStart(module->getBody());
  makeFunction();
  bool done = false;
  for (uint32_t node = 0; node < graph.nodes.size(); ++node) {
    if (graph.nodes[node].inRegion && !done) {
      addRegion();
      done = true;
    } else if (graph.nodes[node].kind != OpKind::Leaf && !graph.nodes[node].inRegion) {
      addNode(node);
    }
  }
  llvm::SmallVector<mlir::Value> returned;
  for (uint32_t output : graph.outputs) {
    returned.push_back(ops.valueOf(values[output]));
  }
  if (graph.storesFirst) {
    returned = storeFirst(std::move(returned));
  }
  mlir::func::ReturnOp::create(builder, location, returned);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

std::string moduleText(const Graph &graph) {
  return TextWriter(graph).run();
}

} // namespace zyxc::fuzz
