#include "compiler/driver/LoadCompiled.h"
#include "runtime/exec/GpuExecutor.h"

namespace zyxc {

Expected<std::unique_ptr<rt::Runner>> loadCompiled(const Compiled &compiled,
                                                   const rt::ExecutorOptions &options,
                                                   std::shared_ptr<rt::GpuDevice> device) {
  if (!compiled.target.isGpu()) {
    ZYXC_ASSIGN(auto executor, rt::Executor::load(compiled.plan, options));
    return std::unique_ptr<rt::Runner>(std::move(executor));
  }
  assert(device && "code for a GPU runs on one");
  ZYXC_ASSIGN(rt::GpuPlan plan, rt::chooseCodes(compiled.plan, compiled.gpuCodes, device->info()));
  ZYXC_ASSIGN(auto executor,
              rt::GpuExecutor::load(std::move(plan), std::move(device), options.memoryLimit));
  return std::unique_ptr<rt::Runner>(std::move(executor));
}

} // namespace zyxc
