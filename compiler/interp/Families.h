// The interpreter by op family: what evaluate() dispatches to. Each function may rely on operands
// and attributes that inferType accepted; `type` is the result type that it gave.
#pragma once
#include "dialects/zyx/semantics/Attrs.h"

namespace zyxc::interp {

using Operands = std::span<const Tensor>;

Tensor evaluateElementwise(OpKind kind, const Attrs &attrs, Operands operands,
                           const TensorType &type);
Tensor evaluateReduce(OpKind kind, const Attrs &attrs, const Tensor &x, const TensorType &type);
Tensor evaluateMovement(OpKind kind, const Attrs &attrs, Operands operands, const TensorType &type);
/// Prefix forms.
Tensor scan(OpKind kind, const Attrs &attrs, const Tensor &x, const TensorType &type);
/// sort and argsort.
Tensor sort(OpKind kind, const Attrs &attrs, const Tensor &x, const TensorType &type);
Tensor scatter(const Attrs &attrs, Operands operands, const TensorType &type);
Tensor iota(const Attrs &attrs, const TensorType &type);
Tensor concat(const Attrs &attrs, Operands operands, const TensorType &type);
Tensor gather(const Attrs &attrs, Operands operands, const TensorType &type);
Tensor contract(const Attrs &attrs, Operands operands, const TensorType &type);
Tensor conv(const Attrs &attrs, Operands operands, const TensorType &type);
/// max_pool and avg_pool.
Tensor pool(OpKind kind, const Attrs &attrs, const Tensor &x, const TensorType &type);

} // namespace zyxc::interp
