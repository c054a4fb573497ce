#include "dialects/zyxk/target/Target.h"
#include "tools/zyxc/kernel/KernelRunner.h"

namespace zyxc::tool {

Expected<std::unique_ptr<KernelTarget>> KernelTarget::open(const std::string &name, int threads) {
  std::optional<Target> target = findTarget(name);
  if (!target) {
    return makeError(ErrorCode::Usage, "--target={}: use one of {}", name, targetNames());
  }
  switch (target->kind) {
  case TargetKind::Host: return openHost(name, threads);
  case TargetKind::Ptx:
  case TargetKind::Spirv: break;
  }
  return makeError(ErrorCode::Unsupported, "--target={}: kernels cannot be run there yet", name);
}

} // namespace zyxc::tool
