// Why a program that was chosen after rules is equal to the one before: the rules on the way, from
// the union log of the engine.
#pragma once
#include "compiler/graph/Choice.h"
#include "compiler/rules/Rule.h"
#include <memory>
#include <span>

namespace zyxc::egraph {
class UnionHistory;
} // namespace zyxc::egraph

namespace zyxc::rules {

/// A step of a chain of equal terms.
struct FormStep {
  enum class By : uint8_t {
    Rule,          ///< `rule`
    Operands,      ///< `operands`: pairs of terms that are equal
    Order,         ///< the operands of a commutative op were swapped
    Folding,       ///< the value was computed
    Decomposition, ///< of a composite
    Given,         ///< the program says so
  };
  By by = By::Given;
  uint32_t rule = 0;     ///< its number
  bool isForward = true; ///< else the rule made the left term from the right one
  NodeId from = 0;
  NodeId to = 0;
  std::string because; ///< the reason in words, but for By::Operands
  std::vector<std::pair<NodeId, NodeId>> operands;
};

/// Says why nodes of a graph are equal, after runRules() with these rules.
class FormExplainer {
public:
  /// Both must outlive this. Reads the union log once.
  FormExplainer(const TensorGraph &graph, std::span<const Rule> rules);
  ~FormExplainer();

  /// The steps between two nodes of one class; none if they are one node.
  std::vector<FormStep> chain(NodeId from, NodeId to) const;
  /// A term with ops up to `depth` below its own.
  std::string term(NodeId node, int depth) const;
  /// True if the nodes differ at most in which of equal terms their operands are.
  bool isSameForm(NodeId a, NodeId b) const;

private:
  FormStep step(uint32_t entry, bool isForward) const;
  std::string ruleReason(uint32_t entry, bool isForward) const;
  std::string attributes(NodeId node) const;

  const TensorGraph &graph;
  const egraph::EGraph &engine;
  std::span<const Rule> rules;
  std::unique_ptr<egraph::UnionHistory> history;
};

/// For each class that the outputs need under the choice and whose chosen node is another than the
/// one that the program was written with: a chain of terms from the one to the other. Each has the
/// rule that it came by, with the classes of its variables and the conditions that were proved; or
/// folding, a decomposition, or the chains (#1, #2) that say why its operands are equal. Terms are
/// written two ops deep. After runRules() with these rules; empty if nothing has changed.
///
/// This names rules and matches; unlike the proofs of compiler/egraph/proof it cannot be replayed,
/// as functions of rules build terms that rules as data do not show.
std::string explainChoice(const TensorGraph &graph, std::span<const Rule> rules,
                          const graph::Choice &choice);

/// After rules have led to a conflict: what does not agree, and the chain of terms between the two,
/// each with the rule that it came by, in one line.
std::string explainConflict(const TensorGraph &graph, std::span<const Rule> rules);

} // namespace zyxc::rules
