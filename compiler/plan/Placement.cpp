#include "compiler/plan/Placement.h"

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
        offset = addBytes(offset, graph.type(input).byteSize());
      }
    }
  }
}

Place Placement::of(ClassId cls) const {
  Place place{cls, 0};
  while (place.root < parent.size() && parent[place.root].root != place.root) {
    place.offset = addBytes(place.offset, parent[place.root].offset);
    place.root = parent[place.root].root;
  }
  return place;
}

} // namespace zyxc::plan
