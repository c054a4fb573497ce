// Local search: one class at a time is produced in another way. Classes and options are counted by
// their users, so that a change costs what it changes, not the whole choice.
#include "compiler/extract/Model.h"
#include <algorithm>

namespace zyxc::extract {

namespace {

/// A choice as one option per class; what the required classes reach by it is the solution.
class LocalSearch {
public:
  /// From one option for each class.
  LocalSearch(const Model &model, std::vector<uint32_t> options, Effort &effort)
      : model(model), effort(effort), option(std::move(options)), users(model.numClasses(), 0),
        uses(model.options.size(), 0), mark(model.numClasses(), 0) {}

  /// The options of the best choice found in execution order; empty if that to begin with runs in a
  /// circle or has a conflict.
  std::vector<uint32_t> run() {
    if (!start()) {
      return {};
    }
    constexpr int mostSweeps = 16;
    bool improved = true;
    for (int sweep = 0; sweep < mostSweeps && improved && !effort.isOver(); ++sweep) {
      improved = false;
      for (uint32_t cls : usedClasses()) {
        if (effort.isOver()) {
          break;
        }
        improved |= improveClass(cls);
        effort.spend(touched);
        touched = 0;
      }
    }
    std::vector<uint32_t> solution;
    for (uint32_t k = 0; k < uses.size(); ++k) {
      if (uses[k] > 0) {
        solution.push_back(k);
      }
    }
    return inExecutionOrder(model, std::move(solution));
  }

private:
  bool start() {
    ++stamp;
    for (uint32_t root : model.required) {
      if (!isAcyclic(root, ~0u)) {
        return false;
      }
    }
    for (uint32_t root : model.required) {
      if (users[root]++ == 0) {
        addUse(option[root]);
      }
    }
    return numConflicts == 0;
  }

  /// Classes in the order in which the required ones reach them.
  std::vector<uint32_t> usedClasses() {
    std::vector<uint32_t> used;
    ++stamp;
    for (uint32_t root : model.required) {
      work.assign(1, root);
      while (!work.empty()) {
        uint32_t cls = work.back();
        work.pop_back();
        if (mark[cls] >= 2 * stamp) {
          continue;
        }
        mark[cls] = 2 * stamp;
        used.push_back(cls);
        const std::vector<uint32_t> &inputs = model.options[option[cls]].inputs;
        work.insert(work.end(), inputs.begin(), inputs.end());
      }
    }
    return used;
  }

  /// Takes the best option for a class in use, the others as they are. What its option alone needs
  /// is dropped first, so that each option is seen with all that it adds.
  bool improveClass(uint32_t cls) {
    const std::vector<uint32_t> &options = model.producers[cls];
    if (users[cls] == 0 || options.size() == 1) {
      return false;
    }
    uint32_t before = option[cls];
    uint32_t kept = before;
    int64_t best = cost;
    dropUse(before);
    for (uint32_t k : options) {
      if (k == before || (uses[k] == 0 && cost + model.options[k].cost >= best) ||
          !isAcyclicWith(cls, k)) {
        continue;
      }
      addUse(k);
      if (numConflicts == 0 && cost < best) {
        best = cost;
        kept = k;
      }
      dropUse(k);
    }
    option[cls] = kept;
    addUse(kept);
    return kept != before;
  }

  bool isAcyclicWith(uint32_t cls, uint32_t k) {
    ++stamp;
    const std::vector<uint32_t> &inputs = model.options[k].inputs;
    return std::all_of(inputs.begin(), inputs.end(),
                       [&](uint32_t input) { return isAcyclic(input, cls); });
  }

