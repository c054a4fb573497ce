#include "test/fuzz/graphs/program/Generate.h"
#include "dialects/zyx/semantics/Scalar.h"

namespace zyxc::fuzz {

bool addElementwise(Source &source) {
  GraphValue x = source.valueOf([](DType) { return true; });
  TensorType type = source.typeOf(x);
  int64_t family = source.below(10);
  if (family == 0) {
    return source.add(OpKind::Cast, {x}, {{"dtype", source.dtype()}});
  }
  if (family == 1) {
    return source.add(OpKind::Bitcast, {x},
                      {{"dtype", static_cast<DType>(source.below(numDTypes))}});
  }
  if (family == 2) {
    GraphValue condition = source.operandLike({DType::Bool, type.shape});
    return source.add(OpKind::Select, {condition, x, source.operandLike(type, x)});
  }
  constexpr int attempts = 8;
  OpKind kind = source.kind();
  auto fits = [&] {
    return (isUnary(kind) || isBinary(kind)) && isDefinedOn(kind, type.dtype);
  };
  for (int attempt = 1; attempt < attempts && !fits(); ++attempt) {
    kind = source.kind();
  }
  if (!fits()) {
    return false;
  }
  if (isUnary(kind)) {
    return source.add(kind, {x});
  }
  GraphValue y = source.operandLike(type, x);
  return source.chance(50) ? source.add(kind, {x, y}) : source.add(kind, {y, x});
}

bool addReduction(Source &source) {
  OpKind kind = source.kind();
  if (!isReduce(kind)) {
    return false;
  }
  GraphValue x = source.valueOf([](DType) { return true; });
  std::vector<int64_t> axes = source.axes(source.typeOf(x).rank());
  if (kind == OpKind::ArgMax || kind == OpKind::ArgMin) {
    axes.resize(std::min<size_t>(axes.size(), 1));
    return source.add(kind, {x}, {{"axes", axes}, {"last", source.below(2)}});
  }
  if (source.chance(5)) {
    axes.clear();
  }
  return source.add(kind, {x}, {{"axes", axes}});
}

bool addScan(Source &source) {
  GraphValue x = source.valueOf([](DType dtype) { return dtype != DType::Bool; });
  int64_t rank = source.typeOf(x).rank();
  OpKind kind = source.oneOf({OpKind::ScanSum, OpKind::ScanProd, OpKind::ScanMax, OpKind::ScanMin});
  return rank > 0 && source.add(kind, {x},
                                {{"axis", source.below(rank)},
                                 {"exclusive", source.below(2)},
                                 {"reverse", source.below(2)}});
}

/// Sorts, scatter and random bits.
bool addOrder(Source &source) {
  GraphValue x = source.valueOf([](DType) { return true; });
  TensorType type = source.typeOf(x);
  if (type.rank() == 0 || source.chance(10)) {
    DType bits = source.dtypeThat(isUnsigned);
    GraphValue key = source.fresh({DType::U32, {2}});
    return source.add(OpKind::RandomBits, {key},
                      {{"shape", source.shape(source.below(3))}, {"dtype", bits}});
  }
  if (source.chance(60)) {
    OpKind kind = source.chance(50) ? OpKind::Sort : OpKind::ArgSort;
    return source.add(kind, {x}, {{"descending", source.below(2)}});
  }
  TensorType updates = type;
  updates.shape[0] = source.extent();
  GraphValue indices =
      source.fresh({source.oneOf({DType::I32, DType::I64, DType::U8}), {updates.shape[0]}});
  std::string combine = "none";
  if (type.dtype != DType::Bool) {
    combine = source.oneOf({"none", "add", "mul", "max", "min"});
  }
  return source.add(OpKind::Scatter, {x, indices, source.operandLike(updates)},
                    {{"combine", combine}});
}

bool addNormalization(Source &source) {
  GraphValue x = source.valueOf(isFloat);
  TensorType type = source.typeOf(x);
  switch (source.below(4)) {
  case 0: return source.add(OpKind::Softmax, {x}, {{"axes", source.axes(type.rank())}});
  case 1: return source.add(OpKind::LogSoftmax, {x}, {{"axes", source.axes(type.rank())}});
  case 2:
    return source.add(OpKind::Lrn, {x},
                      {{"size", source.between(1, 6)},
                       {"alpha", source.uniform(0, 0.1)},
                       {"beta", source.uniform(0.2, 1)},
                       {"bias", source.uniform(0.5, 2)}});
  default: break;
  }
  if (type.rank() < 2) {
    return false;
  }
  TensorType vector{type.dtype, {type.shape[1]}};
  GraphValue scale = source.operandLike(vector);
  GraphValue bias = source.operandLike(vector);
  GraphValue mean = source.operandLike(vector);
  GraphValue variance = source.operandLike(vector);
  return source.add(OpKind::BatchNorm, {x, scale, bias, mean, variance},
                    {{"epsilon", source.uniform(1e-5, 1e-2)}});
}

/// One op of a family that is drawn by weight.
static bool addAny(Source &source) {
  struct Family {
    bool (*add)(Source &);
    int weight;
  };
  constexpr Family families[] = {
      {addElementwise, 40}, {addMovement, 25},  {addWindow, 3},        {addJoin, 6},
      {addGather, 4},       {addReduction, 30}, {addMatmul, 5},        {addContract, 5},
      {addConvolution, 4},  {addPool, 4},       {addNormalization, 5}, {addScan, 4},
      {addOrder, 5},
  };
  int64_t total = 0;
  for (const Family &family : families) {
    total += family.weight;
  }
  int64_t drawn = source.below(total);
  const Family *family = families;
  while (drawn >= family->weight) {
    drawn -= family++->weight;
  }
  return family->add(source);
}

/// The function that adds such an op.
static bool (*familyOf(OpKind kind))(Source &) {
  switch (kind) {
  case OpKind::Concat:
  case OpKind::Stack: return addJoin;
  case OpKind::Gather:
  case OpKind::Iota: return addGather;
  case OpKind::Matmul: return addMatmul;
  case OpKind::Contract: return addContract;
  case OpKind::Conv: return addConvolution;
  case OpKind::MaxPool:
  case OpKind::AvgPool: return addPool;
  case OpKind::Window: return addWindow;
  case OpKind::RandomBits: return addOrder;
  default: break;
  }
  return isElementwise(kind)                    ? addElementwise
         : isMovement(kind) || isIdentity(kind) ? addMovement
         : isReduce(kind)                       ? addReduction
         : isScan(kind)                         ? addScan
         : info(kind).family == OpFamily::Order ? addOrder
                                                : addNormalization;
}

/// Adds the op that the program shall have, on its dtype. Its node, or nothing where there is no
/// such op.
static std::optional<uint32_t> addFeature(Source &source, const Feature &feature) {
  constexpr int attempts = 200;
  std::vector<Node> &nodes = source.graph.nodes;
  std::optional<uint32_t> added;
  source.wanted = feature;
  for (int attempt = 0; attempt < attempts && !added; ++attempt) {
    size_t before = nodes.size();
    if (familyOf(feature.kind)(source)) {
      added = static_cast<uint32_t>(nodes.size() - 1);
    } else {
      nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(before), nodes.end());
    }
  }
  source.wanted.reset();
  return added;
}

