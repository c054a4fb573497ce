#include "compiler/rules/SampleTerms.h"
#include <algorithm>
#include <array>
#include <numeric>

namespace zyxc::rules {

using IntList = std::vector<int64_t>;

//===- Tensors --------------------------------------------------------------------------------===//

ClassId SampleTerms::leaf(const TensorType &type) {
  int64_t id = static_cast<int64_t>(graph.inputs.size());
  ClassId cls = graph.add(
      OpKind::Leaf, {},
      {{"name", std::string("x")}, {"dtype", type.dtype}, {"shape", type.shape}, {"id", id}});
  graph.inputs.push_back({"x", cls});
  return cls;
}

ClassId SampleTerms::constant(const TensorType &type) {
  return graph.add(OpKind::Constant, {}, {{"value", numbers.tensor(type, hasSpecials)}});
}

ClassId SampleTerms::repeated(const TensorType &type,
                              const std::function<ClassId(const TensorType &)> &make) {
  TensorType small = type;
  for (int64_t &extent : small.shape) {
    extent = numbers.chance(60) ? 1 : extent;
  }
  return graph.add(OpKind::Expand, std::array{make(small)}, {{"shape", type.shape}});
}

std::optional<ClassId> SampleTerms::buildVariable(const Term &term, const TensorType *wanted) {
  if (const auto *bound = std::get_if<ClassValue>(&bindings[term.slot])) {
    return bound->id;
  }
  const Constraint &constraint = term.constraint;
  TensorType type = wanted ? *wanted : TensorType{numbers.dtype(constraint), numbers.shape()};
  auto makeLeaf = [&](const TensorType &t) {
    return leaf(t);
  };
  auto makeConstant = [&](const TensorType &t) {
    return constant(t);
  };
  ClassId cls;
  if (constraint.kind == Constraint::Kind::Splat) {
    cls = graph.addSplat(numbers.splat(type.dtype, hasSpecials), type.shape);
  } else if (constraint.kind == Constraint::Kind::Parameter || numbers.chance(20)) {
    cls = numbers.chance(60) ? repeated(type, makeConstant) : constant(type);
  } else {
    cls = numbers.chance(35) ? repeated(type, makeLeaf) : leaf(type);
  }
  if (!constraint.accepts(graph, cls)) {
    return std::nullopt;
  }
  bindings[term.slot] = ClassValue{cls};
  return cls;
}

std::optional<ClassId> SampleTerms::buildNumber(const Term &term, const TensorType &type) {
  Tensor scalar = isFloat(type.dtype)
                      ? Tensor::scalar(type.dtype, term.number)
                      : Tensor::scalarInt(type.dtype, static_cast<int64_t>(term.number));
  return graph.addSplat(std::move(scalar), type.shape);
}

//===- Ops ------------------------------------------------------------------------------------===//

std::optional<ClassId> SampleTerms::add(OpKind kind, std::span<const ClassId> operands,
                                        const Attrs &attrs) {
  Expected<ClassId> built = graph.tryAdd(kind, operands, attrs);
  return built ? std::optional<ClassId>(*built) : std::nullopt;
}

AttrValue SampleTerms::attr(const Term &term, std::string_view name,
                            const std::function<AttrValue()> &random) {
  auto pattern = std::ranges::find(term.attrs, name, [](const auto &entry) { return entry.first; });
  if (pattern == term.attrs.end()) {
    return random();
  }
  const Expression &expression = pattern->second;
  if (expression.kind == Expression::Kind::Literal) {
    return expression.literal;
  }
  Value &slot = bindings[expression.slot];
  if (std::holds_alternative<std::monostate>(slot)) {
    slot = random();
  }
  return std::get<AttrValue>(slot);
}

std::optional<ClassId> SampleTerms::buildTerm(uint32_t place, const TensorType *wanted) {
  const Term &term = rule.pattern[place];
  switch (term.kind) {
  case Term::Kind::Variable: return buildVariable(term, wanted);
  case Term::Kind::Number: return wanted ? buildNumber(term, *wanted) : std::nullopt;
  case Term::Kind::Op: return buildOp(term, term.op, wanted);
  case Term::Kind::Family: {
    std::vector<OpKind> kinds;
    for (int i = 0; i < numOpKinds(); ++i) {
      if (info(static_cast<OpKind>(i)).family == term.family) {
        kinds.push_back(static_cast<OpKind>(i));
      }
    }
    return buildOp(term, kinds[numbers.below(kinds.size())], wanted);
  }
  case Term::Kind::Sequence:
  case Term::Kind::Function: break;
  }
  return std::nullopt;
}

std::optional<ClassId> SampleTerms::buildOp(const Term &term, OpKind kind,
                                            const TensorType *wanted) {
  if (isElementwise(kind)) {
    return buildElementwise(term, kind, wanted);
  }
  switch (kind) {
  case OpKind::View: return buildView(term);
  case OpKind::Concat: return buildConcat(term, wanted);
  case OpKind::Contract: return buildContract(term);
  default: return buildOther(term, kind);
  }
}

std::optional<ClassId> SampleTerms::buildElementwise(const Term &term, OpKind kind,
                                                     const TensorType *wanted) {
  // Ops first: what they give decides on the type of the rest.
  std::vector<size_t> order(term.operands.size());
  std::iota(order.begin(), order.end(), 0);
  auto rank = [&](size_t i) {
    const Term &operand = rule.pattern[term.operands[i]];
    return operand.kind == Term::Kind::Number     ? 3
           : operand.kind == Term::Kind::Variable ? 2
           : operand.op == OpKind::View           ? 0
                                                  : 1;
  };
  std::ranges::sort(order, {}, [&](size_t i) { return std::pair(rank(i), i); });
  std::optional<TensorType> type;
  if (wanted && info(kind).family != OpFamily::Compare) {
    type = *wanted;
  }
  if (type && (kind == OpKind::Cast || kind == OpKind::Bitcast)) {
    type->dtype = numbers.dtype({});
  }
  std::vector<ClassId> operands(term.operands.size());
  for (size_t i : order) {
    std::optional<TensorType> own = type;
    if (own && kind == OpKind::Select && i == 0) {
      own->dtype = DType::Bool;
    }
    std::optional<ClassId> built = buildTerm(term.operands[i], own ? &*own : nullptr);
    if (!built) {
      return std::nullopt;
    }
    operands[i] = *built;
    if (!type) {
      type = graph.type(*built);
      if (kind == OpKind::Select && i == 0) {
        type->dtype = numbers.dtype({});
      }
    }
  }
  Attrs attrs;
  if (kind == OpKind::Cast || kind == OpKind::Bitcast) {
    DType own = graph.type(operands[0]).dtype;
    attrs.set("dtype", attr(term, "dtype", [&] {
                return AttrValue(numbers.chance(25) ? own : numbers.dtype({}));
              }));
  }
  return add(kind, operands, attrs);
}

ClassId SampleTerms::randomMovement(ClassId source) {
  Shape shape = graph.type(source).shape;
  IntList all(shape.size());
  std::iota(all.begin(), all.end(), 0);
  switch (numbers.below(5)) {
  case 0: {
    std::rotate(all.begin(), all.begin() + static_cast<int64_t>(numbers.below(all.size() + 1)),
                all.end());
    return graph.add(OpKind::Permute, std::array{source}, {{"perm", all}});
  }
  case 1:
    return graph.add(OpKind::Reshape, std::array{source}, {{"shape", Shape{numElements(shape)}}});
  case 2: {
    IntList starts, sizes;
    for (int64_t extent : shape) {
      starts.push_back(static_cast<int64_t>(numbers.below(extent)));
      sizes.push_back(1 + static_cast<int64_t>(numbers.below(extent - starts.back())));
    }
    return graph.add(OpKind::Narrow, std::array{source},
                     {{"starts", starts}, {"sizes", sizes}, {"steps", IntList(shape.size(), 1)}});
  }
  case 3: {
    shape.push_back(1);
    ClassId wider = graph.add(OpKind::Reshape, std::array{source}, {{"shape", shape}});
    shape.back() = 1 + static_cast<int64_t>(numbers.below(4));
    return graph.add(OpKind::Expand, std::array{wider}, {{"shape", shape}});
  }
  default: {
    if (shape.size() < 2) {
      return graph.add(OpKind::Flip, std::array{source}, {{"axes", all}});
    }
    shape[0] *= shape[1];
    shape.erase(shape.begin() + 1);
    return graph.add(OpKind::Reshape, std::array{source}, {{"shape", shape}});
  }
  }
}

std::optional<ClassId> SampleTerms::buildView(const Term &term) {
  auto slotOf = [&](std::string_view name) -> Value * {
    auto entry = std::ranges::find(term.attrs, name, [](const auto &e) { return e.first; });
    return entry == term.attrs.end() ? nullptr : &bindings[entry->second.slot];
  };
  Value *map = slotOf("map");
  Value *shape = slotOf("shape");
  if (!map || !shape) {
    return std::nullopt;
  }
  if (!std::holds_alternative<std::monostate>(*map)) {
    // The same view once more, of another tensor of the same type.
    TensorType type = viewedType;
    std::optional<ClassId> source = buildTerm(term.operands[0], &type);
    Attrs attrs = {{"map", std::get<AttrValue>(*map)}, {"shape", std::get<AttrValue>(*shape)}};
    return source ? add(OpKind::View, std::array{*source}, attrs) : std::nullopt;
  }
  std::optional<ClassId> source = buildTerm(term.operands[0], nullptr);
  if (!source) {
    return std::nullopt;
  }
  viewedType = graph.type(*source);
  ClassId view = randomMovement(*source);
  for (NodeId node : graph.nodes(view)) {
    if (graph.kind(node) == OpKind::View && graph.operands(node)[0] == graph.find(*source)) {
      *map = *graph.attrs(node).find("map");
      *shape = *graph.attrs(node).find("shape");
      return view;
    }
  }
  return std::nullopt;
}

std::vector<ClassId> SampleTerms::buildSequence(const TensorType &like, int64_t axis) {
  std::vector<ClassId> pieces(numbers.below(4));
  if (numbers.chance(50)) {
    for (ClassId &piece : pieces) {
      TensorType type = like;
      type.shape[axis] = 1 + static_cast<int64_t>(numbers.below(3));
      piece = leaf(type);
      if (numbers.chance(30)) {
        piece = graph.add(OpKind::Concat, std::array{piece, leaf(type)}, {{"axis", axis}});
      }
    }
    return pieces;
  }
  // Neighbouring windows of one tensor.
  TensorType whole = like;
  whole.shape[axis] = 3 * static_cast<int64_t>(pieces.size()) + 1;
  ClassId source = leaf(whole);
  IntList starts(whole.shape.size(), 0);
  for (ClassId &piece : pieces) {
    IntList sizes = whole.shape;
    sizes[axis] = 1 + static_cast<int64_t>(numbers.below(3));
    piece = graph.add(OpKind::Narrow, std::array{source},
                      {{"starts", starts}, {"sizes", sizes}, {"steps", IntList(sizes.size(), 1)}});
    starts[axis] += sizes[axis];
  }
  return pieces;
}

std::optional<ClassId> SampleTerms::buildConcat(const Term &term, const TensorType *wanted) {
  TensorType like = wanted ? *wanted : TensorType{numbers.dtype({}), numbers.shape()};
  if (like.shape.empty()) {
    return std::nullopt;
  }
  AttrValue axis = attr(term, "axis", [&] {
    return AttrValue(static_cast<int64_t>(numbers.below(like.shape.size())));
  });
  int64_t axisNumber = std::get<int64_t>(axis);
  if (axisNumber >= like.rank()) {
    return std::nullopt;
  }
  std::vector<ClassId> operands;
  for (uint32_t place : term.operands) {
    const Term &operand = rule.pattern[place];
    if (operand.kind == Term::Kind::Sequence) {
      std::vector<ClassId> pieces = buildSequence(like, axisNumber);
      bindings[operand.slot] = pieces;
      operands.insert(operands.end(), pieces.begin(), pieces.end());
      continue;
    }
    std::optional<ClassId> built = buildTerm(place, &like);
    if (!built) {
      return std::nullopt;
    }
    operands.push_back(*built);
  }
  return operands.empty() ? std::nullopt : add(OpKind::Concat, operands, {{"axis", axis}});
}

std::optional<ClassId> SampleTerms::buildContract(const Term &term) {
  constexpr int64_t numLabels = 5;
  IntList extents, sides[2], out;
  for (int64_t label = 0; label < numLabels; ++label) {
    extents.push_back(1 + static_cast<int64_t>(numbers.below(3)));
    uint64_t where = numbers.below(4); // x, y, both, none
    for (uint64_t side : {0u, 1u}) {
      if (where == side || where == 2) {
        sides[side].insert(sides[side].begin() +
                               static_cast<int64_t>(numbers.below(sides[side].size() + 1)),
                           label);
      }
    }
    if (where < 3 && numbers.chance(60)) {
      out.push_back(label);
    }
  }
  DType dtype = numbers.dtype({Constraint::Kind::Float, DType::F32});
  std::vector<ClassId> operands;
  for (int side : {0, 1}) {
    TensorType type = {dtype, {}};
    for (int64_t label : sides[side]) {
      type.shape.push_back(extents[label]);
    }
    std::optional<ClassId> built = buildTerm(term.operands[side], &type);
    if (!built) {
      return std::nullopt;
    }
    operands.push_back(*built);
  }
  Attrs attrs;
  const std::pair<const char *, AttrValue> values[] = {{"lhs", sides[0]},
                                                       {"rhs", sides[1]},
                                                       {"out", out},
                                                       {"accumulate", accumulatorOf(dtype)},
                                                       {"dtype", dtype}};
  for (const auto &[name, value] : values) {
    attrs.set(name, attr(term, name, [&] { return value; }));
  }
  return add(OpKind::Contract, operands, attrs);
}

AttrValue SampleTerms::randomAttr(OpKind kind, const AttrInfo &attrInfo, ClassId operand) {
  const Shape &shape = graph.type(operand).shape;
  std::string_view name = attrInfo.name;
  if (name == "axes") {
    IntList axes;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (numbers.chance(50)) {
        axes.push_back(static_cast<int64_t>(axis));
      }
    }
    return axes;
  }
  bool isPool = isComposite(kind);
  IntList list(isPool ? std::max<size_t>(shape.size(), 2) - 2 : shape.size());
  bool isWidth = name == "low" || name == "high" || name.starts_with("count");
  bool isPlain = isPool && numbers.chance(80);
  for (int64_t &value : list) {
    value = (isWidth ? 0 : 1) + (isPlain ? 0 : static_cast<int64_t>(numbers.below(2)));
  }
  return list;
}

