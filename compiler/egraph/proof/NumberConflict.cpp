#include "compiler/egraph/proof/NumberConflict.h"
#include "compiler/egraph/Explain.h"
#include "compiler/egraph/proof/Explainer.h"
#include "compiler/egraph/proof/ProofText.h"
#include <unordered_map>

namespace zyxc::egraph {

/// ", by: one, two backwards", or what else is known.
static std::string cause(const EGraph &graph, const Program &program, NodeId first, NodeId second) {
  constexpr size_t mostRules = 20;
  if (graph.keepsMatches()) {
    Expected<Proof> proof = Explainer(graph, program.rules).explain(first, second);
    return proof ? ", by: " + rulesInOrder(*proof, ProgramNames(program), mostRules)
                 : "; " + proof.error().message();
  }
  std::string rules;
  for (uint32_t rule : rulesBehind(graph, first)) {
    rules += (rules.empty() ? "" : ", ") + program.rules[rule].name;
  }
  return graph.keepsLog() ? "; rules that led there: " + rules
                          : "; the graph keeps no log of rules";
}

Status checkNumbers(const EGraph &graph, const Program &program) {
  std::unordered_map<Id, NodeId> numberOf;
  for (NodeId node : graph.nodesWithOp(Language::numberOp)) {
    auto [entry, isNew] = numberOf.try_emplace(graph.find(node), node);
    if (isNew || graph.payload(entry->second) == graph.payload(node)) {
      continue;
    }
    const Language &language = program.language;
    return makeError(ErrorCode::Input, "{} and {} are in one class{}",
                     language.label(graph, entry->second), language.label(graph, node),
                     cause(graph, program, entry->second, node));
  }
  return Status::ok();
}

std::function<Status(const EGraph &)> numberCheck(const Program &program) {
  return [&program](const EGraph &graph) {
    return checkNumbers(graph, program);
  };
}

} // namespace zyxc::egraph
