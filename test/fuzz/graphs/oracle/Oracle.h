// What a program's outputs must be: the reference interpreter's values, and how far a correct
// target may be from them.
#pragma once
#include "test/fuzz/graphs/program/Graph.h"

namespace zyxc::fuzz {

/// Values of all nodes by the reference interpreter, or its error.
Expected<std::vector<Tensor>> interpret(const Graph &graph);

/// The value of an output. Elements whose value depends on how roundings fall (a comparison of
/// nearly equal numbers, say) are not compared.
struct Expectation {
  static constexpr double notCompared = -1;
  Tensor value;
  std::vector<double> tolerance; ///< absolute, for each element; 0: equal

  /// "" if `actual` is right, else the first difference and how many there are.
  std::string compare(const Tensor &actual) const;
};

/// Expected outputs. Tolerances come from running the interpreter again with every rounding
/// disturbed at random, as often as `runs` says: elements vary as much as the program is
/// sensitive. (Random rounding as in CADNA: Vignes, "Discrete stochastic arithmetic", 2004.)
Expected<std::vector<Expectation>> expectations(const Graph &graph, int runs);

} // namespace zyxc::fuzz
