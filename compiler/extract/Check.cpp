// The independent checker of solutions: it replays them and knows nothing of how they were found.
#include "compiler/extract/Extract.h"

namespace zyxc::extract {

static Status replay(const Problem &problem, const Solution &solution, int64_t &cost) {
  std::vector<bool> present(problem.numClasses, false);
  std::vector<bool> used(problem.candidates.size(), false);
  for (uint32_t cls : problem.given) {
    present[cls] = true;
  }
  for (uint32_t k : solution.chosen) {
    if (k >= problem.candidates.size() || used[k]) {
      return makeError(ErrorCode::Internal, "candidate {} is unknown or chosen twice", k);
    }
    used[k] = true;
    for (uint32_t input : problem.candidates[k].inputs) {
      if (!present[input]) {
        return makeError(ErrorCode::Internal, "candidate {} reads class {} before it is there", k,
                         input);
      }
    }
    for (uint32_t output : problem.candidates[k].outputs) {
      present[output] = true;
    }
    cost += problem.candidates[k].cost;
  }
  for (uint32_t cls : problem.required) {
    if (!present[cls]) {
      return makeError(ErrorCode::Internal, "required class {} is not produced", cls);
    }
  }
  for (auto [a, b] : problem.conflicts) {
    if (used[a] && used[b]) {
      return makeError(ErrorCode::Internal, "candidates {} and {} exclude each other", a, b);
    }
  }
  return Status::ok();
}

Status check(const Problem &problem, const Solution &solution) {
  int64_t cost = 0;
  ZYXC_RETURN_IF_ERROR(replay(problem, solution, cost));
  if (cost != solution.cost) {
    return makeError(ErrorCode::Internal, "the candidates cost {}, the solution says {}", cost,
                     solution.cost);
  }
  if (solution.lowerBound > cost || (solution.proved && solution.lowerBound != cost)) {
    return makeError(ErrorCode::Internal, "lower bound {} does not fit cost {}",
                     solution.lowerBound, cost);
  }
  return Status::ok();
}

} // namespace zyxc::extract
