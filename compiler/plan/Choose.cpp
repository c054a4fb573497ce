#include "compiler/plan/Borders.h"
#include "compiler/plan/Parts.h"
#include "compiler/plan/PlanBuilder.h"
#include <algorithm>

namespace zyxc::plan {

using kernelize::ClassId;

static extract::Problem problemOf(const graph::TensorGraph &graph,
                                  const kernelize::CandidateTable &table) {
  extract::Problem problem;
  problem.required = graph.roots();
  problem.given = table.given;
  problem.conflicts = table.conflicts;
  for (const kernelize::Candidate &candidate : table.candidates) {
    problem.candidates.push_back({candidate.inputs, candidate.outputs, candidate.cost});
  }
  uint32_t last = 0;
  auto cover = [&](const std::vector<uint32_t> &classes) {
    for (uint32_t cls : classes) {
      last = std::max(last, cls);
    }
  };
  cover(problem.required);
  cover(problem.given);
  for (const extract::Candidate &candidate : problem.candidates) {
    cover(candidate.inputs);
    cover(candidate.outputs);
  }
  problem.numClasses = last + 1;
  return problem;
}

static Choice choiceOf(extract::Solution solution) {
  return Choice{std::move(solution.chosen), solution.cost, solution.lowerBound, solution.proved,
                solution.searchNodes};
}

Expected<Choice> choose(const graph::TensorGraph &graph, const kernelize::CandidateTable &table,
                        const extract::Limits &limits) {
  extract::Problem problem = problemOf(graph, table);
  ZYXC_ASSIGN(extract::Solution solution, extract::solve(problem, limits));
  ZYXC_RETURN_IF_ERROR(extract::check(problem, solution).withContext("choice of kernels"));
  return choiceOf(std::move(solution));
}

namespace {

/// Chooses between sets of borders of one table.
class PartChooser {
public:
  PartChooser(const graph::TensorGraph &graph, const kernelize::CandidateTable &table,
              const extract::Limits &limits)
      : graph(graph), table(table), problem(problemOf(graph, table)), solver(problem, limits) {}

  /// True if these borders give a cheaper choice than those before.
  bool offer(std::vector<ClassId> borders) {
    std::optional<PartsSolution> found = solver.solve(borders, hidingCandidates(borders));
    searchNodes += found ? found->solution.searchNodes : 0;
    if (!found || (best && best->solution.cost <= found->solution.cost)) {
      return false;
    }
    best = std::move(found);
    bestBorders = std::move(borders);
    return true;
  }

  /// Gives up borders where that saves something: at both ends, where the parts are not like the
  /// others, and every second one if that holds for one in the middle.
  void relax() {
    if (!best) {
      return;
    }
    offer(without(bestBorders.size() - 1));
    offer(without(0));
    constexpr int rounds = 3; // parts of up to eight equal ones
    for (int round = 0; round < rounds; ++round) {
      std::vector<ClassId> half;
      for (size_t i = 1; i < bestBorders.size(); i += 2) {
        half.push_back(bestBorders[i]);
      }
      if (!offer(without(bestBorders.size() / 2)) || !offer(std::move(half))) {
        return;
      }
    }
  }

  Expected<std::optional<Choice>> take() && {
    if (!best) {
      return std::optional<Choice>();
    }
    ZYXC_RETURN_IF_ERROR(
        extract::check(problem, best->solution).withContext("choice of kernels by parts"));
    Choice choice = choiceOf(std::move(best->solution));
    choice.searchNodes = searchNodes;
    choice.borders = bestBorders.size();
    choice.parts = best->parts;
    choice.distinctParts = best->distinct;
    return std::optional(std::move(choice));
  }

private:
  std::vector<ClassId> without(size_t place) const {
    std::vector<ClassId> borders = bestBorders;
    borders.erase(borders.begin() + static_cast<std::ptrdiff_t>(place));
    return borders;
  }

  /// Candidates that compute a border only to use it.
  std::vector<bool> hidingCandidates(const std::vector<ClassId> &borders) const {
    std::vector<bool> isBorder(problem.numClasses, false);
    for (ClassId cls : borders) {
      isBorder[cls] = true;
    }
    std::vector<bool> hiding(table.candidates.size(), false);
    for (size_t k = 0; k < hiding.size(); ++k) {
      const kernelize::Candidate &candidate = table.candidates[k];
      hiding[k] = std::any_of(candidate.nodes.begin(), candidate.nodes.end(), [&](uint32_t node) {
        ClassId cls = graph.find(node);
        return cls < isBorder.size() && isBorder[cls] && cls != candidate.outputs[0];
      });
    }
    return hiding;
  }

  const graph::TensorGraph &graph;
  const kernelize::CandidateTable &table;
  extract::Problem problem;
  PartSolver solver;
  std::optional<PartsSolution> best;
  std::vector<ClassId> bestBorders;
  uint64_t searchNodes = 0;
};

} // namespace

Expected<std::optional<Choice>> chooseByParts(const graph::TensorGraph &graph,
                                              const kernelize::CandidateTable &table,
                                              std::span<const Borders> sets,
                                              const extract::Limits &limits) {
  if (sets.empty()) {
    return std::optional<Choice>();
  }
  PartChooser chooser(graph, table, limits);
  for (const Borders &borders : sets) {
    chooser.offer(borders.classes);
  }
  chooser.relax();
  return std::move(chooser).take();
}

} // namespace zyxc::plan
