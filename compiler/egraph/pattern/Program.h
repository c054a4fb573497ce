// Programs of the e-graph: start terms and rewrite rules as text.
//
//   (+ a (+ b c)) => (+ (+ a b) c)          a rule: in it, words are variables
//   commute: (+ a b) = (+ b a)              both directions; a name is optional
//   (* a b) as p, (* a c) as q => p = q     several premises and conclusions
//   (+ x 'pi) => (- x -3/2)                 an atom is quoted in a rule; numbers are exact
//   (+ (* y 2) five)                        a start term: in it, words are atoms
#pragma once
#include "compiler/egraph/pattern/Language.h"
#include "compiler/egraph/pattern/Rule.h"
#include <span>

namespace zyxc::egraph {

/// What a text says.
struct Program {
  Language language;
  std::vector<Rule> rules;
  std::vector<Pattern> starts; ///< without variables

  /// Adds what a text says. Input, with line and column, if it is malformed or if a conclusion has
  /// a variable that no premise binds. `onlyRules`: a start term is an error.
  Status add(std::string_view text, bool onlyRules = false);
  /// Adds the start terms to a graph; returns their classes.
  std::vector<Id> addStarts(EGraph &graph) const;
};

/// Adds a term without variables.
Id addTerm(EGraph &graph, const Pattern &pattern);

} // namespace zyxc::egraph
