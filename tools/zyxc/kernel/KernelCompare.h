// When a target's answer counts as that of the interpreter.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "tools/zyxc/compare/ElementCompare.h"
#include <vector>

namespace zyxc::tool {

/// The error that rounding explains. An element b of a port agrees with a if
///   |a - b| <= (8 u + 4 p sqrt(C) + v (16 + 4 sqrt(L))) max(|b|, rms) + d
/// where u is the largest unit roundoff of the port's dtype and of the body's casts to narrower
/// floats, p that of the port's dtype, v that of the body's arithmetic and reductions, C the number
/// of values that stores with `combine add` join at one element (each join rounds to the port's
/// dtype), L the summed length of the reductions, rms the root mean square of the expected port,
/// and d its dtype's smallest number above zero, twice. Integers must be equal, NaN agrees with
/// NaN, infinity with itself.
struct KernelTolerance {
  double castRoundoff = 0;    ///< of u, the body's part
  double bodyRoundoff = 0;    ///< v
  double reductionLength = 0; ///< L
  std::vector<double> joined; ///< C of each port; 0 where at most one value meets an element
};

/// Of a kernel with bound dims.
KernelTolerance toleranceOf(zyxk::KernelOp kernel);

/// `port` is the number of the compared port.
ElementDifference comparePort(const Tensor &actual, const Tensor &expected,
                              const KernelTolerance &tolerance, unsigned port);

} // namespace zyxc::tool
