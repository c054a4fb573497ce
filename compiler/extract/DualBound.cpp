#include "compiler/extract/DualBound.h"
#include <algorithm>

namespace zyxc::extract {

namespace {

/// One round: lengths of critical chains under reduced costs, then the loads of their sets.
class Ascent {
public:
  Ascent(const Model &model, std::vector<int64_t> costs)
      : model(model), reduced(std::move(costs)), length(model.numClasses()),
        inside(model.numClasses()) {}

  /// False when no required class has a chain of positive length left.
  bool next() {
    computeLengths();
    uint32_t target = ~0u;
    for (uint32_t cls : model.required) {
      if (length[cls] > 0 && (target == ~0u || length[cls] > length[target])) {
        target = cls;
      }
    }
    if (target == ~0u) {
      return false;
    }
    collect(target);
    takeLoads();
    return true;
  }

  const std::vector<uint32_t> &members() const { return set; }
  /// The costs that are left over and, for each option, the longest chain below it: a choice with
  /// the option pays both.
  std::vector<int64_t> takeLeft() {
    computeLengths();
    for (uint32_t k = 0; k < reduced.size(); ++k) {
      reduced[k] = std::min(infinity, reduced[k] + longestInput(model.options[k]));
    }
    return std::move(reduced);
  }
  int64_t lengthOf(uint32_t cls) const { return length[cls]; }

private:
  int64_t longestInput(const Model::Option &option) const {
    int64_t longest = 0;
    for (uint32_t input : option.inputs) {
      longest = std::max(longest, length[input]);
    }
    return longest;
  }

  /// length(c) = min over options of (reduced cost + longest input).
  void computeLengths() {
    std::fill(length.begin(), length.end(), infinity);
    for (size_t begin = 0; begin < model.byRank.size();) {
      size_t end = begin;
      uint32_t component = model.component[model.byRank[begin]];
      while (end < model.byRank.size() && model.component[model.byRank[end]] == component) {
        ++end;
      }
      bool changed = true;
      while (changed) { // one sweep, unless the component is a cycle
        changed = false;
        for (size_t i = begin; i < end; ++i) {
          changed |= relax(model.byRank[i]);
        }
        changed &= model.cyclic[component];
      }
      begin = end;
    }
  }

  bool relax(uint32_t cls) {
    int64_t best = length[cls];
    for (uint32_t k : model.producers[cls]) {
      best = std::min(best, reduced[k] + longestInput(model.options[k]));
    }
    bool changed = best < length[cls];
    length[cls] = best;
    return changed;
  }

  /// The classes of this round's sets: the target and, for each way to produce a member, the input
  /// with the longest chain, which blocks it.
  void collect(uint32_t target) {
    for (uint32_t cls : set) {
      inside[cls] = false;
    }
    set.assign(1, target);
    inside[target] = true;
    for (size_t i = 0; i < set.size(); ++i) {
      for (uint32_t k : model.producers[set[i]]) {
        const std::vector<uint32_t> &inputs = model.options[k].inputs;
        auto longest = std::max_element(inputs.begin(), inputs.end(), [&](uint32_t a, uint32_t b) {
          return length[a] < length[b];
        });
        if (longest != inputs.end() && length[*longest] > 0 && !inside[*longest]) {
          inside[*longest] = true;
          set.push_back(*longest);
        }
      }
    }
  }

  void takeLoads() {
    std::vector<std::pair<uint32_t, int64_t>> loads;
    for (uint32_t cls : set) {
      for (uint32_t k : model.producers[cls]) {
        loads.emplace_back(k, length[cls] - longestInput(model.options[k]));
      }
    }
    std::sort(loads.begin(), loads.end());
    for (size_t i = 0; i < loads.size(); ++i) {
      bool last = i + 1 == loads.size() || loads[i + 1].first != loads[i].first;
      if (last && loads[i].second > 0) { // the largest load of this option
        reduced[loads[i].first] -= loads[i].second;
      }
    }
  }

  const Model &model;
  std::vector<int64_t> reduced;
  std::vector<int64_t> length;
  std::vector<bool> inside;
  std::vector<uint32_t> set;
};

} // namespace

static std::vector<int64_t> costsOf(const Model &model) {
  std::vector<int64_t> costs;
  costs.reserve(model.options.size());
  for (const Model::Option &option : model.options) {
    costs.push_back(option.cost);
  }
  return costs;
}

DualBound::DualBound(const Model &model, uint32_t maxRounds, Effort &effort)
    : DualBound(model, costsOf(model), maxRounds, effort) {}

DualBound::DualBound(const Model &model, std::vector<int64_t> costs, uint32_t maxRounds,
                     Effort &effort)
    : heights(model.numClasses()) {
  uint64_t perRound = model.options.size() * 3 + model.numClasses();
  Ascent ascent(model, std::move(costs));
  while (numRounds < maxRounds && !effort.isOver() && ascent.next()) {
    effort.spend(perRound);
    for (uint32_t cls : ascent.members()) {
      if (ascent.lengthOf(cls) > 0) {
        heights[cls].push_back({numRounds, ascent.lengthOf(cls)});
      }
    }
    ++numRounds;
  }
  highest.assign(numRounds, 0);
  lost.assign(numRounds, 0);
  left = ascent.takeLeft();
  uint64_t touched = 0;
  raised = bound(model.required, {}, touched);
  effort.spend(touched);
}

int64_t DualBound::bound(std::span<const uint32_t> pending, std::span<const uint32_t> done,
                         uint64_t &touched) const {
  for (uint32_t cls : done) {
    for (const Height &height : heights[cls]) {
      lost[height.round] = std::max(lost[height.round], height.value);
    }
  }
  int64_t total = 0;
  for (uint32_t cls : pending) {
    for (const Height &height : heights[cls]) {
      // Sets that hold a class which is there already bind no more.
      int64_t known = std::max(highest[height.round], lost[height.round]);
      if (height.value > known) {
        total += height.value - known;
        highest[height.round] = height.value;
      }
    }
  }
  for (std::span<const uint32_t> list : {pending, done}) {
    for (uint32_t cls : list) {
      touched += 1 + heights[cls].size();
      for (const Height &height : heights[cls]) {
        highest[height.round] = lost[height.round] = 0;
      }
    }
  }
  return total;
}

} // namespace zyxc::extract
