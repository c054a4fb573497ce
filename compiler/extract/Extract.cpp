#include "compiler/extract/Branch.h"
#include "compiler/extract/Search.h"
#include "compiler/extract/Tighten.h"
#include <algorithm>

namespace zyxc::extract {

/// Looks for a choice that costs less than `result`, which is improved.
static void branchOnParts(const Model &model, Effort &effort, Memory &memory, uint32_t stateShare,
                          SearchResult &result) {
  Brancher brancher(effort, memory, stateShare);
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
  result.searchNodes += brancher.searchNodes();
}

/// The best of some first choices: cheapest trees, and greedy by DAG cost.
static Expected<std::vector<uint32_t>> firstChoice(const Model &model, Effort &effort) {
  ZYXC_ASSIGN(std::vector<uint32_t> trees, greedyChoice(model));
  Effort treeEffort(effort, effort.left() / 16);
  std::vector<uint32_t> best = improve(model, trees, treeEffort);
  Effort dagEffort(effort, effort.left() / 16);
  std::vector<uint32_t> shared = improveMap(model, greedyDag(model), dagEffort);
  return !shared.empty() && totalCost(model, shared) < totalCost(model, best) ? shared : best;
}

static Effort effortOf(const Limits &limits) {
  Effort effort(std::min(limits.searchNodes, UINT64_MAX / numbersPerNode) * numbersPerNode);
  if (limits.seconds > 0) {
    effort.setDeadline(Effort::Clock::now() + std::chrono::duration_cast<Effort::Clock::duration>(
                                                  std::chrono::duration<double>(limits.seconds)));
  }
  return effort;
}

Expected<Solution> solve(const Problem &problem, const Limits &limits) {
  Effort effort = effortOf(limits);
  Memory memory(limits.memory);
  ZYXC_ASSIGN(Model model, makeModel(problem));
  ZYXC_ASSIGN(std::vector<uint32_t> incumbent, firstChoice(model, effort));
  DualBound bound(model, limits.boundRounds, effort);
  // Most tables of kernels are proved in a few states. Branching cannot take conflicts.
  bool hasConflicts = !problem.conflicts.empty();
  constexpr uint64_t firstStates = 500;
  uint64_t states = hasConflicts ? ~0u : limits.stateShare == 0 ? 0 : firstStates;
  Effort first(effort, hasConflicts ? effort.left() : effort.left() / 16);
  SearchResult result = search(model, bound, std::move(incumbent), states, first, memory);
  if (result.lowerBound < totalCost(model, result.options) && !hasConflicts) {
    branchOnParts(model, effort, memory, limits.stateShare, result);
  }
  Solution solution;
  for (uint32_t k : inExecutionOrder(model, result.options)) {
    solution.chosen.push_back(model.options[k].original);
    solution.cost += model.options[k].cost;
  }
  solution.lowerBound = std::min(result.lowerBound, solution.cost);
  solution.proved = solution.lowerBound == solution.cost;
  solution.searchNodes = result.searchNodes;
  solution.effort = effort.spent() / numbersPerNode;
  solution.memoryHits = memory.hits();
  solution.endedByTime = !solution.proved && effort.isLate();
  return solution;
}

} // namespace zyxc::extract
