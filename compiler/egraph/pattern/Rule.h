// Rewrite rules over (op, payload) nodes, as data: what is searched, and what is then equal.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace zyxc::egraph {

/// A place of a pattern: a variable, or a node over other places.
struct PatternTerm {
  static constexpr uint32_t notVariable = ~0u;
  uint32_t variable = notVariable; ///< its number in the rule
  uint32_t op = 0;
  uint32_t payload = 0;
  std::vector<uint32_t> children; ///< places in Pattern::terms, behind this one

  bool isVariable() const { return variable != notVariable; }
};

/// A term with variables. A variable stands for a class, the same wherever it occurs in a rule.
struct Pattern {
  std::vector<PatternTerm> terms; ///< the root first

  /// Adds a place and returns it. Children may be added to it later.
  uint32_t add(PatternTerm term) {
    terms.push_back(std::move(term));
    return static_cast<uint32_t>(terms.size() - 1);
  }
  /// True if no variable is in the term at a place.
  bool isGround(uint32_t place) const {
    return !terms[place].isVariable() &&
           std::ranges::all_of(terms[place].children,
                               [this](uint32_t child) { return isGround(child); });
  }
};

/// A term that must be in the graph; its class is bound to the variable `cls`.
struct Premise {
  Pattern pattern; ///< its root is a node
  uint32_t cls;
};

/// The class of the variable `cls` and the term are equal. Terms that are missing are added.
struct Conclusion {
  uint32_t cls;
  Pattern pattern;
};

/// For each way to match all premises, all conclusions hold.
struct Rule {
  std::string name;
  std::vector<Premise> premises; ///< at least one
  std::vector<Conclusion> conclusions;
  uint32_t numVariables = 0;
};

} // namespace zyxc::egraph
