#include "test/fuzz/graphs/program/Open.h"
#include "dialects/zyx/semantics/BindSizes.h"
#include "test/fuzz/graphs/program/Generate.h"
#include <algorithm>
#include <random>

namespace zyxc::fuzz {

namespace {

/// Tries axes one after the other. An op that no longer fits has its attributes lifted, and its
/// other operands opened alike.
class Opener {
public:
  /// Opens so many percent of what might be open.
  Opener(Graph graph, uint64_t seed, int percent)
      : base(std::move(graph)), engine(seed), percent(percent) {}
  Graph open();

private:
  struct Axis {
    uint32_t leaf;
    size_t axis;
  };
  enum class Pass : uint8_t { Done, Again, Failed };

  bool chance(int percent) { return engine() % 100 < static_cast<uint64_t>(percent); }
  void constantsToLeaves();
  bool tryAxis(Graph &graph, Axis axis, const std::string &name);
  bool infer(Graph &graph);
  Pass inferOnce(Graph &graph);
  bool inferNode(Graph &graph, uint32_t place);
  bool fits(const Graph &graph, uint32_t place, const Attrs &attrs,
            std::span<const TensorType> operands, TensorType &result);
  bool adapt(Graph &graph, uint32_t place);
  bool adaptShape(Graph &graph, uint32_t place, const std::vector<TensorType> &operands);
  bool adaptAxis(Graph &graph, uint32_t place, const std::vector<TensorType> &operands);

  Attrs lifted(uint32_t place, std::span<const TensorType> operands, const dim::Bindings &sizes);
  void liftNarrow(Attrs &attrs, const TensorType &x, const TensorType &original);
  /// Entries that are the value of one of the sizes become it.
  void liftEntries(std::vector<int64_t> &list, std::vector<int64_t> choices, int percent,
                   const dim::Bindings &sizes);

  Graph base; ///< as it was, static
  std::mt19937_64 engine;
  int percent;
};

} // namespace

static std::vector<TensorType> operandTypes(const Graph &graph, const Node &node) {
  std::vector<TensorType> types;
  types.reserve(node.operands.size());
  for (uint32_t operand : node.operands) {
    types.push_back(graph.nodes[operand].type);
  }
  return types;
}

/// The size under bindings of all its variables; -1 if it has none.
static int64_t valueOf(int64_t size, const dim::Bindings &sizes) {
  Expected<int64_t> value = dim::evaluate(size, sizes);
  return value ? *value : -1;
}

void Opener::constantsToLeaves() {
  base.storesFirst = false; // an input of the output's type would have to give its sizes
  for (Node &node : base.nodes) {
    if (node.kind == OpKind::Constant && node.type.rank() > 0 && chance(percent)) {
      Tensor value = node.attrs.getTensor("value");
      node = {OpKind::Leaf, {}, {}, node.type, std::move(value)};
    }
  }
}

void Opener::liftEntries(std::vector<int64_t> &list, std::vector<int64_t> choices, int percent,
                         const dim::Bindings &sizes) {
  for (int64_t &entry : list) {
    std::ranges::shuffle(choices, engine);
    auto same = std::ranges::find_if(
        choices, [&](int64_t choice) { return valueOf(choice, sizes) == entry; });
    if (same != choices.end() && chance(percent)) {
      entry = *same;
    }
  }
}

/// Sizes that reach the end of an axis still do; starts may be counted from there.
void Opener::liftNarrow(Attrs &attrs, const TensorType &x, const TensorType &original) {
  std::vector<int64_t> starts = attrs.getInts("starts");
  std::vector<int64_t> sizes = attrs.getInts("sizes");
  const std::vector<int64_t> &steps = attrs.getInts("steps");
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t rest = original.shape[i] - starts[i];
    if (!dim::isSymbolic(x.shape[i])) {
      continue;
    }
    if (sizes[i] == (rest + steps[i] - 1) / steps[i] && chance(70)) {
      sizes[i] = dim::ceilDiv(dim::sub(x.shape[i], starts[i]), steps[i]);
    } else if (chance(50)) {
      starts[i] = dim::sub(x.shape[i], rest);
    }
  }
  attrs.set("starts", starts);
  attrs.set("sizes", sizes);
}

