#include "compiler/plan/explain/Swaps.h"
#include <algorithm>
#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace zyxc::explain {

using egraph::none;
using kernelize::Candidate;
using kernelize::ClassId;

Swaps::Swaps(const graph::TensorGraph &graph, const kernelize::CandidateTable &table,
             const plan::Choice &choice)
    : table(table), position(table.candidates.size(), none), conflicts(table.candidates.size()) {
  size_t numClasses = 0;
  auto cover = [&](std::span<const ClassId> classes) {
    for (ClassId cls : classes) {
      numClasses = std::max(numClasses, static_cast<size_t>(cls) + 1);
    }
  };
  std::vector<ClassId> roots = graph.roots();
  cover(roots);
  cover(table.given);
  for (const Candidate &candidate : table.candidates) {
    cover(candidate.inputs);
    cover(candidate.outputs);
  }
  given.assign(numClasses, false);
  uses.assign(numClasses, 0);
  maker.assign(numClasses, none);
  for (ClassId cls : table.given) {
    given[cls] = true;
  }
  for (ClassId cls : roots) {
    ++uses[cls];
  }
  for (uint32_t i = 0; i < choice.candidates.size(); ++i) {
    const Candidate &candidate = table.candidates[choice.candidates[i]];
    position[choice.candidates[i]] = i;
    for (ClassId cls : candidate.inputs) {
      ++uses[cls];
    }
    for (ClassId cls : candidate.outputs) {
      maker[cls] = maker[cls] == none ? choice.candidates[i] : maker[cls];
    }
  }
  for (auto [a, b] : table.conflicts) {
    conflicts[a].push_back(b);
    conflicts[b].push_back(a);
  }
  findCheapest();
}

uint32_t Swaps::makerOf(ClassId cls) const {
  return cls < maker.size() ? maker[cls] : none;
}

/// Cheapest trees over what is there already, each class settled once (Knuth, "A generalization of
/// Dijkstra's algorithm", 1977).
void Swaps::findCheapest() {
  cheapest.assign(given.size(), none);
  std::vector<std::vector<uint32_t>> readers(given.size());
  std::vector<size_t> open(table.candidates.size());
  std::vector<int64_t> cost(table.candidates.size());
  std::vector<bool> settled(given.size(), false);
  using Entry = std::pair<int64_t, uint32_t>; // cost, candidate
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (uint32_t k = 0; k < table.candidates.size(); ++k) {
    const Candidate &candidate = table.candidates[k];
    open[k] = candidate.inputs.size();
    cost[k] = candidate.cost;
    for (ClassId cls : candidate.inputs) {
      readers[cls].push_back(k);
    }
    if (candidate.inputs.empty()) {
      queue.emplace(cost[k], k);
    }
  }
  auto settle = [&](ClassId cls, int64_t treeCost) {
    settled[cls] = true;
    for (uint32_t k : readers[cls]) {
      cost[k] += treeCost;
      if (--open[k] == 0) {
        queue.emplace(cost[k], k);
      }
    }
  };
  for (ClassId cls = 0; cls < given.size(); ++cls) {
    if (given[cls] || maker[cls] != none) {
      settle(cls, 0);
    }
  }
  while (!queue.empty()) {
    auto [treeCost, k] = queue.top();
    queue.pop();
    for (ClassId cls : table.candidates[k].outputs) {
      if (!settled[cls]) {
        cheapest[cls] = k;
        settle(cls, treeCost);
      }
    }
  }
}

/// One swap in the making: what differs from the choice.
class Swaps::Attempt {
public:
  Attempt(const Swaps &base, uint32_t chosen) : base(base), table(base.table), chosen(chosen) {}

  Swap run(uint32_t other) {
    bool isClosed = add(other);
    for (size_t i = 0; isClosed && i < result.added.size(); ++i) {
      // By index: add() may move the list.
      const std::vector<ClassId> &inputs = table.candidates[result.added[i]].inputs;
      isClosed = std::all_of(inputs.begin(), inputs.end(), [&](ClassId cls) { return need(cls); });
    }
    if (!isClosed) {
      result.outcome = Swap::Outcome::Cycle;
      return std::move(result);
    }
    removeUnused();
    if (conflicts()) {
      result.outcome = Swap::Outcome::Place;
    } else if (isCyclic()) {
      result.outcome = Swap::Outcome::Cycle;
    }
    for (uint32_t k : result.added) {
      result.difference += table.candidates[k].cost;
    }
    for (uint32_t k : result.removed) {
      result.difference -= table.candidates[k].cost;
    }
    return std::move(result);
  }

private:
  bool add(uint32_t k) {
    result.added.push_back(k);
    for (ClassId cls : table.candidates[k].outputs) {
      newMaker.emplace(cls, k);
    }
    return true;
  }

