#include "compiler/kernelize/AlignPlaces.h"
#include "runtime/core/Dim.h"
#include <algorithm>
#include <set>

namespace zyxc::kernelize {

static bool placesUnaligned(const Candidate &candidate, const graph::TensorGraph &graph,
                            uint64_t alignment) {
  auto isAligned = [&](uint64_t offset) {
    return dim::mod(static_cast<int64_t>(offset), static_cast<int64_t>(alignment)) == 0;
  };
  if (candidate.kind == Candidate::Kind::Alias) {
    return !isAligned(candidate.offset);
  }
  if (candidate.kind != Candidate::Kind::ConcatInPlace) {
    return false;
  }
  int64_t offset = 0;
  for (ClassId input : candidate.inputs) {
    if (!isAligned(static_cast<uint64_t>(offset))) {
      return true;
    }
    offset = dim::add(offset, static_cast<int64_t>(graph.type(input).byteSize()));
  }
  return false;
}

void dropUnalignedPlaces(CandidateTable &table, const graph::TensorGraph &graph,
                         uint64_t alignment) {
  std::set<ClassId> byKernel;
  for (const Candidate &candidate : table.candidates) {
    if (candidate.kind == Candidate::Kind::Kernel) {
      byKernel.insert(candidate.outputs.begin(), candidate.outputs.end());
    }
  }
  std::vector<Candidate> kept;
  std::vector<std::optional<uint32_t>> numbers; // of each candidate among those that are kept
  for (Candidate &candidate : table.candidates) {
    bool drop = placesUnaligned(candidate, graph, alignment) &&
                std::all_of(candidate.outputs.begin(), candidate.outputs.end(),
                            [&](ClassId cls) { return byKernel.contains(cls); });
    numbers.push_back(drop ? std::nullopt : std::optional(static_cast<uint32_t>(kept.size())));
    if (!drop) {
      kept.push_back(std::move(candidate));
    }
  }
  table.candidates = std::move(kept);
  std::vector<std::pair<uint32_t, uint32_t>> conflicts;
  for (auto [a, b] : table.conflicts) {
    if (numbers[a] && numbers[b]) {
      conflicts.emplace_back(*numbers[a], *numbers[b]);
    }
  }
  table.conflicts = std::move(conflicts);
}

} // namespace zyxc::kernelize