Attrs Opener::lifted(uint32_t place, std::span<const TensorType> operands,
                     const dim::Bindings &sizes) {
  const Node &node = base.nodes[place];
  Attrs attrs = node.attrs;
  std::vector<int64_t> dims, variables;
  for (const TensorType &type : operands) {
    std::ranges::copy_if(type.shape, std::back_inserter(dims), dim::isSymbolic);
  }
  for (const auto &[name, size] : sizes) {
    variables.push_back(dim::variable(name));
  }
  if (node.kind == OpKind::Narrow) {
    liftNarrow(attrs, operands[0], base.nodes[node.operands[0]].type);
  } else if (node.kind == OpKind::Pad) {
    for (const char *side : {"low", "high"}) {
      std::vector<int64_t> list = attrs.getInts(side);
      liftEntries(list, variables, 20, sizes);
      attrs.set(side, list);
    }
  } else if (attrs.find("shape")) {
    std::vector<int64_t> shape = attrs.getInts("shape");
    if (node.kind == OpKind::Expand && operands[0].rank() == std::ssize(shape)) {
      for (size_t i = 0; i < shape.size(); ++i) {
        bool isOpen = dim::isSymbolic(operands[0].shape[i]);
        shape[i] = isOpen ? operands[0].shape[i] : shape[i];
      }
    } else {
      liftEntries(shape, dims, 80, sizes);
    }
    if (node.kind == OpKind::Expand || operands.empty() || node.kind == OpKind::RandomBits) {
      liftEntries(shape, variables, 50, sizes);
    }
    if (node.kind == OpKind::Reshape && !shape.empty() && chance(80)) {
      size_t free = engine() % shape.size();
      int64_t others = 1;
      for (size_t i = 0; i < shape.size(); ++i) {
        others = i == free ? others : dim::mul(others, shape[i]);
      }
      std::optional<int64_t> quotient =
          others == 0 ? std::nullopt : dim::exactQuotient(dim::product(operands[0].shape), others);
      shape[free] = quotient.value_or(shape[free]);
    }
    attrs.set("shape", shape);
  }
  return attrs;
}

bool Opener::fits(const Graph &graph, uint32_t place, const Attrs &attrs,
                  std::span<const TensorType> operands, TensorType &result) {
  std::vector<int64_t> guards;
  Expected<TensorType> type = inferType(base.nodes[place].kind, attrs, operands, &guards);
  bool holds = type && bindSizes(*type, graph.sizes) == base.nodes[place].type &&
               std::ranges::all_of(guards, [&](int64_t guard) {
                 Expected<int64_t> value = dim::evaluate(guard, graph.sizes);
                 return value && *value >= 0;
               });
  if (holds) {
    result = *type;
  }
  return holds;
}

bool Opener::inferNode(Graph &graph, uint32_t place) {
  constexpr int attempts = 12;
  Node &node = graph.nodes[place];
  std::vector<TensorType> operands = operandTypes(graph, node);
  bool liftsFirst = chance(30);
  if (!liftsFirst && fits(graph, place, node.attrs, operands, node.type)) {
    return true;
  }
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Attrs attrs = lifted(place, operands, graph.sizes);
    if (fits(graph, place, attrs, operands, node.type)) {
      node.attrs = attrs;
      return true;
    }
  }
  return liftsFirst && fits(graph, place, node.attrs, operands, node.type);
}

/// Gives leaves and expands among the operands the shape of one that is open.
bool Opener::adaptShape(Graph &graph, uint32_t place, const std::vector<TensorType> &operands) {
  const Node &node = graph.nodes[place];
  auto open = std::ranges::find_if(
      operands, [](const TensorType &type) { return dim::anySymbolic(type.shape); });
  if (open == operands.end()) {
    return false;
  }
  bool changed = false;
  Shape original = bindSizes(open->shape, graph.sizes);
  for (uint32_t operand : node.operands) {
    Node &other = graph.nodes[operand];
    if (other.type.shape == open->shape || base.nodes[operand].type.shape != original) {
      continue;
    }
    if (other.kind == OpKind::Leaf) {
      other.type.shape = open->shape;
      changed = true;
    } else if (other.kind == OpKind::Expand || other.kind == OpKind::Iota) {
      other.attrs.set("shape", open->shape);
      std::vector<TensorType> below = operandTypes(graph, other);
      changed = fits(graph, operand, other.attrs, below, other.type) || changed;
    }
  }
  return changed;
}

