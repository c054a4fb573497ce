// Why two terms of an e-graph are equal: proofs from the union log.
#pragma once
#include "compiler/egraph/proof/MatchFinder.h"
#include "compiler/egraph/proof/Proof.h"

namespace zyxc::egraph {

/// Makes proofs from the union log of a graph with GraphOptions::keepMatches.
///
/// The term of a node is the one with which it was made. Two nodes are equal by the entries of the
/// log on the way between them (UnionHistory.h), or by a cheaper way over edges that the log does
/// not have (ClassEdges.h). An entry made by a rule is an instance of the rule over terms: the
/// nodes at the places of its premises are found again (MatchFinder.h), and what is to be shown of
/// their operands, as of those of congruent nodes, are ways over what held before. So a proof never
/// goes in a circle, though classes may. Steps are shared, loops are cut out, and an equation that
/// was proved before is used again where that is shorter.
class Explainer {
public:
  /// Both must outlive the explainer and not change. `rules` are those of saturate(). The graph is
  /// clean and keeps matches.
  Explainer(const EGraph &graph, std::span<const Rule> rules);

  /// A proof that the terms of two nodes are equal. Verification if they are not known to be;
  /// Unsupported if a union by a rule has no match, or the rules are not those of the run.
  Expected<Proof> explain(NodeId left, NodeId right) const;
  /// The same for terms without variables. Verification, too, if one is not in the graph.
  Expected<Proof> explain(const Pattern &left, const Pattern &right) const;

private:
  friend class Explanation;
  const EGraph &graph;
  std::span<const Rule> rules;
  UnionHistory history;
  MatchFinder finder;
};

} // namespace zyxc::egraph
