// The one table of result types: verifiers, the builder, the e-graph's analyses and the importers
// all ask here.
#pragma once
#include "dialects/zyx/semantics/Attrs.h"

namespace zyxc {

/// Result type of an op, or an Unsupported error in one line that says what is wrong with the
/// operands or attributes ("permute: perm [0, 0] is not a permutation of 2 axes").
/// Never aborts, whatever the attributes hold.
///
/// Shapes and lists of integers may hold symbolic sizes (runtime/core/Dim.h). Sizes that must be
/// equal have to be identical. What must lie within bounds is refused where it provably does not;
/// what is only known when the variables are bound is added to `guards`: the op is valid where all
/// of these sizes are at least 0.
Expected<TensorType> inferType(OpKind kind, const Attrs &attrs,
                               std::span<const TensorType> operands,
                               std::vector<int64_t> *guards = nullptr);

/// Labels of a contract lie in [0, maxContractLabels).
inline constexpr int64_t maxContractLabels = 64;

/// Dtype in which sums of products and sums of `dtype` are accumulated by default.
DType accumulatorOf(DType dtype);

/// For movement ops without pad: the map from result coordinates to operand coordinates. In the
/// canonical form an operand axis of extent 1 has coordinate 0 and no dim of extent 1 is used, so
/// that an identity is recognized by IndexMap::isIdentityOn.
IndexMap movementMap(OpKind kind, const Attrs &attrs, const TensorType &operand,
                     const TensorType &result);

} // namespace zyxc