std::optional<ClassId> SampleTerms::buildOther(const Term &term, OpKind kind) {
  std::vector<ClassId> operands;
  for (size_t i = 0; i < term.operands.size(); ++i) {
    TensorType type;
    const TensorType *wanted = nullptr;
    if (i == 0 && isComposite(kind)) {
      type = {numbers.dtype({Constraint::Kind::Float, DType::F32}), numbers.shape()};
      type.shape.insert(type.shape.begin(), {1, 2});
      wanted = &type;
    }
    if (i > 0 && kind == OpKind::Pad) {
      type = {graph.type(operands[0]).dtype, {}};
      wanted = &type;
    }
    std::optional<ClassId> built = buildTerm(term.operands[i], wanted);
    if (!built) {
      return std::nullopt;
    }
    operands.push_back(*built);
  }
  if (operands.empty()) {
    return std::nullopt;
  }
  Attrs attrs;
  for (const AttrInfo &attrInfo : info(kind).attributes) {
    if (attrInfo.type != AttrType::Ints) {
      return std::nullopt;
    }
    attrs.set(attrInfo.name,
              attr(term, attrInfo.name, [&] { return randomAttr(kind, attrInfo, operands[0]); }));
  }
  return add(kind, operands, attrs);
}

} // namespace zyxc::rules