  /// Sees to it that a class is made. False if that is not possible.
  bool need(ClassId cls) {
    if (base.given[cls]) {
      return true;
    }
    ++moreUses[cls];
    if (newMaker.contains(cls) || base.maker[cls] != none) {
      return true;
    }
    return base.cheapest[cls] != none && add(base.cheapest[cls]);
  }

  bool isUsed(ClassId cls) const {
    auto more = moreUses.find(cls);
    return base.uses[cls] + (more == moreUses.end() ? 0 : more->second) > 0;
  }

  /// A chosen candidate is dropped if each of its results has no reader, or is made anew.
  void removeIfUnused(uint32_t k) {
    if (k == none || isRemoved.contains(k)) {
      return;
    }
    const Candidate &candidate = table.candidates[k];
    bool isNeeded =
        std::any_of(candidate.outputs.begin(), candidate.outputs.end(),
                    [&](ClassId cls) { return isUsed(cls) && !newMaker.contains(cls); });
    if (isNeeded) {
      return;
    }
    isRemoved.insert(k);
    result.removed.push_back(k);
    for (ClassId cls : candidate.inputs) {
      if (!base.given[cls]) {
        --moreUses[cls];
      }
    }
  }

  void removeUnused() {
    removeIfUnused(chosen);
    for (uint32_t k : result.added) {
      for (ClassId cls : table.candidates[k].outputs) {
        removeIfUnused(base.maker[cls]);
      }
    }
    for (size_t i = 0; i < result.removed.size(); ++i) {
      const Candidate &candidate = table.candidates[result.removed[i]];
      for (ClassId cls : candidate.inputs) {
        removeIfUnused(base.maker[cls]);
      }
    }
  }

  bool isThere(uint32_t k) const {
    bool isOld = base.position[k] != none && !isRemoved.contains(k);
    return isOld || std::find(result.added.begin(), result.added.end(), k) != result.added.end();
  }

  bool conflicts() const {
    return std::any_of(result.added.begin(), result.added.end(), [&](uint32_t k) {
      return std::any_of(base.conflicts[k].begin(), base.conflicts[k].end(),
                         [&](uint32_t other) { return isThere(other); });
    });
  }

  uint32_t makerOf(ClassId cls) const {
    auto found = newMaker.find(cls);
    return found != newMaker.end() ? found->second : base.maker[cls];
  }

  /// Depth first from what was added. A chosen candidate that ran before all makers of what is
  /// made anew is on no circle.
  bool isCyclic() const {
    uint32_t first = none;
    for (auto [cls, k] : newMaker) {
      if (base.maker[cls] != none) {
        first = std::min(first, base.position[base.maker[cls]]);
      }
    }
    std::unordered_set<uint32_t> open;
    std::unordered_set<uint32_t> done;
    std::vector<std::pair<uint32_t, size_t>> way; // candidate, next input
    for (uint32_t start : result.added) {
      if (!done.contains(start)) {
        way.emplace_back(start, 0);
        open.insert(start);
      }
      while (!way.empty()) {
        auto &[k, next] = way.back();
        const std::vector<ClassId> &inputs = table.candidates[k].inputs;
        if (next == inputs.size()) {
          open.erase(k);
          done.insert(k);
          way.pop_back();
          continue;
        }
        ClassId cls = inputs[next++];
        uint32_t before = base.given[cls] ? none : makerOf(cls);
        if (before == none || done.contains(before) || base.position[before] < first) {
          continue;
        }
        if (!open.insert(before).second) {
          return true;
        }
        way.emplace_back(before, 0);
      }
    }
    return false;
  }

  const Swaps &base;
  const kernelize::CandidateTable &table;
  uint32_t chosen;
  Swap result;
  std::unordered_map<ClassId, uint32_t> newMaker;
  std::unordered_map<ClassId, uint32_t> moreUses; ///< modulo 2^32: may be fewer
  std::unordered_set<uint32_t> isRemoved;
};

Swap Swaps::swap(uint32_t chosen, uint32_t other) const {
  return Attempt(*this, chosen).run(other);
}

} // namespace zyxc::explain
