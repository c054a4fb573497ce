#include "compiler/graph/Facts.h"
#include "compiler/graph/TensorGraph.h"
#include "compiler/interp/Interp.h"
#include "dialects/zyx/semantics/BindSizes.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace zyxc::graph {

using egraph::EGraph;
using egraph::Id;
using egraph::NodeId;
using egraph::none;

namespace {

/// A tensor of this type whose elements all have the bytes of `value` (rank 0).
Tensor writeOut(const Tensor &value, const TensorType &type) {
  Tensor result = Tensor::allocate(type);
  size_t bytes = byteSize(type.dtype);
  for (size_t at = 0; at < result.byteSize(); at += bytes) {
    std::copy_n(value.data(), bytes, result.mutableData() + at);
  }
  return result;
}

KnownValue knownFrom(Tensor full) {
  KnownValue known;
  if (full.isSplat()) {
    Tensor scalar = Tensor::allocate({full.dtype(), {}});
    std::copy_n(full.data(), byteSize(full.dtype()), scalar.mutableData());
    known.splat = std::move(scalar);
  }
  known.full = std::move(full);
  return known;
}

/// Rounding may separate two ways to compute one value; more than half the digits must agree.
bool agreeWithinRounding(const Tensor &a, const Tensor &b) {
  if (a.identical(b)) {
    return true;
  }
  double tolerance = std::ldexp(1.0, -info(a.dtype()).mantissaBits / 2);
  for (int64_t i = 0; i < a.numElements(); ++i) {
    double x = a.asDouble(i);
    double y = b.asDouble(i);
    double size = std::max({1.0, std::abs(x), std::abs(y)});
    if (std::isfinite(x) && std::isfinite(y) && std::abs(x - y) > tolerance * size) {
      return false;
    }
  }
  return true;
}

bool sameBitsOrNan(const Tensor &a, const Tensor &b) {
  if (a.identical(b)) {
    return true;
  }
  size_t bytes = byteSize(a.dtype());
  for (int64_t i = 0; isFloat(a.dtype()) && i < a.numElements(); ++i) {
    bool equalBits =
        std::equal(a.data() + i * bytes, a.data() + (i + 1) * bytes, b.data() + i * bytes);
    if (!equalBits && !(std::isnan(a.asDouble(i)) && std::isnan(b.asDouble(i)))) {
      return false;
    }
  }
  return isFloat(a.dtype());
}

} // namespace

const Tensor *Facts::constant(Id canonical) const {
  const Fact &fact = facts[canonical];
  if (fact.value == none) {
    return nullptr;
  }
  KnownValue &value = values[fact.value];
  if (!value.full.data() && types[fact.type].numElements() <= maxFoldedElements) {
    value.full = writeOut(value.splat, types[fact.type]);
  }
  return value.full.data() ? &value.full : nullptr;
}

const Tensor *Facts::splat(Id canonical) const {
  uint32_t value = facts[canonical].value;
  return value != none && values[value].splat.data() ? &values[value].splat : nullptr;
}

egraph::Analysis::Change Facts::make(const EGraph &engine, NodeId node) {
  Id cls = engine.find(node);
  if (node >= facts.size()) {
    facts.resize(node + 1);
    facts[node].type = nextType;
  }
  OpKind kind = static_cast<OpKind>(engine.op(node));
  Fact &fact = facts[cls];
  if (kind == OpKind::Leaf) {
    fact.leaf = node;
    fact.isParameter = isParameterId(payloads[engine.payload(node)].getInt("id"));
    fact.isLayerConstant = fact.isParameter;
    hasLayerConstants |= fact.isParameter;
    return Change::None;
  }
  Change change = Change::None;
  if (!fact.isParameter && kind != OpKind::Variable && kind != OpKind::Call &&
      std::ranges::all_of(engine.children(node),
                          [&](Id child) { return facts[engine.find(child)].isParameter; })) {
    fact.isParameter = true;
    // Nobody uses a new node, and modify() does nothing for this fact.
    change = engine.parentsOf(cls).begin() == engine.parentsOf(cls).end() ? Change::None
                                                                          : Change::Changed;
  }
  if (fact.value != none) {
    return change;
  }
  std::optional<KnownValue> known =
      kind == OpKind::Constant ? knownFrom(payloads[engine.payload(node)].getTensor("value"))
                               : fold(engine, node);
  if (!known) {
    if (hasLayerConstants && !fact.isLayerConstant && isFoldedByLayer(engine, node)) {
      fact.isLayerConstant = true;
      return Change::Changed;
    }
    return change;
  }
  fact.value = static_cast<uint32_t>(values.size());
  fact.knownBy = node;
  fact.isParameter = true;
  values.push_back(std::move(*known));
  if (fact.leaf != none) {
    return conflictBetween(fact.leaf, node, "an input and a constant in one class");
  }
  return Change::Changed;
}

