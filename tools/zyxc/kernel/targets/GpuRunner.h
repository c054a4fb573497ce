// Running kernels on a GPU, the same for CUDA and Vulkan.
#pragma once
#include "runtime/device/GpuDevice.h"
#include "tools/zyxc/kernel/targets/KernelRunner.h"

namespace zyxc::tool {

/// A kernel for `device`, which must outlive it; without a device it can only say its resources.
std::unique_ptr<KernelRunner> makeGpuRunner(rt::GpuDevice *device, rt::GpuKernel kernel,
                                            std::string resources);

/// Times launches of kernels that makeGpuRunner made for the device.
Expected<KernelTimes> timeOnGpu(rt::GpuDevice &device, std::span<const TimedLaunch> launches,
                                const PortBytes &ports, const TimeRequest &request);

/// "NVIDIA H200, CUDA 13.0"; without a device `missing`.
std::string describeDevice(const rt::GpuDevice *device, const std::string &missing);

} // namespace zyxc::tool
