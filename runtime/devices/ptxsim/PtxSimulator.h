// A simulator of NVIDIA GPUs for tests on machines without one: it runs PTX text, one thread after
// the other, and checks every access. It knows the instructions that zyxc's kernels are made of,
// the matrix units, tensor copies and barriers among them. Asynchronous copies and products are
// done when they are issued in every other launch, and as late as waits allow in the others: memory
// that is given back too early, or a wait that is missing, makes one of the two go wrong.
#pragma once
#include "runtime/device/GpuDevice.h"

namespace zyxc::rt {

/// A simulated GPU of an architecture ("sm_90a"). Images are PTX. It takes no times.
std::unique_ptr<GpuDevice> makePtxSimulator(const std::string &target, uint32_t multiprocessors,
                                            uint64_t sharedBytes);

} // namespace zyxc::rt
