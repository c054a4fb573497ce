#include "tools/zyxc/kernel/targets/KernelRunner.h"

namespace zyxc::tool {

Expected<std::unique_ptr<KernelTarget>> KernelTarget::open(const std::string &name,
                                                           const TargetOptions &options) {
  std::optional<Target> target = findTarget(name);
  if (!target) {
    return makeError(ErrorCode::Usage, "--target={}: use one of {}", name, targetNames());
  }
  if (options.simulate && target->kind != TargetKind::Ptx) {
    return makeError(ErrorCode::Usage,
                     "--simulate: there is no simulator of {}; it is for NVIDIA "
                     "GPUs (sm_90a, ..)",
                     name);
  }
  if (options.validate && target->kind != TargetKind::Spirv) {
    return makeError(ErrorCode::Usage, "--validate: {} has no validation layer; it is for vulkan",
                     name);
  }
  switch (target->kind) {
  case TargetKind::Host: return openHost(name, options.threads);
  case TargetKind::Ptx: return openCuda(*target, options.simulate);
  case TargetKind::Spirv: return openVulkan(*target, options.validate);
  }
}

} // namespace zyxc::tool
