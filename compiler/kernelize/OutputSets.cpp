#include "compiler/kernelize/OutputSets.h"
#include "compiler/kernelize/program/ProgramSizes.h"
#include <algorithm>

namespace zyxc::kernelize {

OutputSets::OutputSets(const graph::TensorGraph &graph, const CutTable &cuts, OutputUse given,
                       const Caps &caps)
    : graph(graph), cuts(cuts), caps(caps), use(std::move(given)) {
  ClassId last = 0;
  for (ClassId cls : cuts.classes()) {
    last = std::max(last, cls);
  }
  size_t numClasses = static_cast<size_t>(last) + 1;
  place.resize(numClasses, 0);
  isOffered.resize(numClasses, false);
  isResult.resize(numClasses, false);
  isThere.resize(numClasses, false);
  representatives.resize(numClasses, nullptr);
  readers.resize(numClasses);
  readBy.resize(numClasses);
  for (ClassId root : graph.roots()) {
    isResult[root] = true;
  }
  findReaders();
  for (ClassId cls : use.there) {
    isThere[cls] = true;
  }
  std::vector<uint32_t> computed(numClasses, 0);
  for (ClassId cls : use.computed) {
    isOffered[cls] = ++computed[cls] > 1;
  }
  for (size_t i = 0; i < use.stored.size(); ++i) {
    ClassId cls = use.stored[i];
    isOffered[cls] = true;
    place[cls] = static_cast<uint32_t>(i + 1);
    const Cut *cut = representatives[cls] = findRepresentative(cls);
    for (ClassId input : cut ? cut->inputs : std::vector<ClassId>()) {
      readBy[input].push_back(cls);
    }
  }
}

void OutputSets::findReaders() {
  for (ClassId cls : cuts.classes()) {
    for (NodeId node : graph.nodes(cls)) {
      if (isComposite(graph.kind(node))) {
        continue;
      }
      for (ClassId operand : graph.operands(node)) {
        bool isKnown = operand >= readers.size() || operand == cls ||
                       (!readers[operand].empty() && readers[operand].back() == cls);
        if (!isKnown) {
          readers[operand].push_back(cls);
        }
      }
    }
  }
}

bool OutputSets::isReadElsewhere(ClassId cls, const Cut &cut) const {
  return isResult[cls] || std::any_of(readers[cls].begin(), readers[cls].end(),
                                      [&](ClassId reader) { return cut.find(reader) == nullptr; });
}

bool OutputSets::mayBeStored(ClassId cls, const Cut &cut) const {
  const Interior &entry = *cut.find(cls);
  bool belowTiles = cut.hasAnchor() && cls != cut.anchor && !entry.overAnchor;
  // What only moves elements is read through, not computed.
  OpKind kind = graph.kind(entry.node);
  bool computes = isElementwise(kind) || isReduce(kind) || kind == OpKind::Contract;
  return isOffered[cls] && !belowTiles && computes && !graph.isConstant(cls) &&
         !cuts.isConstantOnly(cls) && isReadElsewhere(cls, cut);
}

std::vector<Cut> OutputSets::withStores(ClassId cls, const Cut &cut) {
  std::vector<ClassId> also;
  for (const Interior &entry : cut.interior) {
    if (entry.cls != cls && mayBeStored(entry.cls, cut)) {
      also.push_back(entry.cls);
    }
  }
  std::vector<Cut> result;
  if (also.empty()) {
    return result;
  }
  result.push_back(cut);
  result.back().stores = also;
  for (size_t i = 0; also.size() > 1 && i < also.size(); ++i) {
    result.push_back(cut);
    result.back().stores = {also[i]};
  }
  return result;
}

const Cut *OutputSets::findRepresentative(ClassId cls) const {
  if (cuts.isGiven(cls) || graph.isConstant(cls) || cuts.isConstantOnly(cls)) {
    return nullptr;
  }
  const Cut *best = nullptr;
  for (const Cut &cut : cuts.cutsOf(cls)) {
    bool isBetter = !best || cut.inputs.size() < best->inputs.size() ||
                    (cut.inputs.size() == best->inputs.size() && cut.flow < best->flow);
    if (!cut.hasAnchor() && !cut.gathers && isBetter &&
        std::all_of(cut.inputs.begin(), cut.inputs.end(),
                    [&](ClassId input) { return isThere[input] || cuts.isGiven(input); })) {
      best = &cut;
    }
  }
  return best;
}

bool OutputSets::shareInputs(const Cut &a, const Cut &b) const {
  int64_t shared = 0;
  for (ClassId input : a.inputs) {
    if (std::binary_search(b.inputs.begin(), b.inputs.end(), input)) {
      shared += estimatedBytes(graph.type(input));
    }
  }
  return shared > 0 && 2 * shared >= std::min(a.bytes, b.bytes);
}

bool OutputSets::reads(const Cut &cut, ClassId cls) const {
  return cut.find(cls) || std::binary_search(cut.inputs.begin(), cut.inputs.end(), cls);
}

/// Tensors of one shape, the second one stored later, or rows and what is smaller.
bool OutputSets::isBeside(ClassId other, ClassId cls) const {
  const Shape &shape = graph.type(cls).shape;
  const Shape &otherShape = graph.type(other).shape;
  return otherShape == shape ? place[other] > place[cls]
                             : estimatedElements(otherShape) < estimatedElements(shape);
}

std::vector<Cut> OutputSets::siblings(ClassId cls) {
  std::vector<Cut> result;
  const Cut *own = representative(cls);
  if (!own) {
    return result;
  }
  std::vector<ClassId> others;
  for (ClassId input : own->inputs) {
    for (ClassId other : readBy[input]) {
      // What one makes of the other is the other's interior, not a sibling.
      const Cut *cut = representative(other);
      if (std::find(others.begin(), others.end(), other) == others.end() && isBeside(other, cls) &&
          !reads(*own, other) && !reads(*cut, cls) && shareInputs(*own, *cut)) {
        others.push_back(other);
      }
    }
  }
  auto isSmaller = [&](ClassId other) {
    return graph.type(other).shape != graph.type(cls).shape;
  };
  std::sort(others.begin(), others.end(), [&](ClassId a, ClassId b) {
    return std::pair(isSmaller(a), a) < std::pair(isSmaller(b), b);
  });
  if (others.size() > static_cast<size_t>(caps.siblings)) {
    siblingHits += static_cast<int64_t>(others.size()) - caps.siblings;
    others.resize(static_cast<size_t>(caps.siblings));
  }
  Cut all = *own;
  for (ClassId other : others) {
    const Cut &cut = *representative(other);
    if (std::optional<Cut> pair = merge(*own, cut)) {
      pair->stores = {other};
      result.push_back(*std::move(pair));
    }
    std::optional<Cut> larger = merge(all, cut);
    if (larger && std::none_of(all.stores.begin(), all.stores.end(),
                               [&](ClassId stored) { return reads(cut, stored); })) {
      larger->stores = all.stores;
      larger->stores.push_back(other);
      all = *std::move(larger);
    }
  }
  if (all.stores.size() > 1) {
    result.push_back(std::move(all));
  }
  return result;
}

LocalGain::LocalGain(const graph::TensorGraph &graph, const CandidateTable &table,
                     std::span<const uint32_t> chosen)
    : table(table), chosen(chosen) {
  size_t numClasses = graph.engine().numNodes();
  reads.resize(numClasses, 0);
  isThere.resize(numClasses, false);
  for (ClassId root : graph.roots()) {
    ++reads[root];
  }
  for (ClassId cls : table.given) {
    isThere[cls] = true;
  }
  for (uint32_t k : chosen) {
    for (ClassId input : table.candidates[k].inputs) {
      ++reads[input];
    }
    for (ClassId output : table.candidates[k].outputs) {
      isThere[output] = true;
    }
  }
}

int64_t LocalGain::of(const Candidate &candidate) {
  int64_t gain = -candidate.cost;
  bool canRead = std::all_of(candidate.inputs.begin(), candidate.inputs.end(),
                             [&](ClassId input) { return isThere[input]; });
  if (!canRead) {
    return gain;
  }
  left = reads;
  for (ClassId input : candidate.inputs) {
    ++left[input];
  }
  for (ClassId output : candidate.outputs) {
    left[output] = 0; // whoever produced it is not asked
  }
  for (size_t i = chosen.size(); i-- > 0;) { // users before operands
    const Candidate &other = table.candidates[chosen[i]];
    bool isIdle = std::all_of(other.outputs.begin(), other.outputs.end(),
                              [&](ClassId output) { return left[output] == 0; });
    if (isIdle) {
      gain += other.cost;
      for (ClassId input : other.inputs) {
        left[input] -= left[input] > 0 ? 1 : 0;
      }
    }
  }
  return gain;
}

} // namespace zyxc::kernelize
