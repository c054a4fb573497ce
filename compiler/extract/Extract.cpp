#include "compiler/extract/Branch.h"
#include "compiler/extract/Search.h"
#include "compiler/extract/Tighten.h"
#include <algorithm>

namespace zyxc::extract {

/// Looks for a choice that costs less than `result`, which is improved.
static void branchOnParts(const Model &model, uint64_t budget, uint32_t stateShare,
                          SearchResult &result) {
  Brancher brancher(budget, stateShare);
  BranchResult found = brancher.solve(model, totalCost(model, result.options));
  if (found.found) {
    std::vector<uint32_t> position(model.options.empty() ? 0 : model.options.back().original + 1);
    for (uint32_t k = 0; k < model.options.size(); ++k) {
      position[model.options[k].original] = k;
    }
    result.options.clear();
    for (uint32_t candidate : found.candidates) {
      result.options.push_back(position[candidate]);
    }
  }
  result.lowerBound = std::max(result.lowerBound, found.lowerBound);
  result.searchNodes += brancher.spent();
}

/// The best of some first choices: cheapest trees, and greedy by DAG cost.
static Expected<std::vector<uint32_t>> firstChoice(const Model &model, Effort &effort) {
  ZYXC_ASSIGN(std::vector<uint32_t> trees, greedyChoice(model));
  std::vector<uint32_t> best = improve(model, trees, effort);
  std::vector<uint32_t> shared = improveMap(model, greedyDag(model), effort);
  return !shared.empty() && totalCost(model, shared) < totalCost(model, best) ? shared : best;
}

Expected<Solution> solve(const Problem &problem, const Limits &limits) {
  ZYXC_ASSIGN(Model model, makeModel(problem));
  Effort effort(UINT64_MAX);
  ZYXC_ASSIGN(std::vector<uint32_t> incumbent, firstChoice(model, effort));
  DualBound bound(model, limits.boundRounds);
  // Most tables of kernels are proved in a few states. Branching cannot take conflicts.
  bool hasConflicts = !problem.conflicts.empty();
  constexpr uint64_t firstNodes = 500;
  uint64_t first = limits.searchNodes;
  if (!hasConflicts) {
    first = limits.stateShare == 0 ? 0 : std::min(first, firstNodes);
  }
  SearchResult result = search(model, bound, std::move(incumbent), first);
  if (result.lowerBound < totalCost(model, result.options) && first < limits.searchNodes) {
    branchOnParts(model, limits.searchNodes - first, limits.stateShare, result);
  }
  Solution solution;
  for (uint32_t k : inExecutionOrder(model, result.options)) {
    solution.chosen.push_back(model.options[k].original);
    solution.cost += model.options[k].cost;
  }
  solution.lowerBound = std::min(result.lowerBound, solution.cost);
  solution.proved = solution.lowerBound == solution.cost;
  solution.searchNodes = result.searchNodes;
  return solution;
}

} // namespace zyxc::extract
