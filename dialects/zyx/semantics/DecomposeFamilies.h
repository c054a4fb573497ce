// Decompositions by family: what decompose() dispatches to. Each returns a value of exactly the
// composite's type. Narrow floats are widened to the accumulator dtype inside, so that a composite
// rounds to its dtype once.
#pragma once
#include "dialects/zyx/semantics/GraphBuilder.h"

namespace zyxc::decomposition {

using Operands = std::span<const GraphValue>;

GraphValue matmul(GraphBuilder &builder, Operands operands);
GraphValue conv(GraphBuilder &builder, Operands operands, const Attrs &attrs);
GraphValue contract(GraphBuilder &builder, Operands operands, const Attrs &attrs);

GraphValue maxPool(GraphBuilder &builder, GraphValue x, const Attrs &attrs);
GraphValue avgPool(GraphBuilder &builder, GraphValue x, const Attrs &attrs);
GraphValue lrn(GraphBuilder &builder, GraphValue x, const Attrs &attrs);

GraphValue randomBits(GraphBuilder &builder, GraphValue key, const Attrs &attrs);

/// Elements of each window of an average pool that count in its divisor: shape [P1..Pk].
Tensor averageCounts(const TensorType &x, const TensorType &result, const Attrs &attrs);

} // namespace zyxc::decomposition
