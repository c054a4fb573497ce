// Finds again, from the log, how patterns were matched: which node stood at each place of a pattern
// when a union happened.
#pragma once
#include "compiler/egraph/pattern/Rule.h"
#include "compiler/egraph/proof/UnionHistory.h"

namespace zyxc::egraph {

/// For graphs that are clean and keep matches.
class MatchFinder {
public:
  MatchFinder(const EGraph &graph, const UnionHistory &history);

  /// The node at a place of a pattern; `none` at a variable.
  struct Place {
    NodeId node = none;
    bool isSwapped = false; ///< the op is commutative, and the operands stand in the other order
  };
  /// A node for each place of a pattern so that with `match`, a class for each variable, the
  /// pattern is in the class `cls` (none: in any) by the entries of the log before `before`. Among
  /// several, one whose operands are the wanted classes by name, so that little is left to prove.
  /// Empty if there is none.
  std::vector<Place> find(const Pattern &pattern, std::span<const Id> match, Id cls,
                          uint32_t before) const;

  /// A live node and its duplicates.
  std::vector<NodeId> sameForm(NodeId live) const;
  /// All nodes of a class by its canonical id, duplicates too.
  std::span<const NodeId> members(Id cls) const {
    return std::span(byClass).subspan(firstOf[cls], firstOf[cls + 1] - firstOf[cls]);
  }

private:
  friend class MatchQuery;
  const EGraph &graph;
  const UnionHistory &history;
  std::vector<std::pair<NodeId, NodeId>> twins; ///< live nodes with their dead duplicates, in order
  std::vector<NodeId> byClass;                  ///< nodes, those of a class together
  std::vector<uint32_t> firstOf;                ///< by class
};

} // namespace zyxc::egraph
