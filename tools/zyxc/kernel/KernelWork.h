// How much a kernel has to do: what times are divided by.
#pragma once
#include "compiler/interp/kernel/KernelInterpreter.h"

namespace zyxc::tool {

struct KernelWork {
  /// Each element of in and out ports once, of inout ports twice. Ports that gathers read count
  /// what is read, if that is less.
  double bytes = 0;
  /// Two per point of a contraction, one per point of other float ops and of reductions; what
  /// depends on few axes counts once per point of these.
  double flops = 0;
  bool contracts = false; ///< there is a contraction: compared with the arithmetic peak
};

/// Of a kernel with bound dims.
KernelWork workOf(zyxk::KernelOp kernel, const std::vector<KernelPort> &ports);

} // namespace zyxc::tool
