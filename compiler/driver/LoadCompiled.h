// From a compilation to a plan that runs, in the same process.
#pragma once
#include "compiler/driver/Compile.h"
#include "runtime/exec/Executor.h"

namespace zyxc {

/// Makes a finished compilation ready to run: on the host, or on `device`, which code for a GPU
/// needs. The result must not outlive `compiled`. Errors are those of Executor and GpuExecutor.
Expected<std::unique_ptr<rt::Runner>> loadCompiled(const Compiled &compiled,
                                                   const rt::ExecutorOptions &options,
                                                   std::shared_ptr<rt::GpuDevice> device = nullptr);

} // namespace zyxc
