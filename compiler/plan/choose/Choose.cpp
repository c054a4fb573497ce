#include "compiler/plan/choose/TableProblem.h"
#include <algorithm>
#include <fmt/format.h>

namespace zyxc::plan {

extract::Problem problemOf(const graph::TensorGraph &graph,
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

Choice choiceOf(extract::Solution solution) {
  return Choice{std::move(solution.chosen), solution.cost,
                solution.lowerBound,        solution.proved,
                solution.searchNodes,       solution.memoryHits};
}

Expected<Choice> choose(const graph::TensorGraph &graph, const kernelize::CandidateTable &table,
                        const extract::Limits &limits) {
  extract::Problem problem = problemOf(graph, table);
  ZYXC_ASSIGN(extract::Solution solution, extract::solve(problem, limits));
  ZYXC_RETURN_IF_ERROR(extract::check(problem, solution).withContext("choice of kernels"));
  return choiceOf(std::move(solution));
}

std::string describeParts(const Choice &choice) {
  return choice.borders == 0
             ? ""
             : fmt::format("chosen in {} parts, {} of them different, among the choices that store "
                           "the {} tensors between equal parts\n",
                           choice.parts, choice.distinctParts, choice.borders);
}

} // namespace zyxc::plan
