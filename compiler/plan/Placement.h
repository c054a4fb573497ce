// Where classes live: which ones share a buffer (aliases, parts of a concatenation), and the
// packing of buffers into one arena.
#pragma once
#include "compiler/plan/PlanBuilder.h"

namespace zyxc::plan {

inline constexpr uint64_t bufferAlignment = 256;

inline uint64_t alignUp(uint64_t bytes) {
  return (bytes + bufferAlignment - 1) / bufferAlignment * bufferAlignment;
}

/// Where a class lies: in the buffer of class `root`, `offset` bytes from its start.
struct Place {
  kernelize::ClassId root = 0;
  uint64_t offset = 0;
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

/// A buffer of the arena: its size and the steps at which it must exist, first to last.
struct Lifetime {
  uint64_t bytes = 0;
  size_t first = 0;
  size_t last = 0;
};

/// Offsets, aligned, so that buffers that live at one time do not overlap: the largest first, each
/// at the lowest place that is free. `totalBytes` receives the size of the arena.
std::vector<uint64_t> packLifetimes(const std::vector<Lifetime> &lifetimes, uint64_t &totalBytes);

} // namespace zyxc::plan
