// An admissible bound on the cost of producing a set of classes, by dual ascent on the covering
// relaxation: for a set W of classes of which one is still to be produced, some chosen candidate
// produces a class of W without reading one (the first in execution order). Rounds raise the duals
// of nested sets W along the critical chain under the costs that are left over (after Wong, 1984).
#pragma once
#include "compiler/extract/Model.h"
#include <span>

namespace zyxc::extract {

/// Prepared once for a model, which must outlive it. Not thread-safe.
class DualBound {
public:
  /// Stops before `maxRounds` when the effort is over.
  DualBound(const Model &model, uint32_t maxRounds, Effort &effort);
  /// The same with other costs of the options, none below 0.
  DualBound(const Model &model, std::vector<int64_t> costs, uint32_t maxRounds, Effort &effort);

  /// Least cost of what is still to be chosen when `pending` classes must be produced and `done`
  /// classes are there already. Never more than the true cost. What it touches is added to
  /// `touched`.
  int64_t bound(std::span<const uint32_t> pending, std::span<const uint32_t> done,
                uint64_t &touched) const;

  /// A choice with option k costs at least this.
  int64_t boundWith(uint32_t k) const { return raised + left[k]; }
  /// The bound for the required classes of the model.
  int64_t total() const { return raised; }

private:
  struct Height {
    uint32_t round;
    int64_t value; ///< the class lies in the sets W of this round with a threshold below this
  };
  std::vector<std::vector<Height>> heights; ///< per class, by round
  std::vector<int64_t> left;                ///< per option
  int64_t raised = 0;
  uint32_t numRounds = 0;
  mutable std::vector<int64_t> highest; ///< scratch per round, all zero between calls
  mutable std::vector<int64_t> lost;
};

} // namespace zyxc::extract