/// Gives an axis of a leaf among the operands an open size of another operand.
bool Opener::adaptAxis(Graph &graph, uint32_t place, const std::vector<TensorType> &operands) {
  const Node &node = graph.nodes[place];
  for (size_t i = 0; i < operands.size(); ++i) {
    if (graph.nodes[node.operands[i]].kind != OpKind::Leaf) {
      continue;
    }
    for (size_t axis = 0; axis < operands[i].shape.size(); ++axis) {
      for (const TensorType &other : operands) {
        for (int64_t size : other.shape) {
          std::vector<TensorType> types = operands;
          types[i].shape[axis] = size;
          TensorType result;
          if (dim::isSymbolic(size) && valueOf(size, graph.sizes) == operands[i].shape[axis] &&
              fits(graph, place, node.attrs, types, result)) {
            graph.nodes[node.operands[i]].type = types[i];
            return true;
          }
        }
      }
    }
  }
  return false;
}

bool Opener::adapt(Graph &graph, uint32_t place) {
  std::vector<TensorType> operands = operandTypes(graph, graph.nodes[place]);
  return adaptShape(graph, place, operands) || adaptAxis(graph, place, operands);
}

Opener::Pass Opener::inferOnce(Graph &graph) {
  for (uint32_t place = 0; place < graph.nodes.size(); ++place) {
    if (graph.nodes[place].kind != OpKind::Leaf && !inferNode(graph, place)) {
      return adapt(graph, place) ? Pass::Again : Pass::Failed;
    }
  }
  return Pass::Done;
}

bool Opener::infer(Graph &graph) {
  constexpr int rounds = 12;
  Pass pass = Pass::Again;
  for (int round = 0; round < rounds && pass == Pass::Again; ++round) {
    pass = inferOnce(graph);
  }
  return pass == Pass::Done;
}

bool Opener::tryAxis(Graph &graph, Axis axis, const std::string &name) {
  constexpr int attempts = 3; // attributes are lifted at random
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Graph next = graph;
    next.sizes[name] = base.nodes[axis.leaf].type.shape[axis.axis];
    next.nodes[axis.leaf].type.shape[axis.axis] = dim::variable(name);
    if (infer(next) && findsSizes(next)) {
      graph = std::move(next);
      return true;
    }
  }
  return false;
}

Graph Opener::open() {
  constexpr size_t maxVariables = 3;
  constantsToLeaves();
  Graph graph = base;
  std::vector<Axis> axes;
  for (uint32_t leaf = 0; leaf < base.nodes.size(); ++leaf) {
    bool isLeaf = base.nodes[leaf].kind == OpKind::Leaf;
    for (size_t axis = 0; isLeaf && axis < base.nodes[leaf].type.shape.size(); ++axis) {
      axes.push_back({leaf, axis});
    }
  }
  std::ranges::shuffle(axes, engine);
  for (Axis axis : axes) {
    int64_t size = graph.nodes[axis.leaf].type.shape[axis.axis];
    if (dim::isSymbolic(size) || chance((100 - percent) * 3 / 8)) {
      continue;
    }
    std::vector<std::string> names;
    for (const auto &[name, value] : graph.sizes) {
      if (value == size) {
        names.push_back(name);
      }
    }
    std::ranges::shuffle(names, engine);
    if (graph.sizes.size() < maxVariables) {
      names.insert(chance(60) ? names.end() : names.begin(),
                   fmt::format("N{}", graph.sizes.size()));
    }
    std::ranges::any_of(names, [&](const std::string &name) { return tryAxis(graph, axis, name); });
  }
  return graph;
}

