// Which ops round, and evaluation with each rounding disturbed by random units in the last place.
#pragma once
#include "test/fuzz/graphs/Graph.h"
#include <random>

namespace zyxc::fuzz {

/// Distance of the floats of a dtype near a finite value.
double unitInTheLastPlace(DType dtype, double value);

/// True if the op's result follows from exact operands without rounding, whatever the order of
/// sums: moves and selections, integers, and floats that are small enough integers throughout.
bool roundsNothing(const Node &node, std::span<const Tensor> operands, const Tensor &result);

class Rounding {
public:
  explicit Rounding(uint64_t seed) : random(seed) {}
  void startRun(int number) { run = number; }

  /// Value of an op where what docs/semantics.md leaves open is chosen at random: roundings of
  /// functions and sums, the sign of a zero from max, min and sums, the bits of NaN.
  Expected<Tensor> evaluate(const Node &node, std::span<const Tensor> operands, bool exact);

private:
  Expected<Tensor> evaluateSum(const Node &node, std::span<const Tensor> operands);
  Tensor disturbed(const Tensor &x, double units);
  void spoilOverflows(const Tensor &sum, std::span<const Tensor> bounds, double terms) const;
  Status spoilInnerOverflows(const Node &node, std::span<const Tensor> operands,
                             const Tensor &result) const;
  void flipZeros(const Tensor &x);
  Tensor withOtherNaN(const Tensor &x) const;

  std::mt19937_64 random;
  int run = 0;
};

} // namespace zyxc::fuzz
