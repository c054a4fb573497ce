#include "compiler/extract/Search.h"
#include <algorithm>

namespace zyxc::extract {

Expected<Solution> solve(const Problem &problem, const Limits &limits) {
  ZYXC_ASSIGN(Model model, makeModel(problem));
  ZYXC_ASSIGN(std::vector<uint32_t> incumbent, greedyChoice(model));
  DualBound bound(model, limits.boundRounds);
  SearchResult result = search(model, bound, improve(model, incumbent), limits.searchNodes);
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
