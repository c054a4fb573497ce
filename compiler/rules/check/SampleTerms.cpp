#include "compiler/rules/check/SampleTerms.h"
#include "compiler/rules/check/FieldEvaluator.h"
#include <algorithm>
#include <array>
#include <numeric>

namespace zyxc::rules {

//===- Tensors --------------------------------------------------------------------------------===//

ClassId SampleTerms::leaf(const TensorType &type, uint32_t slot) {
  std::string name = rule.slotNames[slot].substr(1);
  auto id = static_cast<int64_t>(graph.inputs.size());
  if (std::ranges::any_of(graph.inputs, [&](const auto &input) { return input.name == name; })) {
    name += std::to_string(id);
  }
  ClassId cls = graph.add(
      OpKind::Leaf, {}, {{"name", name}, {"dtype", type.dtype}, {"shape", type.shape}, {"id", id}});
  graph.inputs.push_back({name, cls});
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
    return leaf(t, term.slot);
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
    cls = numbers.chance(35) ? repeated(type, makeLeaf) : leaf(type, term.slot);
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

std::optional<ClassId> SampleTerms::build() {
  graph.setOrigin("pattern"); // some functions tell what the program has from what rules made
  std::vector<Premise> asWritten = rule.premises;
  std::ranges::sort(asWritten, {}, &Premise::root);
  std::optional<ClassId> first;
  for (const Premise &premise : asWritten) {
    std::optional<ClassId> root = buildTerm(premise.root, nullptr);
    if (!root) {
      return std::nullopt;
    }
    first = first ? first : root;
    if (premise.name) {
      bindings[*premise.name] = ClassValue{*root};
    }
  }
  return first;
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

std::vector<OpKind> SampleTerms::kindsOf(OpFamily family) const {
  std::vector<OpKind> kinds;
  for (int i = 0; i < numOpKinds(); ++i) {
    OpKind kind = static_cast<OpKind>(i);
    if (info(kind).family == family && (!numbers.isOverField() || FieldEvaluator::knows(kind))) {
      kinds.push_back(kind);
    }
  }
  return kinds;
}

std::optional<ClassId> SampleTerms::buildTerm(uint32_t place, const TensorType *wanted) {
  const Term &term = rule.pattern[place];
  switch (term.kind) {
  case Term::Kind::Variable: return buildVariable(term, wanted);
  case Term::Kind::Number: return wanted ? buildNumber(term, *wanted) : std::nullopt;
  case Term::Kind::Op: return buildOp(term, term.op, wanted);
  case Term::Kind::Family: {
    std::vector<OpKind> kinds = kindsOf(term.family);
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
  default: return buildOther(term, kind, wanted);
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
    type->dtype = numbers.anyDType();
  }
  std::vector<ClassId> operands(term.operands.size());
  for (size_t i : order) {
    std::optional<TensorType> own = type;
    if (kind == OpKind::Select && i == 0) {
      own = TensorType{DType::Bool, own ? own->shape : numbers.shape()};
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
                return AttrValue(numbers.chance(25) ? own : numbers.anyDType());
              }));
  }
  return add(kind, operands, attrs);
}

} // namespace zyxc::rules
