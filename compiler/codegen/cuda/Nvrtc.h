// NVRTC, NVIDIA's compiler of CUDA C++, where it is installed: opened at run time, never linked.
#pragma once
#include "runtime/support/Status.h"
#include <string>

namespace zyxc {

/// True if NVRTC is on this machine.
bool hasNvrtc();

/// The PTX of a source in CUDA C++ for an architecture ("sm_90"). Unsupported, with what to do, if
/// there is no NVRTC on this machine; Input, with its first error, if it refuses the source.
Expected<std::string> compileCudaCpp(const std::string &code, const std::string &name,
                                     const std::string &architecture);

} // namespace zyxc
