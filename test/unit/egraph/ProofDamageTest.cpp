// Proofs that were damaged at one place are refused by the checker.
#include "test/unit/egraph/ProofRun.h"
#include "test/unit/egraph/RandomProgram.h"

using namespace zyxc;
using namespace zyxc::egraph;

namespace {

/// Another number below `limit`, which is at least 2.
uint32_t other(uint32_t number, uint32_t limit, std::mt19937 &random) {
  return (number + 1 + random() % (limit - 1)) % limit;
}

std::string termText(const TermTable &terms, TermId term) {
  std::string text = fmt::format("({}.{}", terms.op(term), terms.payload(term));
  for (TermId operand : terms.operands(term)) {
    text += " " + termText(terms, operand);
  }
  return text + ")";
}

std::string instanceText(const Proof &proof, const Pattern &pattern, uint32_t place,
                         const ProofStep &step) {
  const PatternTerm &term = pattern.terms[place];
  if (term.isVariable()) {
    return termText(proof.terms, step.substitution[term.variable]);
  }
  std::string text = fmt::format("({}.{}", term.op, term.payload);
  for (uint32_t child : term.children) {
    text += " " + instanceText(proof, pattern, child, step);
  }
  return text + ")";
}

/// Whether a step by another rule than it was made by is right all the same: rules overlap. By
/// text, so that the checker is not its own oracle.
bool isInstanceByText(const Proof &proof, const Rule &rule, const ProofStep &step) {
  bool isRight = rule.numVariables == step.substitution.size() &&
                 rule.premises.size() == step.premises.size() &&
                 step.conclusion < rule.conclusions.size();
  if (!isRight) {
    return false;
  }
  for (size_t i = 0; i < rule.premises.size(); ++i) {
    const ProofStep &premise = proof.steps[step.premises[i]];
    isRight = isRight &&
              instanceText(proof, rule.premises[i].pattern, 0, step) ==
                  termText(proof.terms, premise.left) &&
              step.substitution[rule.premises[i].cls] == premise.right;
  }
  const Conclusion &conclusion = rule.conclusions[step.conclusion];
  return isRight && step.substitution[conclusion.cls] == step.left &&
         instanceText(proof, conclusion.pattern, 0, step) == termText(proof.terms, step.right);
}

/// Damages a proof at one place. Returns false if there was nothing to damage in this way.
bool damage(Proof &proof, const std::vector<Rule> &rules, std::mt19937 &random) {
  size_t at = random() % proof.steps.size();
  ProofStep &step = proof.steps[at];
  uint32_t terms = proof.terms.size();
  bool isRule = step.kind == ProofStep::Kind::Rule;
  switch (random() % 8) {
  case 0: step.left = other(step.left, terms, random); return true;
  case 1: step.right = other(step.right, terms, random); return true;
  case 2:
    if (!isRule) {
      return false;
    } else {
      TermId &term = step.substitution[random() % step.substitution.size()];
      term = other(term, terms, random);
      return true;
    }
  case 3:
    if (!isRule || rules.size() < 2) {
      return false;
    }
    step.id = other(step.id, static_cast<uint32_t>(rules.size()), random);
    return !isInstanceByText(proof, rules[step.id], step);
  case 4: proof.steps.erase(proof.steps.begin() + at); return true;
  case 5:
    if (step.premises.empty()) {
      return false;
    }
    step.premises.erase(step.premises.begin() + random() % step.premises.size());
    return true;
  case 6:
    if (step.premises.empty() || at < 2) {
      return false;
    } else {
      StepId &premise = step.premises[random() % step.premises.size()];
      premise = other(premise, static_cast<uint32_t>(at), random);
      return true;
    }
  default: {
    auto kind = static_cast<ProofStep::Kind>(other(static_cast<uint32_t>(step.kind), 7, random));
    // A chain of one link is right, and so are a chain and a congruence of none at one term.
    bool isRight = kind == ProofStep::Kind::Transitivity && step.left == step.right;
    isRight |= kind == ProofStep::Kind::Congruence && step.left == step.right &&
               proof.terms.operands(step.left).empty();
    // Operands that were proved equal may be each other's.
    std::span<const TermId> left = proof.terms.operands(step.left);
    std::span<const TermId> right = proof.terms.operands(step.right);
    isRight |= kind == ProofStep::Kind::Swap && left.size() == 2 && right.size() == 2 &&
               left[0] == right[1] && left[1] == right[0];
    step.kind = kind;
    return !isRight;
  }
  }
}

} // namespace

TEST_CASE("damaged proofs are refused", "[proof]") {
  unsigned refused = 0;
  for (unsigned seed = 0; seed < (isLong() ? 5'000u : 700u); ++seed) {
    std::mt19937 random(seed);
    std::string text = randomProgram(random);
    ProofRun run(text, 200, seed);
    Explainer explainer(run.graph, run.program.rules);
    for (int attempt = 0; attempt < 40; ++attempt) {
      NodeId a = random() % run.graph.numNodes();
      NodeId b = random() % run.graph.numNodes();
      if (a == b || !run.graph.same(a, b)) {
        continue;
      }
      Expected<Proof> proof = explainer.explain(a, b);
      REQUIRE(proof);
      for (int way = 0; way < 20; ++way) {
        Proof damaged = *proof;
        if (damaged.terms.size() < 2 || !damage(damaged, run.program.rules, random)) {
          continue;
        }
        INFO("seed " << seed << ", nodes " << a << " and " << b << ":\n" << text);
        REQUIRE_FALSE(checkProof(damaged, run.axioms()).isOk());
        ++refused;
      }
    }
  }
  CHECK(refused > 5'000);
}
