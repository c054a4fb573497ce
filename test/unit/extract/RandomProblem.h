// Random tables of candidates, small enough for brute force.
#pragma once
#include "compiler/extract/Extract.h"
#include <algorithm>
#include <random>

namespace zyxc::extract {

struct Shape {
  bool cyclic = false;
  bool multiOutput = false;
  bool conflicts = false;
};

inline Problem randomProblem(std::mt19937 &random, Shape shape) {
  auto pick = [&](uint32_t low, uint32_t high) {
    return std::uniform_int_distribution<uint32_t>(low, high)(random);
  };
  Problem problem;
  problem.numClasses = pick(3, 9);
  problem.given = {0};
  problem.required = {problem.numClasses - 1};
  if (pick(0, 2) == 0) {
    problem.required.push_back(pick(0, problem.numClasses - 1));
  }
  uint32_t numCandidates = pick(3, 12);
  for (uint32_t k = 0; k < numCandidates; ++k) {
    Candidate candidate;
    uint32_t output = k + 1 < problem.numClasses ? k + 1 : pick(1, problem.numClasses - 1);
    candidate.outputs = {output};
    if (shape.multiOutput && pick(0, 2) == 0) {
      candidate.outputs.push_back(pick(1, problem.numClasses - 1));
    }
    for (uint32_t i = pick(0, 3); i > 0; --i) {
      uint32_t low = *std::min_element(candidate.outputs.begin(), candidate.outputs.end());
      uint32_t input = shape.cyclic ? pick(0, problem.numClasses - 1) : pick(0, low - 1);
      if (std::find(candidate.outputs.begin(), candidate.outputs.end(), input) ==
          candidate.outputs.end()) {
        candidate.inputs.push_back(input);
      }
    }
    candidate.cost = pick(0, 3) == 0 ? 0 : pick(1, 20);
    problem.candidates.push_back(candidate);
  }
  for (uint32_t i = shape.conflicts ? pick(0, 3) : 0; i > 0; --i) {
    uint32_t a = pick(0, numCandidates - 1);
    uint32_t b = pick(0, numCandidates - 1);
    if (a != b) {
      problem.conflicts.emplace_back(a, b);
    }
  }
  return problem;
}

} // namespace zyxc::extract
