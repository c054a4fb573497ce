// Which ops round, and how much.
#pragma once
#include "test/fuzz/graphs/program/Graph.h"

namespace zyxc::fuzz {

/// What an op does to floats.
enum class Effect : uint8_t {
  None,       ///< moves, selects, compares, works on bits
  Arithmetic, ///< one correctly rounded result
  Function,   ///< a few units in the last place
  Sum,        ///< sums and products of many elements
};
Effect effectOf(OpKind kind);

/// Numbers that one element of a sum is made of.
double termsOf(const Node &node, std::span<const Tensor> operands);

/// True if the op's result follows from exact operands without rounding, whatever the order of
/// sums: moves and selections, integers, and floats that are small enough integers throughout.
bool roundsNothing(const Node &node, std::span<const Tensor> operands, const Tensor &result);

} // namespace zyxc::fuzz
