#include "compiler/graph/TensorGraph.h"
#include "compiler/egraph/Dot.h"
#include "compiler/graph/Facts.h"
#include "compiler/graph/Views.h"
#include <algorithm>
#include <array>

namespace zyxc::graph {

struct TensorGraph::Impl {
  Impl() : facts(payloads), engine(&facts, {.keepMatches = true}) {
    for (int i = 0; i < numOpKinds(); ++i) {
      if (info(static_cast<OpKind>(i)).commutative) {
        engine.setCommutative(static_cast<uint32_t>(i));
      }
    }
  }

  Payloads payloads;
  Facts facts;
  egraph::EGraph engine;
  std::vector<std::string> origins = {""};
  std::vector<uint32_t> originOf; ///< by node
  uint32_t currentOrigin = 0;
};

TensorGraph::TensorGraph() : impl(std::make_unique<Impl>()) {}
TensorGraph::~TensorGraph() = default;
TensorGraph::TensorGraph(TensorGraph &&) noexcept = default;
TensorGraph &TensorGraph::operator=(TensorGraph &&) noexcept = default;

egraph::EGraph &TensorGraph::engine() {
  return impl->engine;
}
const egraph::EGraph &TensorGraph::engine() const {
  return impl->engine;
}

//===- Adding ops -----------------------------------------------------------------------------===//

egraph::EGraph::Added TensorGraph::addRaw(OpKind kind, std::span<const ClassId> operands,
                                          const Attrs &attrs, const TensorType &type) {
  impl->facts.setNextType(type);
  egraph::EGraph::Added added =
      impl->engine.addNode(static_cast<uint32_t>(kind), impl->payloads.intern(attrs), operands);
  if (added.isNew) {
    impl->originOf.resize(added.node + 1, 0);
    impl->originOf[added.node] = impl->currentOrigin;
  }
  return added;
}

static Expected<TensorType> resultType(const TensorGraph &graph, OpKind kind,
                                       std::span<const ClassId> operands, const Attrs &attrs) {
  std::vector<TensorType> types;
  types.reserve(operands.size());
  for (ClassId operand : operands) {
    types.push_back(graph.type(operand));
  }
  return inferType(kind, attrs, types);
}

static bool isAllZero(std::span<const int64_t> values) {
  return std::ranges::all_of(values, [](int64_t value) { return value == 0; });
}

ClassId TensorGraph::add(OpKind kind, std::span<const ClassId> operands, const Attrs &attrs) {
  Expected<TensorType> inferred = resultType(*this, kind, operands, attrs);
  assert(inferred && "ops of a graph are valid");
  const TensorType &type = *inferred;
  if (kind == OpKind::Constant || kind == OpKind::Leaf) {
    return addRaw(kind, operands, attrs, type).cls;
  }
  if (type.numElements() == 0) {
    return addRaw(OpKind::Constant, {}, {{"value", Tensor::zeros(type)}}, type).cls;
  }
  if (kind == OpKind::Pad) {
    if (isAllZero(attrs.getInts("low")) && isAllZero(attrs.getInts("high"))) {
      return find(operands[0]);
    }
  } else if (isMovement(kind)) {
    return addMovement(kind, operands[0], attrs, type);
  }
  return addRaw(kind, operands, attrs, type).cls;
}

ClassId TensorGraph::addMovement(OpKind kind, ClassId operand, const Attrs &attrs,
                                 const TensorType &type) {
  ClassId source = find(operand);
  IndexMap map =
      normalizeView(kind == OpKind::View ? attrs.getMap("map")
                                         : movementMap(kind, attrs, this->type(source), type),
                    type.shape);
  // A view below was composed when it was made: usually one step is enough.
  std::vector<ClassId> visited;
  for (bool moved = true; moved && !std::ranges::count(visited, source);) {
    if (isIdentityView(map, type.shape, this->type(source).shape)) {
      return source;
    }
    visited.push_back(source);
    moved = false;
    for (NodeId node : impl->engine.nodesOf(source)) {
      if (this->kind(node) != OpKind::View) {
        continue;
      }
      if (std::optional<IndexMap> composed =
              composeViews(this->attrs(node).getMap("map"), map, type.shape)) {
        map = std::move(*composed);
        source = find(impl->engine.children(node)[0]);
        moved = true;
        break;
      }
    }
  }
  Attrs viewAttrs = {{"map", std::move(map)}, {"shape", type.shape}};
  return addRaw(OpKind::View, std::array{source}, viewAttrs, type).cls;
}

namespace {

/// Decompositions written into the graph; a GraphValue is a class id.
class ClassBuilder : public GraphBuilder {
public:
  explicit ClassBuilder(TensorGraph &graph) : graph(graph) {}
  const TensorType &typeOf(GraphValue value) const override { return graph.type(value.id); }

protected:
  GraphValue addOp(OpKind kind, std::span<const GraphValue> operands, Attrs attrs,
                   TensorType) override {
    std::vector<ClassId> classes;
    for (GraphValue operand : operands) {
      classes.push_back(operand.id);
    }
    return {graph.addWithDecomposition(kind, classes, attrs)};
  }

private:
  TensorGraph &graph;
};

} // namespace

ClassId TensorGraph::addWithDecomposition(OpKind kind, std::span<const ClassId> operands,
                                          const Attrs &attrs) {
  uint32_t before = impl->engine.numNodes();
  ClassId cls = add(kind, operands, attrs);
  if (!isComposite(kind) || impl->engine.numNodes() == before || isConstant(cls)) {
    return cls;
  }
  std::vector<GraphValue> values;
  for (ClassId operand : operands) {
    values.push_back({operand});
  }
  ClassBuilder builder(*this);
  GraphValue decomposed = decompose(builder, kind, values, attrs);
  unite(cls, decomposed.id, egraph::Reason::client(uint32_t(ClientReason::Decomposition)));
  return find(cls);
}

Expected<ClassId> TensorGraph::tryAdd(OpKind kind, std::span<const ClassId> operands,
                                      const Attrs &attrs) {
  Expected<TensorType> inferred = resultType(*this, kind, operands, attrs);
  if (!inferred) {
    return std::move(inferred).error();
  }
  return addWithDecomposition(kind, operands, attrs);
}

ClassId TensorGraph::addSplat(Tensor scalar, const Shape &shape) {
  ClassId value = add(OpKind::Constant, {}, {{"value", std::move(scalar)}});
  if (shape.empty()) {
    return value;
  }
  IndexMap map = {static_cast<int64_t>(shape.size()), {}};
  return add(OpKind::View, std::array{value}, {{"map", std::move(map)}, {"shape", shape}});
}

bool TensorGraph::unite(ClassId a, ClassId b, egraph::Reason reason) {
  return impl->engine.unite(a, b, reason);
}

Status TensorGraph::rebuild() {
  return impl->engine.rebuild();
}

TensorGraph::Conflict TensorGraph::conflict() const {
  auto [a, b] = impl->facts.conflictingNodes();
  return {impl->facts.describeConflict(), a, b};
}

//===- Queries --------------------------------------------------------------------------------===//

ClassId TensorGraph::find(ClassId cls) const {
  return impl->engine.find(cls);
}
const TensorType &TensorGraph::type(ClassId cls) const {
  return impl->facts.type(find(cls));
}
const Tensor *TensorGraph::constant(ClassId cls) const {
  return impl->facts.constant(find(cls));
}
const Tensor *TensorGraph::splat(ClassId cls) const {
  return impl->facts.splat(find(cls));
}
bool TensorGraph::isParameter(ClassId cls) const {
  return impl->facts.isParameter(find(cls));
}
bool TensorGraph::isLayerConstant(ClassId cls) const {
  return impl->facts.isLayerConstant(find(cls));
}
bool TensorGraph::isLeaf(ClassId cls) const {
  return impl->facts.isLeaf(find(cls));
}
void TensorGraph::setExactConstants(bool exact) {
  impl->facts.exactConstants = exact;
}

std::vector<NodeId> TensorGraph::nodes(ClassId cls) const {
  std::vector<NodeId> result;
  for (NodeId node : impl->engine.nodesOf(cls)) {
    result.push_back(node);
  }
  std::ranges::sort(result);
  return result;
}

OpKind TensorGraph::kind(NodeId node) const {
  return static_cast<OpKind>(impl->engine.op(node));
}

const Attrs &TensorGraph::attrs(NodeId node) const {
  return impl->payloads[impl->engine.payload(node)];
}

std::vector<ClassId> TensorGraph::operands(NodeId node) const {
  std::vector<ClassId> result;
  for (ClassId child : impl->engine.children(node)) {
    result.push_back(find(child));
  }
  return result;
}

const std::string &TensorGraph::origin(NodeId node) const {
  return impl->origins[node < impl->originOf.size() ? impl->originOf[node] : 0];
}

void TensorGraph::setOrigin(std::string name) {
  if (impl->origins[impl->currentOrigin] == name) {
    return;
  }
  impl->currentOrigin = name.empty() ? 0 : static_cast<uint32_t>(impl->origins.size());
  if (!name.empty()) {
    impl->origins.push_back(std::move(name));
  }
}

std::vector<ClassId> TensorGraph::roots() const {
  std::vector<ClassId> classes;
  classes.reserve(outputs.size() + writes.size());
  for (const Endpoint &output : outputs) {
    classes.push_back(find(output.cls));
  }
  for (const Write &write : writes) {
    classes.push_back(find(write.value));
  }
  return classes;
}

std::vector<ClassId> TensorGraph::reachableClasses() const {
  struct Entry {
    ClassId cls;
    bool operandsDone;
  };
  std::vector<ClassId> order;
  std::vector<bool> seen(impl->engine.numNodes());
  std::vector<Entry> stack;
  std::vector<ClassId> starts = roots();
  for (auto root = starts.rbegin(); root != starts.rend(); ++root) {
    stack.push_back({*root, false});
  }
  while (!stack.empty()) {
    Entry entry = stack.back();
    stack.pop_back();
    if (entry.operandsDone) {
      order.push_back(entry.cls);
      continue;
    }
    if (seen[entry.cls]) {
      continue;
    }
    seen[entry.cls] = true;
    stack.push_back({entry.cls, true});
    for (NodeId node : nodes(entry.cls)) {
      OpKind nodeKind = kind(node);
      bool isKnown = isConstant(entry.cls) || isLayerConstant(entry.cls);
      if (isKnown && nodeKind != OpKind::Constant && nodeKind != OpKind::View) {
        continue;
      }
      std::vector<ClassId> children = operands(node);
      for (auto child = children.rbegin(); child != children.rend(); ++child) {
        if (!seen[*child]) {
          stack.push_back({*child, false});
        }
      }
    }
  }
  return order;
}

std::string TensorGraph::toDot() const {
  return egraph::toDot(
      impl->engine,
      [&](NodeId node) {
        std::string text(name(kind(node)));
        for (const auto &[attr, value] : attrs(node).entries()) {
          bool isLarge =
              std::holds_alternative<Tensor>(value) && std::get<Tensor>(value).numElements() > 8;
          text += isLarge ? "" : fmt::format("\n{} = {}", attr, toString(value));
        }
        return text;
      },
      [&](ClassId cls) { return toString(type(cls)); });
}

} // namespace zyxc::graph
