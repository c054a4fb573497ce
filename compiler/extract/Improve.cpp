#include "compiler/extract/Model.h"
#include <algorithm>

namespace zyxc::extract {

namespace {

/// A choice as one option per class; what the required classes reach by it is the solution.
class LocalSearch {
public:
  LocalSearch(const Model &model, const std::vector<uint32_t> &choice)
      : model(model), option(cheapestTrees(model)), mark(model.numClasses(), 0),
        chosen(model.options.size(), 0) {
    for (auto k = choice.rbegin(); k != choice.rend(); ++k) {
      for (uint32_t output : model.options[*k].outputs) {
        option[output] = *k;
      }
    }
  }

  /// From one option for each class, ~0u for the cheapest tree.
  LocalSearch(const Model &model, const std::vector<uint32_t> &options, int)
      : LocalSearch(model, {}) {
    for (uint32_t cls = 0; cls < model.numClasses(); ++cls) {
      if (options[cls] != ~0u) {
        option[cls] = options[cls];
      }
    }
  }

  std::vector<uint32_t> run(const std::vector<uint32_t> &start) {
    int64_t best = evaluate();
    if (best >= infinity) {
      return start; // options of several outputs that no map from classes can express
    }
    constexpr int mostSweeps = 16;
    bool improved = true;
    for (int sweep = 0; sweep < mostSweeps && improved; ++sweep) {
      improved = false;
      std::vector<uint32_t> classes = used; // those that the solution produces now
      for (uint32_t cls : classes) {
        improved |= improveClass(cls, best);
      }
    }
    evaluate();
    return inExecutionOrder(model, solution);
  }

private:
  bool improveClass(uint32_t cls, int64_t &best) {
    uint32_t before = option[cls];
    uint32_t kept = before;
    for (uint32_t k : model.producers[cls]) {
      option[cls] = k;
      if (int64_t cost = evaluate(); cost < best) {
        best = cost;
        kept = k;
      }
    }
    option[cls] = kept;
    return kept != before;
  }

  /// Total cost of what the required classes reach; infinity if that has a cycle or a conflict.
  int64_t evaluate() {
    ++stamp;
    used.clear();
    solution.clear();
    int64_t total = 0;
    for (uint32_t root : model.required) {
      if (!visit(root, total)) {
        return infinity;
      }
    }
    for (uint32_t k : solution) {
      for (uint32_t other : model.conflicts[k]) {
        if (chosen[other] == stamp) {
          return infinity;
        }
      }
    }
    return total;
  }

  /// Depth first, without recursion. A class is open (2 * stamp) or closed (2 * stamp + 1).
  bool visit(uint32_t root, int64_t &total) {
    stack.assign(1, root);
    while (!stack.empty()) {
      uint32_t cls = stack.back();
      if (mark[cls] == 2 * stamp + 1) {
        stack.pop_back();
        continue;
      }
      if (mark[cls] == 2 * stamp) {
        mark[cls] = 2 * stamp + 1;
        stack.pop_back();
        continue;
      }
      uint32_t k = option[cls];
      if (k == ~0u) {
        return false;
      }
      mark[cls] = 2 * stamp;
      used.push_back(cls);
      if (chosen[k] != stamp) {
        chosen[k] = stamp;
        solution.push_back(k);
        total += model.options[k].cost;
      }
      for (uint32_t input : model.options[k].inputs) {
        if (mark[input] == 2 * stamp) {
          return false; // a cycle
        }
        if (mark[input] != 2 * stamp + 1) {
          stack.push_back(input);
        }
      }
    }
    return true;
  }

  const Model &model;
  std::vector<uint32_t> option; ///< by class
  std::vector<uint64_t> mark;   ///< by class
  std::vector<uint64_t> chosen; ///< by option: the stamp of the evaluation that reached it
  std::vector<uint32_t> used;
  std::vector<uint32_t> solution;
  std::vector<uint32_t> stack;
  uint64_t stamp = 0;
};

} // namespace

std::vector<uint32_t> improve(const Model &model, const std::vector<uint32_t> &choice) {
  return LocalSearch(model, choice).run(choice);
}

std::vector<uint32_t> improveMap(const Model &model, const std::vector<uint32_t> &options) {
  return LocalSearch(model, options, 0).run({});
}

} // namespace zyxc::extract
