// Proofs that two terms are equal, as data: steps over explicit terms, each step resting on steps
// before it. A step or a term that is used many times stands there once. Nothing here refers to an
// e-graph: a proof is replayed from rules alone (CheckProof.h).
#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace zyxc::egraph {

/// A term without variables: its place in a TermTable.
using TermId = uint32_t;
/// A step: its place in Proof::steps.
using StepId = uint32_t;

/// Terms, each of them once. Operands stand before the term that has them.
class TermTable {
public:
  /// The term op[payload](operands), found or made.
  TermId add(uint32_t op, uint32_t payload, std::span<const TermId> operands);

  uint32_t size() const { return static_cast<uint32_t>(terms.size()); }
  uint32_t op(TermId term) const { return terms[term].op; }
  uint32_t payload(TermId term) const { return terms[term].payload; }
  /// Valid until the next add().
  std::span<const TermId> operands(TermId term) const {
    return {pool.data() + terms[term].firstOperand, terms[term].arity};
  }

private:
  struct Term {
    uint32_t op, payload;
    uint32_t firstOperand, arity;
  };
  bool isTerm(TermId term, uint32_t op, uint32_t payload, std::span<const TermId> operands) const;

  std::vector<Term> terms;
  std::vector<TermId> pool;
  std::unordered_multimap<uint64_t, TermId> index; ///< by hash
};

/// One step: why `left` and `right` are equal.
struct ProofStep {
  enum class Kind : uint8_t {
    Reflexivity,  ///< they are one term
    Symmetry,     ///< the premise says right = left
    Transitivity, ///< the premises are a chain from left to right
    Congruence,   ///< one op; a premise for each operand
    Swap,         ///< op(a, b) = op(b, a) of a commutative op
    Rule,         ///< an instance of a rule
    Given,        ///< the client said so
  };
  Kind kind = Kind::Reflexivity;
  TermId left = 0;
  TermId right = 0;
  /// Steps before this one. Rule: for each premise of the rule one that says that its pattern,
  /// with the substitution, equals the term of its class; if these hold, `left`, the term of the
  /// conclusion's class, equals `right`, the conclusion's pattern.
  std::vector<StepId> premises = {};
  uint32_t id = 0;                       ///< Rule: its number; Given: the client's number
  uint32_t conclusion = 0;               ///< Rule: which of its conclusions
  std::vector<TermId> substitution = {}; ///< Rule: a term for each variable
};

/// "reflexivity", "rule", ...
const char *toString(ProofStep::Kind kind);

/// A proof of left = right: what its last step says.
struct Proof {
  TermTable terms;
  std::vector<ProofStep> steps;
  TermId left = 0;
  TermId right = 0;
};

} // namespace zyxc::egraph
