#include "compiler/egraph/proof/FlatProof.h"
#include <algorithm>
#include <utility>

namespace zyxc::egraph {

namespace {

using Kind = ProofStep::Kind;

class Flattener {
public:
  explicit Flattener(const Proof &proof) : proof(proof), uses(proof.steps.size(), 0) {
    flat.terms = proof.terms;
    for (const ProofStep &step : proof.steps) {
      for (StepId premise : step.premises) {
        ++uses[premise];
      }
    }
  }

  FlatProof run();

private:
  static constexpr uint32_t deepest = 100;

  RewriteChain chainOf(StepId step);
  static void removeLoops(RewriteChain &chain);
  /// Rewrites from one side of a step to the other.
  std::vector<Rewrite> rewrites(StepId step, bool isBackwards, uint32_t depth);
  std::vector<Rewrite> congruence(const ProofStep &step, bool isBackwards, uint32_t depth);
  bool isLemma(StepId step, uint32_t depth) const;
  static bool isAtom(const ProofStep &step) {
    return step.kind == Kind::Rule || step.kind == Kind::Swap || step.kind == Kind::Given;
  }
  void noteLemma(StepId step);

  const Proof &proof;
  std::vector<uint32_t> uses;
  std::vector<StepId> waiting; ///< lemmas, in order
  std::vector<bool> isNoted = std::vector<bool>(proof.steps.size());
  FlatProof flat;
};

FlatProof Flattener::run() {
  StepId last = static_cast<StepId>(proof.steps.size() - 1);
  isNoted[last] = true;
  flat.chain = chainOf(last);
  for (size_t next = 0; next < waiting.size(); ++next) {
    flat.lemmas.push_back(chainOf(waiting[next]));
  }
  return std::move(flat);
}

RewriteChain Flattener::chainOf(StepId step) {
  RewriteChain chain = {step, proof.steps[step].left, {}};
  // The step itself is opened, even if it is a lemma elsewhere.
  uint32_t shared = std::exchange(uses[step], 1);
  chain.rewrites = rewrites(step, false, 0);
  uses[step] = shared;
  removeLoops(chain);
  for (const Rewrite &rewrite : chain.rewrites) {
    const ProofStep &by = proof.steps[rewrite.step];
    if (!isAtom(by)) {
      noteLemma(rewrite.step);
    }
    for (StepId premise : by.kind == Kind::Rule ? by.premises : std::vector<StepId>()) {
      if (proof.steps[premise].kind != Kind::Reflexivity) {
        noteLemma(premise);
      }
    }
  }
  return chain;
}

/// Leaves out what lies between a term and the same term again: rewrites at two places of a term
/// may cancel out though those at each do not.
void Flattener::removeLoops(RewriteChain &chain) {
  std::unordered_map<TermId, size_t> rewritesBefore = {{chain.first, 0}};
  std::vector<Rewrite> kept;
  for (const Rewrite &rewrite : chain.rewrites) {
    kept.push_back(rewrite);
    auto [entry, isNew] = rewritesBefore.try_emplace(rewrite.term, kept.size());
    while (!isNew && kept.size() > entry->second) {
      if (kept.back().term != rewrite.term) {
        rewritesBefore.erase(kept.back().term);
      }
      kept.pop_back();
    }
  }
  chain.rewrites = std::move(kept);
}

void Flattener::noteLemma(StepId step) {
  if (!isNoted[step]) {
    isNoted[step] = true;
    flat.lemmaOfStep.emplace(step, waiting.size());
    waiting.push_back(step);
  }
}

/// Worth a chain of its own: more than one rewrite, and used more than once or very deep.
bool Flattener::isLemma(StepId step, uint32_t depth) const {
  const ProofStep &is = proof.steps[step];
  if (isAtom(is) || is.kind == Kind::Reflexivity || is.kind == Kind::Symmetry) {
    return false;
  }
  return uses[step] > 1 || depth > deepest;
}

std::vector<Rewrite> Flattener::rewrites(StepId id, bool isBackwards, uint32_t depth) {
  const ProofStep &step = proof.steps[id];
  TermId end = isBackwards ? step.left : step.right;
  if (isLemma(id, depth)) {
    return {{end, id, isBackwards}};
  }
  std::vector<Rewrite> result;
  switch (step.kind) {
  case Kind::Reflexivity: break;
  case Kind::Symmetry: return rewrites(step.premises[0], !isBackwards, depth + 1);
  case Kind::Transitivity:
    for (size_t i = 0; i < step.premises.size(); ++i) {
      StepId link = step.premises[isBackwards ? step.premises.size() - 1 - i : i];
      std::vector<Rewrite> more = rewrites(link, isBackwards, depth + 1);
      result.insert(result.end(), more.begin(), more.end());
    }
    break;
  case Kind::Congruence: return congruence(step, isBackwards, depth);
  case Kind::Rule:
  case Kind::Swap:
  case Kind::Given: result.push_back({end, id, isBackwards}); break;
  }
  return result;
}

/// One operand after the other.
std::vector<Rewrite> Flattener::congruence(const ProofStep &step, bool isBackwards,
                                           uint32_t depth) {
  std::vector<Rewrite> result;
  std::span<const TermId> first =
      flat.terms.operands(isBackwards ? step.right : step.left); // not valid after add()
  std::vector<TermId> operands(first.begin(), first.end());
  for (size_t i = 0; i < operands.size(); ++i) {
    for (Rewrite rewrite : rewrites(step.premises[i], isBackwards, depth + 1)) {
      operands[i] = rewrite.term;
      rewrite.term =
          flat.terms.add(flat.terms.op(step.left), flat.terms.payload(step.left), operands);
      result.push_back(rewrite);
    }
  }
  return result;
}

} // namespace

FlatProof flatten(const Proof &proof) {
  return Flattener(proof).run();
}

} // namespace zyxc::egraph
