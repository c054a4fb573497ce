#include "compiler/egraph/proof/CheckProof.h"
#include <algorithm>

namespace zyxc::egraph {

namespace {

using Kind = ProofStep::Kind;

class ProofChecker {
public:
  ProofChecker(const Proof &proof, const Axioms &axioms) : proof(proof), axioms(axioms) {}

  Status check() const;

private:
  /// What is wrong with a step; empty if nothing is.
  std::string faultOf(StepId id) const;
  std::string faultOfReferences(StepId id) const;
  std::string faultOfChain(const ProofStep &step) const;
  std::string faultOfCongruence(const ProofStep &step) const;
  std::string faultOfSwap(const ProofStep &step) const;
  std::string faultOfRule(const ProofStep &step) const;
  std::string faultOfGiven(const ProofStep &step) const;
  bool isInstance(const Pattern &pattern, TermId term, std::span<const TermId> substitution) const;
  bool says(StepId step, TermId left, TermId right) const {
    return proof.steps[step].left == left && proof.steps[step].right == right;
  }

  const Proof &proof;
  const Axioms &axioms;
};

Status ProofChecker::check() const {
  for (TermId term = 0; term < proof.terms.size(); ++term) {
    for (TermId operand : proof.terms.operands(term)) {
      if (operand >= term) {
        return makeError(ErrorCode::Verification, "proof: term {} stands before its operand {}",
                         term, operand);
      }
    }
  }
  for (StepId id = 0; id < proof.steps.size(); ++id) {
    if (std::string fault = faultOf(id); !fault.empty()) {
      const ProofStep &step = proof.steps[id];
      bool isRule = step.kind == Kind::Rule && step.id < axioms.rules.size();
      return makeError(ErrorCode::Verification, "proof: step {} ({}{}): {}", id,
                       toString(step.kind), isRule ? " " + axioms.rules[step.id].name : "", fault);
    }
  }
  if (proof.steps.empty() ||
      !says(static_cast<StepId>(proof.steps.size() - 1), proof.left, proof.right)) {
    return makeError(ErrorCode::Verification,
                     "proof: its last step does not say what the proof is to prove");
  }
  return Status::ok();
}

std::string ProofChecker::faultOf(StepId id) const {
  if (std::string fault = faultOfReferences(id); !fault.empty()) {
    return fault;
  }
  const ProofStep &step = proof.steps[id];
  switch (step.kind) {
  case Kind::Reflexivity:
    return step.left == step.right && step.premises.empty() ? "" : "the terms are two";
  case Kind::Symmetry:
    return step.premises.size() == 1 && says(step.premises[0], step.right, step.left)
               ? ""
               : "the premise does not say the reverse";
  case Kind::Transitivity: return faultOfChain(step);
  case Kind::Congruence: return faultOfCongruence(step);
  case Kind::Swap: return faultOfSwap(step);
  case Kind::Rule: return faultOfRule(step);
  case Kind::Given: return faultOfGiven(step);
  }
  return "there is no such kind of step";
}

std::string ProofChecker::faultOfReferences(StepId id) const {
  const ProofStep &step = proof.steps[id];
  auto isTerm = [&](TermId term) {
    return term < proof.terms.size();
  };
  if (!isTerm(step.left) || !isTerm(step.right) ||
      !std::ranges::all_of(step.substitution, isTerm)) {
    return "a term is not in the table";
  }
  bool isBefore = std::ranges::all_of(step.premises, [&](StepId premise) { return premise < id; });
  return isBefore ? "" : "a premise does not stand before the step";
}

std::string ProofChecker::faultOfChain(const ProofStep &step) const {
  TermId at = step.left;
  for (StepId premise : step.premises) {
    if (proof.steps[premise].left != at) {
      return fmt::format("premise {} does not begin where the chain has come to", premise);
    }
    at = proof.steps[premise].right;
  }
  return at == step.right ? "" : "the chain does not end at the right term";
}

std::string ProofChecker::faultOfCongruence(const ProofStep &step) const {
  const TermTable &terms = proof.terms;
  std::span<const TermId> left = terms.operands(step.left);
  std::span<const TermId> right = terms.operands(step.right);
  if (terms.op(step.left) != terms.op(step.right) ||
      terms.payload(step.left) != terms.payload(step.right) || left.size() != right.size()) {
    return "the terms have different ops";
  }
  if (step.premises.size() != left.size()) {
    return fmt::format("{} premises for {} operands", step.premises.size(), left.size());
  }
  for (size_t i = 0; i < left.size(); ++i) {
    if (!says(step.premises[i], left[i], right[i])) {
      return fmt::format("operands {} are not what premise {} proves equal", i, step.premises[i]);
    }
  }
  return "";
}

std::string ProofChecker::faultOfSwap(const ProofStep &step) const {
  const TermTable &terms = proof.terms;
  uint32_t op = terms.op(step.left);
  if (std::ranges::find(axioms.commutativeOps, op) == axioms.commutativeOps.end()) {
    return "the op is not commutative";
  }
  std::span<const TermId> left = terms.operands(step.left);
  std::span<const TermId> right = terms.operands(step.right);
  bool isSwapped = op == terms.op(step.right) &&
                   terms.payload(step.left) == terms.payload(step.right) && left.size() == 2 &&
                   right.size() == 2 && left[0] == right[1] && left[1] == right[0];
  return isSwapped ? "" : "the terms differ in more than the order of two operands";
}

std::string ProofChecker::faultOfRule(const ProofStep &step) const {
  if (step.id >= axioms.rules.size()) {
    return fmt::format("there is no rule {}", step.id);
  }
  const Rule &rule = axioms.rules[step.id];
  if (step.substitution.size() != rule.numVariables) {
    return fmt::format("{} terms for {} variables", step.substitution.size(), rule.numVariables);
  }
  if (step.premises.size() != rule.premises.size()) {
    return fmt::format("{} steps for {} premises", step.premises.size(), rule.premises.size());
  }
  for (size_t i = 0; i < rule.premises.size(); ++i) {
    const ProofStep &premise = proof.steps[step.premises[i]];
    if (!isInstance(rule.premises[i].pattern, premise.left, step.substitution) ||
        premise.right != step.substitution[rule.premises[i].cls]) {
      return fmt::format("step {} does not prove premise {} of the rule", step.premises[i], i);
    }
  }
  if (step.conclusion >= rule.conclusions.size()) {
    return fmt::format("the rule has no conclusion {}", step.conclusion);
  }
  const Conclusion &conclusion = rule.conclusions[step.conclusion];
  if (step.left != step.substitution[conclusion.cls]) {
    return "the left term is not that of the conclusion's class";
  }
  bool isRight = isInstance(conclusion.pattern, step.right, step.substitution);
  return isRight ? "" : "the right term is not an instance of the conclusion";
}

std::string ProofChecker::faultOfGiven(const ProofStep &step) const {
  bool isGiven = std::ranges::any_of(axioms.given, [&](const GivenEquality &given) {
    return given.id == step.id && isInstance(given.left, step.left, {}) &&
           isInstance(given.right, step.right, {});
  });
  return isGiven ? "" : "nobody has given this equality";
}

/// The term is the pattern with a term for each variable.
bool ProofChecker::isInstance(const Pattern &pattern, TermId term,
                              std::span<const TermId> substitution) const {
  std::vector<std::pair<uint32_t, TermId>> work = {{0u, term}};
  while (!work.empty()) {
    auto [place, is] = work.back();
    work.pop_back();
    const PatternTerm &wanted = pattern.terms[place];
    if (wanted.isVariable()) {
      if (wanted.variable >= substitution.size() || substitution[wanted.variable] != is) {
        return false;
      }
      continue;
    }
    std::span<const TermId> operands = proof.terms.operands(is);
    if (proof.terms.op(is) != wanted.op || proof.terms.payload(is) != wanted.payload ||
        operands.size() != wanted.children.size()) {
      return false;
    }
    for (size_t i = 0; i < operands.size(); ++i) {
      work.emplace_back(wanted.children[i], operands[i]);
    }
  }
  return true;
}

} // namespace

Status checkProof(const Proof &proof, const Axioms &axioms) {
  return ProofChecker(proof, axioms).check();
}

} // namespace zyxc::egraph
