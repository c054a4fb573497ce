#include "compiler/plan/explain/Forms.h"
#include "compiler/rules/ExplainRules.h"
#include <map>
#include <set>

namespace zyxc::explain {

using graph::ClassId;
using graph::NodeId;

namespace {

/// Walks from the roots through what the chosen candidates compute.
class FormWalk {
public:
  explicit FormWalk(const PartSteps &steps)
      : graph(steps.graph), forms(steps.graph, steps.ruleSet), ruleSet(steps.ruleSet) {
    const std::vector<uint32_t> &chosen = steps.choice.candidates;
    computed.resize(chosen.size());
    seen.resize(chosen.size());
    result.resize(chosen.size());
    for (size_t i = 0; i < chosen.size(); ++i) {
      const kernelize::Candidate &candidate = steps.table.candidates[chosen[i]];
      for (NodeId node : candidate.nodes) {
        computed[i].emplace(graph.find(node), node);
      }
      for (ClassId cls : candidate.outputs) {
        maker.emplace(cls, i);
      }
    }
    for (const graph::Endpoint &input : graph.inputs) {
      leaf.emplace(graph.find(input.cls), input.cls);
    }
  }

  std::vector<std::vector<FormStep>> run() {
    // Not TensorGraph::roots(): those are canonical, and so not what the program was written with.
    for (const graph::Endpoint &output : graph.outputs) {
      demand(output.cls);
    }
    for (const graph::Write &write : graph.writes) {
      demand(write.value);
    }
    while (!open.empty()) {
      auto [written, kernel] = open.back();
      open.pop_back();
      visit(written, kernel);
    }
    return std::move(result);
  }

private:
  void demand(NodeId written) {
    if (auto made = maker.find(graph.find(written)); made != maker.end()) {
      push(written, made->second);
    }
  }

  void push(NodeId written, size_t kernel) {
    if (known.emplace(written, kernel).second) {
      open.emplace_back(written, kernel);
    }
  }

  /// A term that was written in one way and is computed in another by this kernel.
  void visit(NodeId written, size_t kernel) {
    auto found = computed[kernel].find(graph.find(written));
    if (found == computed[kernel].end()) {
      return; // a splat, which has no term
    }
    NodeId node = found->second;
    if (forms.isSameForm(node, written)) {
      node = written; // what differs is said of the operands
    } else {
      addChain(written, node, kernel);
    }
    for (ClassId operand : graph.engine().originalChildren(node)) {
      ClassId cls = graph.find(operand);
      if (computed[kernel].contains(cls)) {
        push(operand, kernel);
      } else if (maker.contains(cls)) {
        demand(operand);
      } else if (auto input = leaf.find(cls); input != leaf.end()) {
        addChain(operand, input->second, kernel);
      }
    }
  }

  void addChain(NodeId from, NodeId to, size_t kernel) {
    constexpr int depth = 2; // of terms
    std::vector<std::pair<NodeId, NodeId>> chains{{from, to}};
    for (size_t next = 0; next < chains.size(); ++next) {
      auto [left, right] = chains[next];
      if (!seen[kernel].emplace(left, right).second) {
        continue;
      }
      for (const rules::FormStep &step : forms.chain(left, right)) {
        chains.insert(chains.end(), step.operands.begin(), step.operands.end());
        bool isNew = seen[kernel].emplace(step.from, step.to).second ||
                     (step.from == left && step.to == right);
        if (step.by != rules::FormStep::By::Operands && isNew) {
          result[kernel].push_back({byOf(step), ruleOf(step), !step.isForward,
                                    forms.term(step.from, depth), forms.term(step.to, depth),
                                    step.because});
        }
      }
    }
  }

  static FormStep::By byOf(const rules::FormStep &step) {
    switch (step.by) {
    case rules::FormStep::By::Rule: return FormStep::By::Rule;
    case rules::FormStep::By::Operands:
    case rules::FormStep::By::Order: return FormStep::By::Order;
    case rules::FormStep::By::Folding: return FormStep::By::Folding;
    case rules::FormStep::By::Decomposition: return FormStep::By::Decomposition;
    case rules::FormStep::By::Given: return FormStep::By::Given;
    }
  }

  std::string ruleOf(const rules::FormStep &step) const {
    return step.by == rules::FormStep::By::Rule ? ruleSet[step.rule].name : "";
  }

  const graph::TensorGraph &graph;
  rules::FormExplainer forms;
  std::span<const rules::Rule> ruleSet;
  std::vector<std::map<ClassId, NodeId>> computed; ///< by place in the choice
  std::map<ClassId, size_t> maker;
  std::map<ClassId, NodeId> leaf;
  std::set<std::pair<NodeId, size_t>> known;
  std::vector<std::pair<NodeId, size_t>> open;
  std::vector<std::set<std::pair<NodeId, NodeId>>> seen; ///< chains and steps, by place
  std::vector<std::vector<FormStep>> result;
};

} // namespace

std::vector<std::vector<FormStep>> formsOf(const PartSteps &steps) {
  return FormWalk(steps).run();
}

} // namespace zyxc::explain
