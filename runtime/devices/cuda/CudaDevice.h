// An NVIDIA GPU through the CUDA driver.
#pragma once
#include "runtime/device/GpuDevice.h"

namespace zyxc::rt {

/// Opens the GPU with this number. Device if there is no driver ("no CUDA driver: .."), no such
/// GPU, or one older than sm_75.
Expected<std::unique_ptr<GpuDevice>> openCudaDevice(int ordinal = 0,
                                                    const char *library = "libcuda.so.1");

} // namespace zyxc::rt
