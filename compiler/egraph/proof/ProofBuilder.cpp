#include "compiler/egraph/proof/ProofBuilder.h"
#include <algorithm>
#include <cassert>

namespace zyxc::egraph {

using Kind = ProofStep::Kind;

static uint64_t equation(TermId left, TermId right) {
  return static_cast<uint64_t>(left) << 32 | right;
}

/// The step for an equation that was proved before, or noStep.
StepId ProofBuilder::known(TermId left, TermId right) const {
  auto found = byEquation.find(equation(left, right));
  return found == byEquation.end() ? noStep : found->second;
}

StepId ProofBuilder::append(ProofStep step, double cost) {
  StepId id = static_cast<StepId>(steps.size());
  byEquation[equation(step.left, step.right)] = id;
  steps.push_back(std::move(step));
  costs.push_back(cost);
  return id;
}

/// Adds a step, unless its equation has a proof that is no longer.
StepId ProofBuilder::add(ProofStep step, double cost) {
  if (step.left == step.right) {
    return reflexivity(step.left);
  }
  if (StepId same = known(step.left, step.right); same != noStep && costs[same] <= cost) {
    return same;
  }
  if (StepId turned = known(step.right, step.left); turned != noStep && costs[turned] <= cost) {
    return symmetry(turned);
  }
  return append(std::move(step), cost);
}

StepId ProofBuilder::reflexivity(TermId term) {
  StepId same = known(term, term);
  return same != noStep ? same : append({Kind::Reflexivity, term, term}, 0);
}

StepId ProofBuilder::symmetry(StepId step) {
  if (step == noStep || steps[step].kind == Kind::Reflexivity) {
    return step;
  }
  if (steps[step].kind == Kind::Symmetry) {
    return steps[step].premises[0];
  }
  TermId left = steps[step].right;
  TermId right = steps[step].left;
  if (StepId turned = known(left, right); turned != noStep && costs[turned] <= costs[step]) {
    return turned;
  }
  return append({Kind::Symmetry, left, right, {step}}, costs[step]);
}

StepId ProofBuilder::axiom(ProofStep step) {
  double sum = 1;
  for (StepId premise : step.premises) {
    if (premise == noStep) {
      return noStep;
    }
    sum += costs[premise];
  }
  return add(std::move(step), sum);
}

StepId ProofBuilder::congruence(TermId left, TermId right, std::vector<StepId> operands) {
  double sum = 0;
  for (StepId operand : operands) {
    if (operand == noStep) {
      return noStep;
    }
    sum += costs[operand];
  }
  return add({Kind::Congruence, left, right, std::move(operands)}, sum);
}

StepId ProofBuilder::chain(std::span<const StepId> given) {
  // Short chains in a chain are opened, so that what goes there and back between them is seen. Long
  // ones are not: all opened, a proof could be exponentially long.
  constexpr size_t longest = 200;
  std::vector<StepId> links;
  for (StepId link : given) {
    if (link == noStep) {
      return noStep;
    }
    bool isTurned = steps[link].kind == Kind::Symmetry;
    const ProofStep &step = steps[isTurned ? steps[link].premises[0] : link];
    if (step.kind == Kind::Transitivity && step.premises.size() <= longest) {
      std::vector<StepId> inner = step.premises;
      for (size_t i = 0; i < inner.size(); ++i) {
        links.push_back(isTurned ? symmetry(inner[inner.size() - 1 - i]) : inner[i]);
      }
    } else if (step.kind != Kind::Reflexivity) {
      links.push_back(link);
    }
  }
  if (links.empty()) {
    return given[0];
  }
  removeLoops(links);
  fuseCongruences(links);
  takeShortcuts(links);
  if (links.size() < 2) {
    return links.empty() ? reflexivity(steps[given[0]].left) : links[0];
  }
  double sum = 0;
  for (StepId link : links) {
    sum += costs[link];
  }
  TermId left = steps[links.front()].left;
  TermId right = steps[links.back()].right;
  return add({Kind::Transitivity, left, right, std::move(links)}, sum);
}

/// A term that comes again: what lies between is left out.
void ProofBuilder::removeLoops(std::vector<StepId> &links) const {
  std::unordered_map<TermId, size_t> linksBefore = {{steps[links[0]].left, 0}};
  std::vector<StepId> kept;
  for (StepId link : links) {
    assert(kept.empty() || steps[kept.back()].right == steps[link].left);
    kept.push_back(link);
    auto [entry, isNew] = linksBefore.try_emplace(steps[link].right, kept.size());
    if (isNew) {
      continue;
    }
    while (kept.size() > entry->second) {
      if (steps[kept.back()].right != steps[link].right) {
        linksBefore.erase(steps[kept.back()].right);
      }
      kept.pop_back();
    }
  }
  links = std::move(kept);
}

/// A congruence, perhaps turned around.
bool ProofBuilder::isCongruence(StepId step) const {
  bool isTurned = steps[step].kind == Kind::Symmetry;
  return steps[isTurned ? steps[step].premises[0] : step].kind == Kind::Congruence;
}

StepId ProofBuilder::operand(StepId congruence, size_t index) {
  const ProofStep &step = steps[congruence];
  return step.kind == Kind::Symmetry ? symmetry(steps[step.premises[0]].premises[index])
                                     : step.premises[index];
}

/// Two congruences one after the other are one, whose operands are chains: what goes there and
/// back in an operand is then seen.
void ProofBuilder::fuseCongruences(std::vector<StepId> &links) {
  constexpr uint32_t deepest = 50;
  if (fuseDepth == deepest) {
    return;
  }
  ++fuseDepth;
  std::vector<StepId> kept;
  for (StepId link : links) {
    bool fits = !kept.empty() && isCongruence(kept.back()) && isCongruence(link);
    StepId joined = fits ? fused(kept.back(), link) : link;
    if (fits) {
      kept.pop_back();
    }
    if (steps[joined].kind != Kind::Reflexivity) {
      kept.push_back(joined);
    }
  }
  links = std::move(kept);
  --fuseDepth;
}

StepId ProofBuilder::fused(StepId first, StepId second) {
  TermId left = steps[first].left;
  TermId right = steps[second].right;
  std::vector<StepId> operands(terms.operands(left).size());
  for (size_t i = 0; i < operands.size(); ++i) {
    StepId parts[] = {operand(first, i), operand(second, i)};
    operands[i] = chain(parts);
  }
  return congruence(left, right, std::move(operands));
}

/// Equations between terms of the chain that are proved already may save links: the cheapest way
/// over all of them, as each leads forwards.
void ProofBuilder::takeShortcuts(std::vector<StepId> &links) {
  constexpr size_t longest = 100;
  size_t count = links.size();
  if (count < 2 || count > longest) {
    return;
  }
  std::vector<double> best(count + 1, 0);
  std::vector<std::pair<size_t, StepId>> from(count + 1);
  auto termAt = [&](size_t place) {
    return place == 0 ? steps[links[0]].left : steps[links[place - 1]].right;
  };
  for (size_t to = 1; to <= count; ++to) {
    best[to] = best[to - 1] + costs[links[to - 1]];
    from[to] = {to - 1, links[to - 1]};
    for (size_t start = 0; start + 1 < to; ++start) {
      for (bool turned : {false, true}) {
        StepId step = turned ? known(termAt(to), termAt(start)) : known(termAt(start), termAt(to));
        if (step != noStep && best[start] + costs[step] < best[to]) {
          best[to] = best[start] + costs[step];
          from[to] = {start, turned ? symmetry(step) : step};
        }
      }
    }
  }
  std::vector<StepId> kept;
  for (size_t at = count; at > 0; at = from[at].first) {
    kept.push_back(from[at].second);
  }
  std::ranges::reverse(kept);
  links = std::move(kept);
}

Proof ProofBuilder::finish(StepId last) && {
  std::vector<bool> usedSteps(steps.size()), usedTerms(terms.size());
  usedSteps[last] = true;
  for (StepId step = last + 1; step-- > 0;) {
    if (!usedSteps[step]) {
      continue;
    }
    usedTerms[steps[step].left] = usedTerms[steps[step].right] = true;
    for (StepId premise : steps[step].premises) {
      usedSteps[premise] = true;
    }
    for (TermId term : steps[step].substitution) {
      usedTerms[term] = true;
    }
  }
  for (TermId term = terms.size(); term-- > 0;) {
    for (TermId operand : terms.operands(term)) {
      usedTerms[operand] = usedTerms[operand] || usedTerms[term];
    }
  }
  Proof proof;
  std::vector<TermId> newTerm(terms.size());
  std::vector<TermId> operands;
  for (TermId term = 0; term < terms.size(); ++term) {
    if (usedTerms[term]) {
      operands.clear();
      for (TermId operand : terms.operands(term)) {
        operands.push_back(newTerm[operand]);
      }
      newTerm[term] = proof.terms.add(terms.op(term), terms.payload(term), operands);
    }
  }
  std::vector<StepId> newStep(steps.size());
  for (StepId id = 0; id <= last; ++id) {
    if (!usedSteps[id]) {
      continue;
    }
    ProofStep step = std::move(steps[id]);
    step.left = newTerm[step.left];
    step.right = newTerm[step.right];
    for (StepId &premise : step.premises) {
      premise = newStep[premise];
    }
    for (TermId &term : step.substitution) {
      term = newTerm[term];
    }
    newStep[id] = static_cast<StepId>(proof.steps.size());
    proof.steps.push_back(std::move(step));
  }
  proof.left = proof.steps.back().left;
  proof.right = proof.steps.back().right;
  return proof;
}

} // namespace zyxc::egraph
