// When a target's answer counts as that of the interpreter.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "runtime/core/Tensor.h"

namespace zyxc::tool {

/// The error that rounding explains. An element b of a port agrees with a if
///   |a - b| <= (8 u + v (16 + 4 sqrt(L))) max(|b|, rms) + d
/// where u is the largest unit roundoff of the port's dtype and of the body's casts to narrower
/// floats, v that of its arithmetic and reductions, L the summed length of the reductions, rms the
/// root mean square of the expected port, and d its dtype's smallest number above zero, twice.
/// Integers must be equal, NaN agrees with NaN, infinity with itself.
struct KernelTolerance {
  double castRoundoff = 0;    ///< of u, the body's part
  double bodyRoundoff = 0;    ///< v
  double reductionLength = 0; ///< L
};

/// Of a kernel with bound dims.
KernelTolerance toleranceOf(zyxk::KernelOp kernel);

struct PortDifference {
  int64_t mismatches = 0;
  double largest = 0; ///< largest error as a share of what is allowed
  std::string text;   ///< the first difference in words; empty if there is none
};

PortDifference comparePort(const Tensor &actual, const Tensor &expected,
                           const KernelTolerance &tolerance);

} // namespace zyxc::tool
