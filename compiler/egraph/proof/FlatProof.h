// Proofs as chains of whole terms, each made from the one before by one rewrite: the form to read.
#pragma once
#include "compiler/egraph/proof/Proof.h"

namespace zyxc::egraph {

/// One link of a chain.
struct Rewrite {
  TermId term;      ///< what the term has become
  StepId step;      ///< by this step of the proof: Rule, Swap, Given, or one that is a lemma
  bool isBackwards; ///< the step says that the new part equals the old one
};

/// A chain from one term to another.
struct RewriteChain {
  StepId step; ///< what it proves
  TermId first;
  std::vector<Rewrite> rewrites;
};

/// A proof without its skeleton of congruences and symmetries.
struct FlatProof {
  TermTable terms; ///< those of the proof, and terms in between; the former keep their ids
  RewriteChain chain;
  /// What is used more than once, or is a premise of a rule, or lies too deep, has a chain of its
  /// own. In the order of their first use.
  std::vector<RewriteChain> lemmas;

  std::unordered_map<StepId, size_t> lemmaOfStep;

  /// The place of a step among the lemmas, or lemmas.size().
  size_t lemmaOf(StepId step) const {
    auto found = lemmaOfStep.find(step);
    return found == lemmaOfStep.end() ? lemmas.size() : found->second;
  }
};

/// Flattens a proof; its size is in proportion to that of the proof, operands of terms aside.
FlatProof flatten(const Proof &proof);

} // namespace zyxc::egraph
