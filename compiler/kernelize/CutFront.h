// Which of the cuts of a class are worth keeping: those that no other one replaces. Classes of
// saturated graphs can have a hundred thousand cuts, so no cut is compared with all others.
#pragma once
#include "compiler/kernelize/Cuts.h"

namespace zyxc::kernelize {

/// The cuts of one class that no other one dominates, and of equal ones the first.
struct CutFront {
  std::vector<uint32_t> kept; ///< by flow, then by index
  uint64_t steps = 0;         ///< places that were looked at
};
CutFront undominated(const std::vector<Cut> &cuts);

/// a has fewer inputs; of as many, more nodes between them and the class.
bool isMoreFused(const Cut &a, const Cut &b);

/// `cuts` without those that are dominated, best first: at most `most`, beside the most fused one
/// and the one with the fewest nodes. Adds to `dropped` how many are left out for
/// `most`.
std::vector<Cut> prune(std::vector<Cut> cuts, size_t most, int64_t &dropped);

} // namespace zyxc::kernelize
