// Which axis gets the vector lanes.
#pragma once
#include "passes/lower/emit/AccessTable.h"

namespace zyxc {

/// The number of lanes for vectors of `vectorBits`: as many elements of the widest type that the
/// body computes with (i64 only if nothing else is stored or loaded).
int64_t lanesFor(const AccessTable &table, unsigned vectorBits);

/// True if a value, up to the results of reductions, is computed by functions (exp, tanh, ..), not
/// only by arithmetic that has instructions.
bool usesFunctions(mlir::Value bodyValue);

/// Registers that a vector along `axes` should fill. Two where values along them are computed by
/// functions and the processor has no AVX-512: the steps of two polynomials then alternate, where a
/// scheduler finds too few of one that need not wait (softmax on a Zen 3: 0.65 of the time). One
/// where axes are no multiple of two vectors.
int64_t registersPerVector(const AccessTable &table, zyxk::AxisSet axes, unsigned vectorBits);

/// Estimated memory operations of a kernel if `axis` has the lanes: a contiguous access costs one
/// per vector, a gather about one per element, an access that does not use the axis one per point.
double laneCost(const AccessTable &table, unsigned axis, int64_t width);

/// The cheapest axis of a set, if it has one.
std::optional<unsigned> cheapestLane(const AccessTable &table, zyxk::AxisSet candidates,
                                     int64_t width);

} // namespace zyxc
