#include "compiler/egraph/pattern/Language.h"
#include "compiler/egraph/Explain.h"
#include <algorithm>
#include <unordered_map>

namespace zyxc::egraph {

uint32_t Language::op(std::string_view name, uint32_t arity) {
  auto [entry, isNew] = opIds.try_emplace({std::string(name), arity}, numOps());
  if (isNew) {
    ops.push_back({std::string(name), arity});
  }
  return entry->second;
}

uint32_t Language::atom(std::string_view name) {
  auto [entry, isNew] = atomIds.try_emplace(std::string(name), static_cast<uint32_t>(atoms.size()));
  if (isNew) {
    atoms.emplace_back(name);
  }
  return entry->second;
}

uint32_t Language::number(const Number &value) {
  auto [entry, isNew] = numberIds.try_emplace({value.numerator, value.denominator},
                                              static_cast<uint32_t>(numbers.size()));
  if (isNew) {
    numbers.push_back(value);
  }
  return entry->second;
}

std::string Language::opName(uint32_t op) const {
  if (op == numberOp || op == atomOp) {
    return op == numberOp ? "number" : "atom";
  }
  const Op &named = ops[op - 2];
  bool isUnique = std::ranges::count(ops, named.name, &Op::name) == 1;
  return isUnique ? named.name : fmt::format("{}/{}", named.name, named.arity);
}

std::string Language::label(const EGraph &graph, NodeId node) const {
  uint32_t op = graph.op(node);
  if (op == numberOp) {
    return numbers[graph.payload(node)].toText();
  }
  return op == atomOp ? atoms[graph.payload(node)] : ops[op - 2].name;
}

Status checkNumbers(const EGraph &graph, const Language &language, const RuleNames &names) {
  std::unordered_map<Id, NodeId> numberOf;
  for (NodeId node : graph.nodesWithOp(Language::numberOp)) {
    auto [entry, isNew] = numberOf.try_emplace(graph.find(node), node);
    if (isNew || graph.payload(entry->second) == graph.payload(node)) {
      continue;
    }
    std::string rules;
    for (uint32_t rule : rulesBehind(graph, node)) {
      rules += (rules.empty() ? "" : ", ") + names.ruleName(rule);
    }
    return makeError(ErrorCode::Input, "{} and {} are in one class; rules that led there: {}",
                     language.label(graph, entry->second), language.label(graph, node),
                     graph.keepsLog() ? rules : "unknown, since the graph keeps no log");
  }
  return Status::ok();
}

} // namespace zyxc::egraph
