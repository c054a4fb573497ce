// Writes to inputs. Inside the e-graph are values only: each write makes the next content of its
// input, which `after` reads. What is stored at the end stands beside it (TensorGraph::writes).
#include "compiler/graph/Views.h"
#include "compiler/graph/module/Importer.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "runtime/core/Dim.h"
#include <array>

namespace zyxc::graph {

/// The movement ops between an input and a part of it, from the input on.
static Expected<std::vector<ViewStep>> chainOf(mlir::Value part) {
  std::vector<ViewStep> chain;
  for (mlir::Operation *op = part.getDefiningOp(); op; op = op->getOperand(0).getDefiningOp()) {
    if (!llvm::isa<zyx::AfterOp>(op)) {
      ZYXC_ASSIGN(Attrs attrs, zyx::attrsOf(op));
      chain.insert(chain.begin(), {*zyx::kindOf(op), std::move(attrs)});
    }
  }
  return chain;
}

static Expected<ClassId> applyChain(TensorGraph &graph, ClassId cls,
                                    std::span<const ViewStep> chain) {
  for (const ViewStep &step : chain) {
    ZYXC_ASSIGN(cls, graph.tryAdd(step.kind, std::array{cls}, step.attrs));
  }
  return cls;
}

/// Elements [start, start + size) of an axis.
static Expected<ClassId> slice(TensorGraph &graph, ClassId cls, size_t axis, int64_t start,
                               int64_t size) {
  const Shape &shape = graph.type(cls).shape;
  std::vector<int64_t> starts(shape.size(), 0);
  std::vector<int64_t> sizes(shape.begin(), shape.end());
  starts[axis] = start;
  sizes[axis] = size;
  return graph.tryAdd(
      OpKind::Narrow, std::array{cls},
      {{"starts", starts}, {"sizes", sizes}, {"steps", std::vector<int64_t>(shape.size(), 1)}});
}

/// `content` with a box of it replaced by a value of the box's shape, the axes from `axis` on.
static Expected<ClassId> replaceBox(TensorGraph &graph, ClassId content, ClassId value,
                                    const Attrs &box, size_t axis) {
  const Shape shape = graph.type(content).shape;
  while (axis < shape.size() && box.getInts("sizes")[axis] == shape[axis]) {
    ++axis;
  }
  if (axis == shape.size()) {
    return value;
  }
  int64_t start = box.getInts("starts")[axis];
  int64_t size = box.getInts("sizes")[axis];
  int64_t end = dim::add(start, size);
  ZYXC_ASSIGN(ClassId before, slice(graph, content, axis, 0, start));
  ZYXC_ASSIGN(ClassId inside, slice(graph, content, axis, start, size));
  ZYXC_ASSIGN(ClassId behind, slice(graph, content, axis, end, dim::sub(shape[axis], end)));
  ZYXC_ASSIGN(inside, replaceBox(graph, inside, value, box, axis + 1));
  return graph.tryAdd(OpKind::Concat, std::array{before, inside, behind},
                      {{"axis", static_cast<int64_t>(axis)}});
}

/// The content of an input after a part of it, given by its chain, was replaced.
static Expected<ClassId> replaced(TensorGraph &graph, ClassId content, ClassId value,
                                  std::span<const ViewStep> chain) {
  if (chain.empty()) {
    return value;
  }
  const ViewStep &step = chain.front();
  ZYXC_ASSIGN(ClassId part, graph.tryAdd(step.kind, std::array{content}, step.attrs));
  ZYXC_ASSIGN(ClassId inner, replaced(graph, part, value, chain.subspan(1)));
  switch (step.kind) {
  case OpKind::Flip: return graph.tryAdd(step.kind, std::array{inner}, step.attrs);
  case OpKind::Reshape:
    return graph.tryAdd(step.kind, std::array{inner}, {{"shape", graph.type(content).shape}});
  case OpKind::Permute: {
    const std::vector<int64_t> &perm = step.attrs.getInts("perm");
    std::vector<int64_t> inverse(perm.size());
    for (size_t i = 0; i < perm.size(); ++i) {
      inverse[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
    }
    return graph.tryAdd(step.kind, std::array{inner}, {{"perm", inverse}});
  }
  default: break;
  }
  const std::vector<int64_t> &steps = step.attrs.getInts("steps");
  if (std::any_of(steps.begin(), steps.end(), [](int64_t by) { return by != 1; })) {
    return makeError(ErrorCode::Unsupported,
                     "only every {} elements of an input are written: narrow it with steps of 1",
                     toString(AttrValue(steps)));
  }
  return replaceBox(graph, content, inner, step.attrs, 0);
}

/// The coordinates in an input of a part of it; nothing if they are too complicated for a map.
static std::optional<IndexMap> mapOf(const TensorGraph &graph, ClassId part, ClassId input) {
  if (part == graph.find(input)) {
    return IndexMap::identity(graph.type(input).rank());
  }
  for (NodeId node : graph.nodes(part)) {
    if (graph.kind(node) == OpKind::View && graph.operands(node)[0] == graph.find(input)) {
      return graph.attrs(node).getMap("map");
    }
  }
  return std::nullopt;
}

Status Importer::addAssign(zyx::AssignOp op) {
  mlir::BlockArgument buffer = zyx::bufferOf(op.getTarget());
  if (outer || !classes.contains(buffer)) {
    return makeError(ErrorCode::Unsupported,
                     "a region writes an input: let it give the value, and write it outside");
  }
  ClassId input = classes.at(buffer);
  graph.inputs[buffer.getArgNumber()].written = true;
  ClassId content = contents.try_emplace(buffer, input).first->second;
  ZYXC_ASSIGN(std::vector<ViewStep> chain, chainOf(op.getTarget()));
  ZYXC_ASSIGN(ClassId value, classOf(op.getValue()));
  ZYXC_ASSIGN(ClassId was, applyChain(graph, content, chain));
  ZYXC_ASSIGN(ClassId next, replaced(graph, content, value, chain));
  // What is written with its own content, or has none, stays as it is.
  bool isSame = graph.find(was) == graph.find(value) || graph.type(value).numElements() == 0;
  contents[buffer] = isSame ? content : next;
  contentAfter[op] = contents[buffer];
  classes[op.getResult()] = value;
  if (isSame) {
    return Status::ok();
  }
  ZYXC_ASSIGN(ClassId part, applyChain(graph, input, chain));
  Write write{.input = buffer.getArgNumber(), .origin = zyx::locationName(op.getLoc())};
  if (std::optional<IndexMap> map = mapOf(graph, part, input)) {
    write.value = value;
    write.map = *std::move(map);
    write.chain = std::move(chain);
  } else {
    write.value = next;
    write.map = IndexMap::identity(graph.type(input).rank());
  }
  // Nothing is left of earlier writes to the same elements, or to any where this is all of it.
  bool isAll = graph.type(write.value).numElements() == graph.type(input).numElements();
  std::erase_if(graph.writes, [&](const Write &w) {
    bool isSame = w.map == write.map && graph.type(w.value) == graph.type(write.value);
    return w.input == write.input && (isAll || isSame);
  });
  graph.writes.push_back(std::move(write));
  return Status::ok();
}

Status Importer::addAfter(zyx::AfterOp op) {
  auto content = contentAfter.find(op.getWrite().getDefiningOp());
  if (content == contentAfter.end()) {
    return makeError(ErrorCode::Unsupported,
                     "a region reads what a write left: read it outside of the region");
  }
  ZYXC_ASSIGN(std::vector<ViewStep> chain, chainOf(op.getX()));
  ZYXC_ASSIGN(classes[op.getResult()], applyChain(graph, content->second, chain));
  return Status::ok();
}

} // namespace zyxc::graph
