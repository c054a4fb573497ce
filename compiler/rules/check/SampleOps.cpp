// Instances of ops that are not elementwise: views, concatenations, contractions and the rest.
#include "compiler/rules/check/SampleTerms.h"
#include <algorithm>
#include <array>
#include <numeric>

namespace zyxc::rules {

using IntList = std::vector<int64_t>;

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
    bool isSlot = entry != term.attrs.end() && entry->second.kind == Expression::Kind::Slot;
    return isSlot ? &bindings[entry->second.slot] : nullptr;
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

std::vector<ClassId> SampleTerms::buildSequence(uint32_t slot, const TensorType &like,
                                                int64_t axis) {
  std::vector<ClassId> pieces(numbers.below(4));
  if (numbers.chance(50)) {
    for (ClassId &piece : pieces) {
      TensorType type = like;
      type.shape[axis] = 1 + static_cast<int64_t>(numbers.below(3));
      piece = leaf(type, slot);
      if (numbers.chance(30)) {
        piece = graph.add(OpKind::Concat, std::array{piece, leaf(type, slot)}, {{"axis", axis}});
      }
    }
    return pieces;
  }
  // Neighbouring windows of one tensor.
  TensorType whole = like;
  whole.shape[axis] = 3 * static_cast<int64_t>(pieces.size()) + 1;
  ClassId source = leaf(whole, slot);
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
      std::vector<ClassId> pieces = buildSequence(operand.slot, like, axisNumber);
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

SampleTerms::ContractLabels SampleTerms::randomLabels(const Constraint &constraint) {
  constexpr int64_t numLabels = 5;
  ContractLabels labels;
  for (int64_t label = 0; label < numLabels; ++label) {
    labels.extents.push_back(1 + static_cast<int64_t>(numbers.below(3)));
    uint64_t where = numbers.below(4); // x, y, both, none
    for (uint64_t side : {0u, 1u}) {
      IntList &list = labels.sides[side];
      if (where == side || where == 2) {
        list.insert(list.begin() + static_cast<int64_t>(numbers.below(list.size() + 1)), label);
      }
    }
    if (where < 3 && numbers.chance(60)) {
      labels.out.push_back(label);
    }
  }
  bool isParameter = constraint.kind == Constraint::Kind::Parameter;
  labels.dtype = numbers.dtype(isParameter ? Constraint() : constraint);
  labels.dtype = labels.dtype == DType::Bool ? DType::I32 : labels.dtype;
  labels.accumulate = accumulatorOf(labels.dtype);
  if (isInteger(labels.dtype) && numbers.chance(20)) {
    labels.accumulate = numbers.dtype({Constraint::Kind::Int, DType::F32});
  }
  labels.result = numbers.chance(20) ? labels.accumulate : labels.dtype;
  return labels;
}

/// Gives one operand of a contraction axes of its own extents where its labels are in no other.
void SampleTerms::varyOperand(ContractLabels &labels, int side) {
  for (int64_t label : labels.sides[side]) {
    if (!std::ranges::count(labels.sides[1 - side], label) && numbers.chance(50)) {
      labels.extents[label] = 1 + static_cast<int64_t>(numbers.below(3));
    }
  }
}

/// Makes the labels of one operand fit a tensor that is there already. False if they cannot.
bool SampleTerms::fitOperand(ContractLabels &labels, int side, ClassId operand) const {
  const TensorType &type = graph.type(operand);
  IntList &list = labels.sides[side];
  for (int64_t label = 0; list.size() < type.shape.size(); ++label) {
    if (label == static_cast<int64_t>(labels.extents.size())) {
      return false;
    }
    if (!std::ranges::count(list, label)) {
      list.push_back(label);
    }
  }
  list.resize(type.shape.size());
  for (size_t axis = 0; axis < list.size(); ++axis) {
    labels.extents[list[axis]] = type.shape[axis];
  }
  std::erase_if(labels.out, [&](int64_t label) {
    return !std::ranges::count(list, label) && !std::ranges::count(labels.sides[1 - side], label);
  });
  labels.dtype = type.dtype;
  labels.accumulate = accumulatorOf(type.dtype);
  labels.result = type.dtype;
  return true;
}

std::optional<ClassId> SampleTerms::buildContract(const Term &term) {
  // A second contraction with the same variables has the same labels.
  bool isBound = std::ranges::any_of(term.attrs, [&](const auto &attr) {
    return attr.first == "lhs" && attr.second.kind == Expression::Kind::Slot &&
           !std::holds_alternative<std::monostate>(bindings[attr.second.slot]);
  });
  if (!isBound) {
    contracted = randomLabels(rule.pattern[term.operands[0]].constraint);
  }
  ContractLabels labels = contracted;
  for (int side : {0, 1}) {
    const Term &operand = rule.pattern[term.operands[side]];
    const ClassValue *known = operand.kind == Term::Kind::Variable
                                  ? std::get_if<ClassValue>(&bindings[operand.slot])
                                  : nullptr;
    if (isBound && !known) {
      varyOperand(labels, side);
    } else if (!isBound && known && !fitOperand(labels, side, known->id)) {
      return std::nullopt;
    }
  }
  std::vector<ClassId> operands;
  for (int side : {0, 1}) {
    TensorType type = {labels.dtype, {}};
    for (int64_t label : labels.sides[side]) {
      type.shape.push_back(labels.extents[label]);
    }
    std::optional<ClassId> built = buildTerm(term.operands[side], &type);
    if (!built) {
      return std::nullopt;
    }
    operands.push_back(*built);
  }
  Attrs attrs;
  const std::pair<const char *, AttrValue> values[] = {{"lhs", labels.sides[0]},
                                                       {"rhs", labels.sides[1]},
                                                       {"out", labels.out},
                                                       {"accumulate", labels.accumulate},
                                                       {"dtype", labels.result}};
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
    if (!shape.empty() && numbers.chance(50)) {
      return IntList{static_cast<int64_t>(numbers.below(shape.size()))};
    }
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

/// The type of what a pad with borders that are bound makes a tensor of type `padded` of.
std::optional<TensorType> SampleTerms::typeBelowPad(const Term &term,
                                                    const TensorType *padded) const {
  TensorType type = padded ? *padded : TensorType();
  for (const auto &[name, expression] : term.attrs) {
    bool isKnown = padded && expression.kind == Expression::Kind::Slot &&
                   !std::holds_alternative<std::monostate>(bindings[expression.slot]);
    if (!isKnown) {
      return std::nullopt;
    }
    const auto &widths = std::get<IntList>(std::get<AttrValue>(bindings[expression.slot]));
    for (size_t axis = 0; axis < type.shape.size() && axis < widths.size(); ++axis) {
      type.shape[axis] -= widths[axis];
    }
  }
  bool hasElements = std::ranges::all_of(type.shape, [](int64_t extent) { return extent > 0; });
  return hasElements ? std::optional(type) : std::nullopt;
}

std::optional<ClassId> SampleTerms::buildOther(const Term &term, OpKind kind,
                                               const TensorType *result) {
  std::vector<ClassId> operands;
  for (size_t i = 0; i < term.operands.size(); ++i) {
    TensorType type;
    const TensorType *wanted = nullptr;
    if (i == 0 && isComposite(kind)) {
      type = {numbers.dtype({Constraint::Kind::Float, DType::F32}), numbers.shape()};
      type.shape.insert(type.shape.begin(), {1, 2});
      wanted = &type;
    }
    if (i == 0 && kind == OpKind::Pad) {
      if (std::optional<TensorType> below = typeBelowPad(term, result)) {
        type = *std::move(below);
        wanted = &type;
      }
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
