// Scalar functions of zyxk.scalar: activations written in zyx ops, and every float op of zyx.
#pragma once
#include "dialects/zyxk/scalar/ScalarBody.h"
#include <string>
#include <string_view>

namespace zyxc {

/// Number of operands of a scalar function; none if there is no function of this name. Names are
/// those of the activations (relu, sigmoid, silu, gelu, gelu_tanh, ...) and the mnemonics of zyx'
/// unary and binary ops with a float result (exp, tanh, max, ...).
std::optional<unsigned> scalarFunctionArity(std::string_view name);
/// The activations, for messages: "gelu, gelu_tanh, ...".
std::string scalarFunctionNames();

/// Calls a scalar function on values of one float type. Narrow floats are computed in f32 and
/// rounded once, at the end.
mlir::Value emitScalarFunction(mlir::OpBuilder &builder, mlir::Location loc, std::string_view name,
                               mlir::ValueRange operands);

} // namespace zyxc
