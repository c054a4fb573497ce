// The CUDA driver, found at run time: the functions that a device needs, by the names under which
// the library exports them. No header of the toolkit; types and numbers are those of the driver's
// ABI.
#pragma once
#include "runtime/support/Status.h"
#include <cstddef>
#include <cstdint>
#include <memory>

namespace zyxc::rt {

using CuResult = int; ///< 0: success
using CuDevice = int;
using CuContext = struct CuContextOpaque *;
using CuModule = struct CuModuleOpaque *;
using CuFunction = struct CuFunctionOpaque *;
using CuStream = struct CuStreamOpaque *;
using CuEvent = struct CuEventOpaque *;
using CuAddress = uint64_t;

/// A tensor map as the driver encodes it.
struct alignas(64) CuTensorMap {
  std::byte bytes[128];
};

constexpr CuResult cuOutOfMemory = 2;

/// CUlaunchAttribute with the attributes that are used here.
struct CuLaunchAttribute {
  int id = 0;
  int padding = 0;
  int value = 0;
  std::byte rest[60] = {};
};

/// CUlaunchConfig.
struct CuLaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  CuStream stream;
  CuLaunchAttribute *attributes;
  unsigned numAttributes;
};

/// CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION.
constexpr int cuStartsEarlyAttribute = 6;

/// X(name, parameters): functions that every driver since CUDA 11 has.
#define ZYXC_CUDA_FUNCTIONS(X)                                                                     \
  X(cuInit, (unsigned flags))                                                                      \
  X(cuDriverGetVersion, (int *version))                                                            \
  X(cuGetErrorName, (CuResult error, const char **name))                                           \
  X(cuGetErrorString, (CuResult error, const char **text))                                         \
  X(cuDeviceGetCount, (int *count))                                                                \
  X(cuDeviceGet, (CuDevice * device, int ordinal))                                                 \
  X(cuDeviceGetName, (char *name, int length, CuDevice device))                                    \
  X(cuDeviceGetAttribute, (int *value, int attribute, CuDevice device))                            \
  X(cuDeviceTotalMem_v2, (size_t *bytes, CuDevice device))                                         \
  X(cuDevicePrimaryCtxRetain, (CuContext * context, CuDevice device))                              \
  X(cuDevicePrimaryCtxRelease_v2, (CuDevice device))                                               \
  X(cuCtxSetCurrent, (CuContext context))                                                          \
  X(cuStreamCreate, (CuStream * stream, unsigned flags))                                           \
  X(cuStreamDestroy_v2, (CuStream stream))                                                         \
  X(cuStreamSynchronize, (CuStream stream))                                                        \
  X(cuEventCreate, (CuEvent * event, unsigned flags))                                              \
  X(cuEventDestroy_v2, (CuEvent event))                                                            \
  X(cuEventRecord, (CuEvent event, CuStream stream))                                               \
  X(cuEventSynchronize, (CuEvent event))                                                           \
  X(cuEventElapsedTime, (float *milliseconds, CuEvent start, CuEvent end))                         \
  X(cuMemAlloc_v2, (CuAddress * address, size_t bytes))                                            \
  X(cuMemFree_v2, (CuAddress address))                                                             \
  X(cuMemcpyHtoDAsync_v2, (CuAddress to, const void *from, size_t bytes, CuStream stream))         \
  X(cuMemcpyDtoHAsync_v2, (void *to, CuAddress from, size_t bytes, CuStream stream))               \
  X(cuMemcpyDtoDAsync_v2, (CuAddress to, CuAddress from, size_t bytes, CuStream stream))           \
  X(cuMemsetD8Async, (CuAddress to, unsigned char value, size_t bytes, CuStream stream))           \
  X(cuModuleLoadDataEx, (CuModule * module, const void *image, unsigned numOptions,                \
                         const int *options, void *const *values))                                 \
  X(cuModuleUnload, (CuModule module))                                                             \
  X(cuModuleGetFunction, (CuFunction * function, CuModule module, const char *name))               \
  X(cuFuncSetAttribute, (CuFunction function, int attribute, int value))                           \
  X(cuLaunchKernel, (CuFunction function, unsigned gridX, unsigned gridY, unsigned gridZ,          \
                     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,      \
                     CuStream stream, void **parameters, void **extra))

/// Functions of later drivers; null where the driver has none.
#define ZYXC_CUDA_LATER_FUNCTIONS(X)                                                               \
  X(cuLaunchKernelEx,                                                                              \
    (const CuLaunchConfig *config, CuFunction function, void **parameters, void **extra))          \
  X(cuTensorMapEncodeTiled,                                                                        \
    (CuTensorMap * map, int type, unsigned rank, void *address, const uint64_t *dims,              \
     const uint64_t *strides, const uint32_t *box, const uint32_t *elementStrides, int interleave, \
     int swizzle, int promotion, int fill))

/// The functions of a loaded driver. The library stays loaded until the process ends.
struct CudaDriver {
#define ZYXC_CUDA_MEMBER(name, parameters) CuResult(*name) parameters = nullptr;
  ZYXC_CUDA_FUNCTIONS(ZYXC_CUDA_MEMBER)
  ZYXC_CUDA_LATER_FUNCTIONS(ZYXC_CUDA_MEMBER)
#undef ZYXC_CUDA_MEMBER

  /// Loads a driver and initializes it. Device if there is none.
  static Expected<std::unique_ptr<CudaDriver>> load(const char *library = "libcuda.so.1");

  /// Success, or an error that names `call` and what the driver says. OutOfMemory where it
  /// refuses memory, else Device.
  Status check(CuResult result, const char *call) const;
};

} // namespace zyxc::rt