egraph::Analysis::Change Facts::merge(const EGraph &, Id into, Id from) {
  Fact &a = facts[into];
  const Fact &b = facts[from];
  if (a.type != b.type) {
    return conflictBetween(
        into, from,
        fmt::format("{} and {} in one class", toString(types[a.type]), toString(types[b.type])));
  }
  if (a.leaf != none && b.leaf != none) {
    return conflictBetween(a.leaf, b.leaf, "two inputs in one class");
  }
  if ((a.leaf != none && b.value != none) || (a.value != none && b.leaf != none)) {
    return conflictBetween(a.leaf != none ? a.leaf : b.leaf, a.leaf != none ? b.knownBy : a.knownBy,
                           "an input and a constant in one class");
  }
  if (a.leaf == none) {
    a.leaf = b.leaf;
  }
  bool agrees = a.isParameter == b.isParameter && a.isLayerConstant == b.isLayerConstant;
  Change change = agrees ? Change::None : Change::Changed;
  a.isParameter = a.isParameter || b.isParameter;
  a.isLayerConstant = a.isLayerConstant || b.isLayerConstant;
  if (b.value == none) {
    return change;
  }
  if (a.value == none) {
    a.value = b.value;
    a.knownBy = b.knownBy;
    return Change::Changed;
  }
  if (!agree(values[a.value], values[b.value], types[a.type])) {
    return conflictBetween(a.knownBy, b.knownBy, "two different constants in one class");
  }
  return change;
}

bool Facts::agree(const KnownValue &a, const KnownValue &b, const TensorType &type) const {
  auto same = [&](const Tensor &x, const Tensor &y) {
    return exactConstants || !isFloat(type.dtype) ? sameBitsOrNan(x, y) : agreeWithinRounding(x, y);
  };
  if (a.splat.data() && b.splat.data()) {
    return same(a.splat, b.splat);
  }
  return same(a.full.data() ? a.full : writeOut(a.splat, type),
              b.full.data() ? b.full : writeOut(b.splat, type));
}

egraph::Analysis::Change Facts::conflictBetween(NodeId a, NodeId b, std::string text) {
  conflict = std::move(text);
  conflicting = {a, b};
  return Change::Conflict;
}

std::optional<KnownValue> Facts::fold(const EGraph &engine, NodeId node) const {
  OpKind kind = static_cast<OpKind>(engine.op(node));
  std::span<const Id> children = engine.children(node);
  const TensorType &type = types[facts[engine.find(node)].type];
  if (type.numElements() == 0) {
    return KnownValue{Tensor::zeros(type), {}};
  }
  // A composite is what its decomposition gives, which is folded op by op.
  if (children.empty() || isComposite(kind)) {
    return std::nullopt;
  }
  std::vector<Id> operands;
  for (Id child : children) {
    operands.push_back(engine.find(child));
    if (facts[operands.back()].value == none) {
      return std::nullopt;
    }
  }
  const Attrs &attrs = payloads[engine.payload(node)];
  if (std::optional<KnownValue> known = foldSplats(kind, attrs, operands)) {
    return known;
  }
  if (!isWorthFolding(kind, attrs, type, operands)) {
    return std::nullopt;
  }
  std::vector<Tensor> tensors;
  for (Id operand : operands) {
    const Tensor *value = constant(operand);
    if (!value) {
      return std::nullopt;
    }
    tensors.push_back(*value);
  }
  Expected<Tensor> result = interp::evaluate(kind, attrs, tensors);
  if (!result) {
    return std::nullopt;
  }
  return knownFrom(*std::move(result));
}

