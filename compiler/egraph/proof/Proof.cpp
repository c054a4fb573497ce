#include "compiler/egraph/proof/Proof.h"
#include "runtime/support/Hash.h"
#include <algorithm>
#include <cassert>

namespace zyxc::egraph {

bool TermTable::isTerm(TermId term, uint32_t wantedOp, uint32_t wantedPayload,
                       std::span<const TermId> wanted) const {
  return op(term) == wantedOp && payload(term) == wantedPayload &&
         std::ranges::equal(operands(term), wanted);
}

TermId TermTable::add(uint32_t op, uint32_t payload, std::span<const TermId> operands) {
  uint64_t hash = hashBytes(operands.data(), operands.size_bytes(), hashMix(op, payload));
  auto [from, to] = index.equal_range(hash);
  for (auto entry = from; entry != to; ++entry) {
    if (isTerm(entry->second, op, payload, operands)) {
      return entry->second;
    }
  }
  TermId term = size();
  assert(std::ranges::all_of(operands, [&](TermId operand) { return operand < term; }));
  terms.push_back(
      {op, payload, static_cast<uint32_t>(pool.size()), static_cast<uint32_t>(operands.size())});
  // By value: the operands may lie in the pool.
  std::vector<TermId> copied(operands.begin(), operands.end());
  pool.insert(pool.end(), copied.begin(), copied.end());
  index.emplace(hash, term);
  return term;
}

const char *toString(ProofStep::Kind kind) {
  switch (kind) {
  case ProofStep::Kind::Reflexivity: return "reflexivity";
  case ProofStep::Kind::Symmetry: return "symmetry";
  case ProofStep::Kind::Transitivity: return "transitivity";
  case ProofStep::Kind::Congruence: return "congruence";
  case ProofStep::Kind::Swap: return "swap";
  case ProofStep::Kind::Rule: return "rule";
  case ProofStep::Kind::Given: return "given";
  }
  return "?";
}

} // namespace zyxc::egraph
