// Where classes live: which ones share a buffer (aliases, parts of a concatenation).
#pragma once
#include "compiler/plan/PlanBuilder.h"

namespace zyxc::plan {

/// A sum of bytes that may be symbolic sizes; dim::invalid where no size can hold it.
inline uint64_t addBytes(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>(dim::add(static_cast<int64_t>(a), static_cast<int64_t>(b)));
}

/// Where a class lies: in the buffer of class `root`, `offset` bytes from its start.
struct Place {
  kernelize::ClassId root = 0;
  uint64_t offset = 0; ///< a size
};

/// The place of a class under a choice.
class Placement {
public:
  Placement(const graph::TensorGraph &graph, const kernelize::CandidateTable &table,
            const Choice &choice);
  Place of(kernelize::ClassId cls) const;

private:
  std::vector<Place> parent; ///< by class; a root is its own parent
};

} // namespace zyxc::plan