std::optional<KnownValue> Facts::foldSplats(OpKind kind, const Attrs &attrs,
                                            std::span<const Id> operands) const {
  std::vector<Tensor> scalars;
  for (Id operand : operands) {
    const Tensor *value = splat(operand);
    if (!value) {
      return std::nullopt;
    }
    scalars.push_back(*value);
  }
  bool isMove = isMovement(kind) || kind == OpKind::Concat;
  bool allEqual = std::ranges::all_of(
      scalars, [&](const Tensor &scalar) { return scalar.identical(scalars.front()); });
  if (isMove && allEqual) {
    return KnownValue{{}, scalars.front()};
  }
  if (!isElementwise(kind)) {
    return std::nullopt;
  }
  Expected<Tensor> result = interp::evaluate(kind, attrs, scalars);
  if (!result) {
    return std::nullopt;
  }
  return KnownValue{{}, *std::move(result)};
}

bool Facts::isFoldedByLayer(const EGraph &engine, NodeId node) const {
  OpKind kind = static_cast<OpKind>(engine.op(node));
  std::vector<Id> operands;
  bool isOfLayer = false;
  for (Id child : engine.children(node)) {
    const Fact &fact = facts[operands.emplace_back(engine.find(child))];
    if (fact.value == none && !fact.isLayerConstant) {
      return false;
    }
    isOfLayer = isOfLayer || fact.isLayerConstant;
  }
  return isOfLayer && !isComposite(kind) &&
         isWorthFolding(kind, payloads[engine.payload(node)], types[facts[engine.find(node)].type],
                        operands);
}

bool Facts::isWorthFolding(OpKind kind, const Attrs &attrs, const TensorType &type,
                           std::span<const Id> operands) const {
  int64_t work = type.numElements();
  if (work > maxFoldedElements || hasSymbolicSizes(attrs)) {
    return false;
  }
  // A view that repeats elements costs nothing where it is used; written out it would be read.
  if (kind == OpKind::View && work > types[facts[operands[0]].type].numElements()) {
    return false;
  }
  if (kind == OpKind::Contract) {
    // Steps = result elements times the extents of the summed labels.
    const TensorType &x = types[facts[operands[0]].type];
    const std::vector<int64_t> &out = attrs.getInts("out");
    const std::vector<int64_t> &lhs = attrs.getInts("lhs");
    for (size_t i = 0; i < lhs.size() && work <= maxFoldingWork; ++i) {
      work *= std::ranges::count(out, lhs[i]) ? 1 : std::max<int64_t>(1, x.shape[i]);
    }
  }
  for (Id operand : operands) {
    work = std::max(work, types[facts[operand].type].numElements());
  }
  return work <= maxFoldingWork;
}

void Facts::modify(EGraph &engine, Id cls) {
  cls = engine.find(cls);
  if (facts[cls].value == none || facts[cls].leaf != none) {
    return;
  }
  KnownValue known = values[facts[cls].value];
  TensorType type = types[facts[cls].type];
  auto addNode = [&](OpKind kind, std::span<const Id> operands, const Attrs &attrs,
                     const TensorType &result) {
    setNextType(result);
    return engine.add(static_cast<uint32_t>(kind), payloads.intern(attrs), operands);
  };
  Id constant;
  if (known.splat.data() && type.rank() > 0) {
    // A splat is a view of its value, so that no kernel reads it from memory.
    Id scalar = addNode(OpKind::Constant, {}, {{"value", known.splat}}, known.splat.type());
    Attrs attrs = {{"map", IndexMap{type.rank(), {}}}, {"shape", type.shape}};
    constant = addNode(OpKind::View, std::array{scalar}, attrs, type);
  } else {
    const Tensor &value = known.full.data() ? known.full : known.splat;
    constant = addNode(OpKind::Constant, {}, {{"value", value}}, type);
  }
  engine.unite(cls, constant, egraph::Reason::client(uint32_t(ClientReason::Folding)));
}

} // namespace zyxc::graph
