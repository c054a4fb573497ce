// Builds the result of a rule: conditions first, then the term from its leaves up.
#include "compiler/rules/Rule.h"
#include <algorithm>
#include <array>

namespace zyxc::rules {

namespace {

class ResultBuilder {
public:
  ResultBuilder(TensorGraph &graph, const Rule &rule, const Bindings &bindings)
      : graph(graph), rule(rule), bindings(bindings) {}

  bool isProved(const Expression &condition) const {
    std::optional<Value> value = evaluate(condition);
    return value && std::get<int64_t>(std::get<AttrValue>(*value)) != 0;
  }
  /// A term of this type.
  std::optional<ClassId> buildRoot(uint32_t place, const TensorType &type);

private:
  std::optional<Value> evaluate(const Expression &expression) const;
  std::optional<std::vector<Value>> evaluateAll(std::span<const Expression> expressions) const;
  std::optional<ClassId> build(uint32_t place);
  std::optional<std::vector<ClassId>> buildOperands(const Term &term);
  std::optional<ClassId> buildOp(const Term &term);
  std::optional<ClassId> buildNumber(const Term &term, const TensorType &type);

  TensorGraph &graph;
  const Rule &rule;
  const Bindings &bindings;
};

std::optional<Value> ResultBuilder::evaluate(const Expression &expression) const {
  switch (expression.kind) {
  case Expression::Kind::Slot: return bindings[expression.slot];
  case Expression::Kind::Literal: return Value(expression.literal);
  case Expression::Kind::Call: {
    std::optional<std::vector<Value>> arguments = evaluateAll(expression.operands);
    if (!arguments) {
      return std::nullopt;
    }
    std::optional<AttrValue> result = expression.function->call(graph, *arguments);
    return result ? std::optional<Value>(std::move(*result)) : std::nullopt;
  }
  }
  return std::nullopt;
}

std::optional<std::vector<Value>>
ResultBuilder::evaluateAll(std::span<const Expression> expressions) const {
  std::vector<Value> values;
  for (const Expression &expression : expressions) {
    std::optional<Value> value = evaluate(expression);
    if (!value) {
      return std::nullopt;
    }
    values.push_back(std::move(*value));
  }
  return values;
}

std::optional<ClassId> ResultBuilder::build(uint32_t place) {
  const Term &term = rule.result[place];
  switch (term.kind) {
  case Term::Kind::Variable: return std::get<ClassValue>(bindings[term.slot]).id;
  case Term::Kind::Function: {
    std::optional<std::vector<Value>> arguments = evaluateAll(term.arguments);
    return arguments ? term.function->call(graph, *arguments) : std::nullopt;
  }
  case Term::Kind::Op:
  case Term::Kind::Family: return buildOp(term);
  case Term::Kind::Number:          // its type is that of what stands beside it
  case Term::Kind::Sequence: break; // only among operands
  }
  return std::nullopt;
}

std::optional<std::vector<ClassId>> ResultBuilder::buildOperands(const Term &term) {
  std::vector<ClassId> operands;
  std::vector<std::pair<size_t, uint32_t>> numbers; // place in operands, term
  for (uint32_t operand : term.operands) {
    const Term &child = rule.result[operand];
    if (child.kind == Term::Kind::Sequence) {
      const auto &list = std::get<std::vector<ClassId>>(bindings[child.slot]);
      operands.insert(operands.end(), list.begin(), list.end());
      continue;
    }
    if (child.kind == Term::Kind::Number) {
      numbers.emplace_back(operands.size(), operand);
      operands.push_back(egraph::none);
      continue;
    }
    std::optional<ClassId> built = build(operand);
    if (!built) {
      return std::nullopt;
    }
    operands.push_back(*built);
  }
  for (auto [place, number] : numbers) {
    // Loading has checked that a number stands beside one other operand.
    TensorType type = graph.type(operands[1 - place]);
    std::optional<ClassId> built = buildNumber(rule.result[number], type);
    if (!built) {
      return std::nullopt;
    }
    operands[place] = *built;
  }
  return operands;
}

std::optional<ClassId> ResultBuilder::buildOp(const Term &term) {
  std::optional<std::vector<ClassId>> operands = buildOperands(term);
  if (!operands) {
    return std::nullopt;
  }
  OpKind kind = term.op;
  Attrs attrs;
  if (term.kind == Term::Kind::Family) {
    NodeId node = std::get<OpValue>(bindings[term.slot]).node;
    kind = graph.kind(node);
    attrs = graph.attrs(node);
  }
  for (const auto &[name, expression] : term.attrs) {
    std::optional<Value> value = evaluate(expression);
    if (!value || !std::holds_alternative<AttrValue>(*value)) {
      return std::nullopt;
    }
    attrs.set(name, std::get<AttrValue>(std::move(*value)));
  }
  Expected<ClassId> built = graph.tryAdd(kind, *operands, attrs);
  return built ? std::optional<ClassId>(*built) : std::nullopt;
}

std::optional<ClassId> ResultBuilder::buildNumber(const Term &term, const TensorType &type) {
  Tensor scalar = isFloat(type.dtype)
                      ? Tensor::scalar(type.dtype, term.number)
                      : Tensor::scalarInt(type.dtype, static_cast<int64_t>(term.number));
  if (!isFloat(type.dtype) && (!term.isInteger || scalar.asDouble(0) != term.number)) {
    return std::nullopt;
  }
  return graph.addSplat(std::move(scalar), type.shape);
}

std::optional<ClassId> ResultBuilder::buildRoot(uint32_t place, const TensorType &type) {
  const Term &term = rule.result[place];
  std::optional<ClassId> built =
      term.kind == Term::Kind::Number ? buildNumber(term, type) : build(place);
  return built && graph.type(*built) == type ? built : std::nullopt;
}

} // namespace

std::optional<std::vector<ClassId>> buildResults(TensorGraph &graph, const Rule &rule,
                                                 const Match &match) {
  ResultBuilder builder(graph, rule, match.bindings);
  for (const Expression &condition : rule.conditions) {
    if (!builder.isProved(condition)) {
      return std::nullopt;
    }
  }
  std::vector<ClassId> results;
  for (const Conclusion &conclusion : rule.conclusions) {
    TensorType type = graph.type(match.roots[conclusion.premise]);
    std::optional<ClassId> built = builder.buildRoot(conclusion.root, type);
    if (!built) {
      return std::nullopt;
    }
    results.push_back(*built);
  }
  return results;
}

} // namespace zyxc::rules
