#include "compiler/plan/Placement.h"
#include <algorithm>
#include <numeric>

namespace zyxc::plan {

using kernelize::Candidate;
using kernelize::ClassId;

Placement::Placement(const graph::TensorGraph &graph, const kernelize::CandidateTable &table,
                     const Choice &choice) {
  auto at = [&](ClassId cls) -> Place & {
    while (parent.size() <= cls) {
      parent.push_back({static_cast<ClassId>(parent.size()), 0});
    }
    return parent[cls];
  };
  for (uint32_t k : choice.candidates) {
    const Candidate &candidate = table.candidates[k];
    for (const std::vector<ClassId> *list : {&candidate.inputs, &candidate.outputs}) {
      for (ClassId cls : *list) {
        at(cls);
      }
    }
    if (candidate.kind == Candidate::Kind::Alias) {
      at(candidate.outputs[0]) = {candidate.inputs[0], candidate.offset};
    } else if (candidate.kind == Candidate::Kind::ConcatInPlace) {
      uint64_t offset = 0;
      for (ClassId input : candidate.inputs) {
        at(input) = {candidate.outputs[0], offset};
        offset += graph.type(input).byteSize();
      }
    }
  }
}

Place Placement::of(ClassId cls) const {
  Place place{cls, 0};
  while (place.root < parent.size() && parent[place.root].root != place.root) {
    place.offset += parent[place.root].offset;
    place.root = parent[place.root].root;
  }
  return place;
}

std::vector<uint64_t> packLifetimes(const std::vector<Lifetime> &lifetimes, uint64_t &totalBytes) {
  std::vector<uint32_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return lifetimes[a].bytes != lifetimes[b].bytes ? lifetimes[a].bytes > lifetimes[b].bytes
                                                    : a < b;
  });
  std::vector<uint64_t> offsets(lifetimes.size(), 0);
  std::vector<uint32_t> placed;
  totalBytes = 0;
  for (uint32_t index : order) {
    const Lifetime &own = lifetimes[index];
    std::vector<std::pair<uint64_t, uint64_t>> taken; // start, end
    for (uint32_t other : placed) {
      if (lifetimes[other].first <= own.last && own.first <= lifetimes[other].last) {
        taken.emplace_back(offsets[other], offsets[other] + alignUp(lifetimes[other].bytes));
      }
    }
    std::sort(taken.begin(), taken.end());
    uint64_t start = 0;
    for (auto [begin, end] : taken) {
      if (begin >= start + alignUp(own.bytes)) {
        break;
      }
      start = std::max(start, end);
    }
    offsets[index] = start;
    totalBytes = std::max(totalBytes, start + alignUp(own.bytes));
    placed.push_back(index);
  }
  return offsets;
}

} // namespace zyxc::plan