uint64_t featurePeriod() {
  return static_cast<uint64_t>(numOpKinds()) * numDTypes;
}

/// The op and the dtype that the program of a seed shall have: each pair in turn.
static Feature featureOf(uint64_t seed, std::optional<OpKind> op) {
  if (op) {
    return {*op, static_cast<DType>(seed % numDTypes)};
  }
  uint64_t pair = seed % featurePeriod();
  return {static_cast<OpKind>(pair / numDTypes), static_cast<DType>(pair % numDTypes)};
}

/// Returns what nothing reads, or half of it, and sometimes what something reads as well.
static void chooseOutputs(Source &source) {
  Graph &graph = source.graph;
  std::vector<bool> used(graph.nodes.size(), false);
  for (const Node &node : graph.nodes) {
    for (uint32_t operand : node.operands) {
      used[operand] = true;
    }
  }
  int unreadPercent = source.chance(50) ? 100 : 50;
  for (uint32_t id = 0; id < graph.nodes.size(); ++id) {
    bool isSource =
        graph.nodes[id].kind == OpKind::Leaf || graph.nodes[id].kind == OpKind::Constant;
    if (isSource ? source.chance(1) : used[id] ? source.chance(6) : source.chance(unreadPercent)) {
      graph.outputs.push_back(id);
    }
  }
  if (graph.outputs.empty() || source.chance(1)) {
    graph.outputs.push_back(static_cast<uint32_t>(graph.nodes.size() - 1));
  }
}

/// Puts some nodes in a row into a region, or lets the first output be stored.
static void chooseRegion(Source &source, Graph &graph) {
  auto count = static_cast<int64_t>(graph.nodes.size());
  if (source.chance(25)) {
    int64_t first = source.below(count);
    int64_t last = source.between(first, std::min(first + 5, count - 1));
    for (int64_t node = first; node <= last; ++node) {
      graph.nodes[static_cast<size_t>(node)].inRegion =
          graph.nodes[static_cast<size_t>(node)].kind != OpKind::Leaf;
    }
    graph.region = static_cast<Graph::Region>(source.below(Graph::numRegions));
  }
  graph.storesFirst = source.chance(10);
}

/// True if an output needs the node.
static bool isNeeded(const Graph &graph, uint32_t node) {
  std::vector<uint32_t> work = graph.outputs;
  while (!work.empty()) {
    uint32_t next = work.back();
    work.pop_back();
    if (next == node) {
      return true;
    }
    const std::vector<uint32_t> &operands = graph.nodes[next].operands;
    work.insert(work.end(), operands.begin(), operands.end());
  }
  return false;
}

Graph generate(uint64_t seed, std::optional<OpKind> op) {
  Feature feature = featureOf(seed, op);
  Source source(seed, feature);
  for (int64_t leaves = source.between(1, 2); leaves > 0; --leaves) {
    DType dtype = source.dtype();
    source.builder.leaf(source.tensor({dtype, source.shape(source.below(Source::maxRank + 1))}));
  }
  // Every eighth program has one, so that the others stay what they were.
  constexpr uint64_t attentionEvery = 8;
  if (!op && seed % attentionEvery == 0) {
    addAttention(source);
  }
  int64_t ops = source.between(3, 16);
  int64_t before = source.below(3); // ops that the feature may read
  std::optional<uint32_t> featured;
  for (int64_t done = 0; done < ops;) {
    if (done == before && !featured) {
      featured = addFeature(source, feature);
      before = featured ? before : -1;
    }
    done += addAny(source);
  }
  chooseOutputs(source);
  if (featured && !isNeeded(source.graph, *featured)) {
    source.graph.outputs.push_back(*featured);
  }
  Graph graph = pruned(source.graph);
  chooseRegion(source, graph);
  return graph;
}

} // namespace zyxc::fuzz
