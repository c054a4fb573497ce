// Parts of the inputs of a function: what zyx.assign writes and zyx.after reads.
#pragma once
#include "mlir/IR/Value.h"
#include "runtime/core/Tensor.h"

namespace zyxc::interp {

/// The elements of `input`, some version of the input that `part` is a part of, for which `part`
/// stands: its narrows, flips, permutes and reshapes.
Expected<Tensor> readPart(mlir::Value part, const Tensor &input);

/// A copy of `input` in which these elements are those of `value`.
Expected<Tensor> replacePart(mlir::Value part, const Tensor &input, const Tensor &value);

} // namespace zyxc::interp
