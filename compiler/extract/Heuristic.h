// Choices by rules of thumb: fast, valid, with no claim to be the cheapest. To compare the exact
// choice with, and for problems of which no more is asked.
#pragma once
#include "compiler/extract/Extract.h"

namespace zyxc::extract {

enum class Heuristic {
  Tree,          ///< each class by the option of the cheapest tree (Knuth, 1977)
  GreedyDag,     ///< each class by the option of the least cost with sharing, cheapest class first;
                 ///< then local search for about as long
  GreedyDagFifo, ///< the same with a queue; it may take very long, or never end
};

struct HeuristicSolution {
  Solution solution;  ///< with a lower bound of 0
  double seconds = 0; ///< of CPU time, without the reductions that come first with every method
};

/// Unsupported if a required class cannot be produced, or only by candidates that exclude others,
/// and if the queue does not run empty within its limits.
Expected<HeuristicSolution> solveBy(Heuristic heuristic, const Problem &problem);

} // namespace zyxc::extract
