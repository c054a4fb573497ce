// Replays proofs. It shares no code with what makes them: it reads the data of rules and proofs,
// and sees no e-graph.
#pragma once
#include "compiler/egraph/pattern/Rule.h"
#include "compiler/egraph/proof/Proof.h"
#include "runtime/support/Status.h"

namespace zyxc::egraph {

/// Two terms that the client said to be equal, as patterns without variables.
struct GivenEquality {
  uint32_t id; ///< the client's number
  Pattern left, right;
};

/// What a proof may rest on.
struct Axioms {
  std::span<const Rule> rules;
  std::vector<uint32_t> commutativeOps = {};
  std::vector<GivenEquality> given = {};
};

/// Checks each step and that the last one says what the proof is to prove. Verification with the
/// first step that is wrong, and why.
Status checkProof(const Proof &proof, const Axioms &axioms);

} // namespace zyxc::egraph
