#include "tools/zyxc/kernel/targets/KernelRunner.h"

namespace zyxc::tool {

Expected<std::unique_ptr<KernelTarget>> KernelTarget::open(const std::string &name,
                                                           const TargetOptions &options) {
  std::optional<Target> target = findTarget(name);
  if (!target) {
    return makeError(ErrorCode::Usage, "--target={}: use one of {}", name, targetNames());
  }
  switch (target->kind) {
  case TargetKind::Host: return openHost(name, options.threads);
  case TargetKind::Ptx: return openCuda(*target, options.simulate);
  case TargetKind::Spirv: return openVulkan(*target, options.validate);
  }
}

} // namespace zyxc::tool
