#include "compiler/extract/Heuristic.h"
#include "compiler/extract/Model.h"
#include <ctime>

namespace zyxc::extract {

/// Of a few numbers for each that the model has; one sweep of local search, more or less.
static uint64_t effortOfSweep(const Model &model) {
  uint64_t numbers = model.numClasses();
  for (const Model::Option &option : model.options) {
    numbers += 1 + option.inputs.size();
  }
  return 4 * numbers;
}

static Expected<std::vector<uint32_t>> choiceBy(Heuristic heuristic, const Model &model) {
  if (heuristic == Heuristic::Tree) {
    return greedyChoice(model);
  }
  if (heuristic == Heuristic::GreedyDag) {
    std::vector<uint32_t> options = greedyDag(model);
    ZYXC_ASSIGN(std::vector<uint32_t> choice, choiceOf(model, options));
    Effort effort(effortOfSweep(model));
    std::vector<uint32_t> improved = improveMap(model, std::move(options), effort);
    return improved.empty() ? choice : improved;
  }
  Effort effort(1'000'000'000); // some seconds
  std::vector<uint32_t> options = greedyDagFifo(model, effort);
  if (options.empty()) {
    return makeError(ErrorCode::Unsupported,
                     "the queue does not run empty in reasonable time: use the heap");
  }
  return choiceOf(model, options);
}

Expected<HeuristicSolution> solveBy(Heuristic heuristic, const Problem &problem) {
  ZYXC_ASSIGN(Model model, makeModel(problem));
  std::clock_t start = std::clock();
  ZYXC_ASSIGN(std::vector<uint32_t> chosen, choiceBy(heuristic, model));
  HeuristicSolution result;
  result.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  Solution &solution = result.solution;
  solution.cost = totalCost(model, chosen);
  solution.proved = solution.cost == 0;
  for (uint32_t k : chosen) {
    solution.chosen.push_back(model.options[k].original);
  }
  return result;
}

} // namespace zyxc::extract