Graph opened(Graph graph, uint64_t seed) {
  constexpr int some = 60;
  constexpr int all = 100; // where a constant holds an axis, it becomes an input
  Graph result = Opener(graph, seed, some).open();
  return result.sizes.empty() ? Opener(std::move(graph), seed, all).open() : result;
}

Graph generateOpen(uint64_t seed, std::optional<OpKind> op) {
  constexpr int attempts = 32;
  // Far from the seeds of one call, and of the same feature.
  const uint64_t step = featurePeriod() << 24;
  Graph graph;
  for (int attempt = 0; attempt < attempts && graph.sizes.empty(); ++attempt) {
    uint64_t other = seed + static_cast<uint64_t>(attempt) * step;
    graph = opened(generate(other, op), other);
  }
  return graph;
}

/// As many elements as the type has, the tensor's in order, over and over.
static Tensor resized(const Tensor &value, const TensorType &type) {
  if (value.type() == type) {
    return value;
  }
  Tensor result = Tensor::allocate(type);
  int64_t count = value.numElements();
  for (int64_t i = 0; i < result.numElements(); ++i) {
    int64_t from = count > 0 ? i % count : 0;
    if (count == 0) {
      result.setInt(i, i % 2);
    } else if (isInteger(type.dtype)) {
      result.setInt(i, value.asInt(from));
    } else {
      result.setDouble(i, value.asDouble(from));
    }
  }
  return result;
}

/// More than this is slow.
static constexpr int64_t maxElements = 100'000;

static Expected<Tensor> valueAt(const Node &leaf, const dim::Bindings &sizes) {
  TensorType type = bindSizes(leaf.type, sizes);
  if (std::ranges::any_of(type.shape,
                          [](int64_t size) { return size < 0 || dim::isSymbolic(size); })) {
    return makeError(ErrorCode::Usage, "an input has no or a negative size");
  }
  if (type.numElements() > maxElements) {
    return makeError(ErrorCode::OutOfMemory, "an input has too many elements");
  }
  return resized(leaf.value, type);
}

Expected<std::vector<Tensor>> inputsAt(const Graph &graph, const dim::Bindings &sizes) {
  std::vector<Tensor> values;
  for (const Node &node : graph.nodes) {
    if (node.kind == OpKind::Leaf) {
      ZYXC_ASSIGN(Tensor value, valueAt(node, sizes));
      values.push_back(std::move(value));
    }
  }
  if (graph.hasRegion()) {
    values.push_back(Tensor::scalarInt(DType::Bool, 1));
  }
  return values;
}

Expected<Graph> bound(const Graph &graph, const dim::Bindings &sizes) {
  Graph result = graph;
  for (const auto &[name, size] : sizes) {
    result.sizes.erase(name);
  }
  for (Node &node : result.nodes) {
    if (node.kind == OpKind::Leaf) {
      node.type = bindSizes(node.type, sizes);
      ZYXC_ASSIGN(node.value, valueAt(node, result.sizes));
      continue;
    }
    node.attrs = bindSizes(node.attrs, sizes);
    std::vector<int64_t> guards; // of the sizes that stay
    ZYXC_ASSIGN(node.type, inferType(node.kind, node.attrs, operandTypes(result, node), &guards));
    if (bindSizes(node.type, result.sizes).numElements() > maxElements) {
      return makeError(ErrorCode::OutOfMemory, "a value has too many elements");
    }
  }
  return result;
}

bool findsSizes(const Graph &graph) {
  return std::ranges::all_of(graph.sizes, [&](const auto &entry) {
    int64_t variable = dim::variable(entry.first);
    return std::ranges::any_of(graph.nodes, [&](const Node &node) {
      return node.kind == OpKind::Leaf &&
             std::ranges::find(node.type.shape, variable) != node.type.shape.end();
    });
  });
}

int64_t countOpenAxes(const Graph &graph) {
  int64_t count = 0;
  for (const Node &node : graph.nodes) {
    count +=
        node.kind == OpKind::Leaf ? std::ranges::count_if(node.type.shape, dim::isSymbolic) : 0;
  }
  return count;
}

} // namespace zyxc::fuzz
