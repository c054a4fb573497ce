#include "runtime/devices/cuda/CudaDriver.h"
#include <dlfcn.h>

namespace zyxc::rt {

Expected<std::unique_ptr<CudaDriver>> CudaDriver::load(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return makeError(ErrorCode::Device, "no CUDA driver: {}", reason ? reason : library);
  }
  auto driver = std::make_unique<CudaDriver>();
#define ZYXC_CUDA_FIND(name, parameters)                                                           \
  driver->name = reinterpret_cast<CuResult(*) parameters>(dlsym(handle, #name));
#define ZYXC_CUDA_REQUIRE(name, parameters)                                                        \
  ZYXC_CUDA_FIND(name, parameters)                                                                 \
  if (!driver->name) {                                                                             \
    return makeError(ErrorCode::Device, "{} has no {}: update the NVIDIA driver", library, #name); \
  }
  ZYXC_CUDA_FUNCTIONS(ZYXC_CUDA_REQUIRE)
  ZYXC_CUDA_LATER_FUNCTIONS(ZYXC_CUDA_FIND)
#undef ZYXC_CUDA_REQUIRE
#undef ZYXC_CUDA_FIND
  ZYXC_RETURN_IF_ERROR(driver->check(driver->cuInit(0), "cuInit"));
  return driver;
}

Status CudaDriver::check(CuResult result, const char *call) const {
  if (result == 0) {
    return Status::ok();
  }
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  ErrorCode code = result == cuOutOfMemory ? ErrorCode::OutOfMemory : ErrorCode::Device;
  return makeError(code, "{}: {} ({})", call, name ? name : fmt::format("error {}", result).c_str(),
                   text ? text : "no description");
}

} // namespace zyxc::rt
