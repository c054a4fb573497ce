// What of a Vulkan device code depends on. No MLIR.
#pragma once
#include <cstdint>

namespace zyxc {

/// The defaults are those of a device with everything but promises about special values.
struct SpirvTarget {
  unsigned subgroupSize = 8;
  bool float16 = true, float64 = true, int8 = true, int16 = true; ///< arithmetic and storage
  bool preservesInfNan = false;    ///< can promise signed zeros, infinities and NaNs in f32
  bool preservesDenormals = false; ///< can promise denormals in f32
  int64_t maxLoopTurns = 0;        ///< of all loops of a thread, what exceeds it is lost; 0: any
};

} // namespace zyxc
