// Makes proofs step by step and keeps them short: an equation is proved once, what is equal to
// itself needs no proof, and chains have no loops.
#pragma once
#include "compiler/egraph/proof/Proof.h"
#include <utility>

namespace zyxc::egraph {

/// A proof that is being made. Each function returns a step that says what its name promises; it
/// may be one that was there before. A step that is not known yet (`noStep`) gives noStep.
class ProofBuilder {
public:
  static constexpr StepId noStep = ~0u;

  TermTable terms;

  StepId reflexivity(TermId term);
  StepId symmetry(StepId step);
  /// Steps of which each begins with the term that the one before ends with. At least one.
  StepId chain(std::span<const StepId> links);
  /// Terms of one op whose operands the steps prove equal.
  StepId congruence(TermId left, TermId right, std::vector<StepId> operands);
  /// A step as it stands: Rule, Swap or Given.
  StepId axiom(ProofStep step);

  const ProofStep &step(StepId step) const { return steps[step]; }
  /// The proof that ends with a step, with the steps and terms that it needs and no others.
  Proof finish(StepId last) &&;

  /// Rewrites that a step stands for, if no step is shared: what is kept small.
  double cost(StepId step) const { return costs[step]; }

private:
  StepId add(ProofStep step, double cost);
  StepId append(ProofStep step, double cost);
  StepId known(TermId left, TermId right) const;
  void removeLoops(std::vector<StepId> &links) const;
  void fuseCongruences(std::vector<StepId> &links);
  StepId fused(StepId first, StepId second);
  bool isCongruence(StepId step) const;
  StepId operand(StepId congruence, size_t index);
  void takeShortcuts(std::vector<StepId> &links);

  std::vector<ProofStep> steps;
  std::vector<double> costs;
  uint32_t fuseDepth = 0;
  std::unordered_map<uint64_t, StepId> byEquation; ///< the cheapest step of left and right
};

} // namespace zyxc::egraph
