// PTX that the user gives: checked, and assembled where ptxas is.
#pragma once
#include "compiler/codegen/cuda/CudaToolkit.h"
#include "dialects/zyx/semantics/CustomSource.h"
#include "runtime/device/GpuCode.h"

namespace zyxc {

/// The code of a custom kernel with a source in PTX, or in CUDA C++, which NVRTC compiles, for an
/// architecture ("sm_90"): a cubin, where the toolkit has ptxas, then PTX. It takes `numPorts`
/// addresses and the source's dims, 64 bits each, and is one launch. Input, naming kernel and
/// entry: the text is refused, has no such entry, or takes another number of arguments.
/// Unsupported: there is no NVRTC.
Expected<std::vector<rt::GpuCode>> compileCustomPtx(const CudaToolkit &toolkit,
                                                    const CustomSource &source, size_t numPorts,
                                                    const std::string &architecture);

} // namespace zyxc