  /// False if the options below a class run in a circle, need `target`, or if a class has none.
  /// What is in use has no circle, and needs `target` only from its component.
  bool isAcyclic(uint32_t root, uint32_t target) {
    work.assign(1, root);
    while (!work.empty()) {
      ++touched;
      uint32_t cls = work.back();
      if (cls == target || option[cls] == ~0u) {
        return false;
      }
      if (mark[cls] >= 2 * stamp) { // all that is below it was seen, or was seen before
        mark[cls] = 2 * stamp + 1;
        work.pop_back();
        continue;
      }
      if (users[cls] > 0 && !isOnCycleWith(cls, target)) {
        mark[cls] = 2 * stamp + 1;
        work.pop_back();
        continue;
      }
      mark[cls] = 2 * stamp;
      for (uint32_t input : model.options[option[cls]].inputs) {
        if (mark[input] == 2 * stamp) {
          return false;
        }
        if (mark[input] < 2 * stamp) {
          work.push_back(input);
        }
      }
    }
    return true;
  }

  bool isOnCycleWith(uint32_t cls, uint32_t target) const {
    return target != ~0u && model.component[cls] == model.component[target] &&
           model.cyclic[model.component[cls]];
  }

  /// Counts a use of an option, and of all that it needs beside what is in use.
  void addUse(uint32_t k) {
    work.clear();
    beginUse(k);
    while (!work.empty()) {
      uint32_t cls = work.back();
      work.pop_back();
      if (users[cls]++ == 0) {
        beginUse(option[cls]);
      }
    }
  }

  void beginUse(uint32_t k) {
    if (uses[k]++ == 0) {
      cost += model.options[k].cost;
      numConflicts += conflictsOf(k);
      const std::vector<uint32_t> &inputs = model.options[k].inputs;
      work.insert(work.end(), inputs.begin(), inputs.end());
      touched += 1 + inputs.size();
    }
  }

  void dropUse(uint32_t k) {
    work.clear();
    endUse(k);
    while (!work.empty()) {
      uint32_t cls = work.back();
      work.pop_back();
      if (--users[cls] == 0) {
        endUse(option[cls]);
      }
    }
  }

  void endUse(uint32_t k) {
    if (--uses[k] == 0) {
      cost -= model.options[k].cost;
      numConflicts -= conflictsOf(k);
      const std::vector<uint32_t> &inputs = model.options[k].inputs;
      work.insert(work.end(), inputs.begin(), inputs.end());
      touched += 1 + inputs.size();
    }
  }

  int64_t conflictsOf(uint32_t k) const {
    const std::vector<uint32_t> &others = model.conflicts[k];
    return std::count_if(others.begin(), others.end(),
                         [&](uint32_t other) { return uses[other] > 0; });
  }

  const Model &model;
  Effort &effort;
  std::vector<uint32_t> option; ///< by class
  std::vector<uint32_t> users;  ///< by class: options in use that read it, and being required
  std::vector<uint32_t> uses;   ///< by option: classes in use that it is for
  std::vector<uint64_t> mark;   ///< by class: 2 * stamp open, 2 * stamp + 1 closed
  std::vector<uint32_t> work;
  uint64_t stamp = 0;
  uint64_t touched = 0; ///< not yet counted as effort
  int64_t cost = 0;
  int64_t numConflicts = 0;
};

} // namespace

std::vector<uint32_t> improve(const Model &model, const std::vector<uint32_t> &choice,
                              Effort &effort) {
  std::vector<uint32_t> options = cheapestTrees(model);
  for (auto k = choice.rbegin(); k != choice.rend(); ++k) {
    for (uint32_t output : model.options[*k].outputs) {
      options[output] = *k;
    }
  }
  std::vector<uint32_t> improved = LocalSearch(model, std::move(options), effort).run();
  return improved.empty() ? choice
                          : improved; // options of several outputs may need more than a map
}

std::vector<uint32_t> improveMap(const Model &model, std::vector<uint32_t> options,
                                 Effort &effort) {
  if (std::find(options.begin(), options.end(), ~0u) != options.end()) {
    std::vector<uint32_t> trees = cheapestTrees(model);
    for (uint32_t cls = 0; cls < model.numClasses(); ++cls) {
      options[cls] = options[cls] == ~0u ? trees[cls] : options[cls];
    }
  }
  return LocalSearch(model, std::move(options), effort).run();
}

} // namespace zyxc::extract
