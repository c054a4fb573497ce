#include "compiler/driver/ModelTarget.h"
#include "compiler/codegen/cuda/PtxCompiler.h"
#include "compiler/codegen/vulkan/SpirvCompiler.h"
#include <algorithm>

namespace zyxc {

/// Sizes of subgroups of the devices that there are: NVIDIA, Intel and Apple; AMD; Mesa's software
/// device with AVX2.
static constexpr unsigned commonSubgroups[] = {32, 64, 8};

/// Versions of Vulkan whose devices run the same code.
static constexpr std::string_view vulkanVersions[] = {"1.2", "1.3", "1.4"};

static Expected<ModelTarget> cudaTargetOf(std::string_view architecture,
                                          const rt::GpuDeviceInfo *device) {
  std::string wanted(architecture.empty() && device ? device->target : architecture);
  std::optional<Target> target = findTarget(wanted);
  if (!target || target->kind != TargetKind::Ptx) {
    return makeError(ErrorCode::Usage,
                     "name the architecture of the GPU, such as cuda:sm_90 (known are {})",
                     targetNames(TargetKind::Ptx));
  }
  ModelTarget result;
  result.kind = rt::PlanKind::Cuda;
  result.name = "cuda:" + wanted;
  result.gpu = device ? cudaTarget(*target, *device) : *target;
  result.assembleFor = device && device->runsCubins ? device->target : "";
  return result;
}

static Expected<ModelTarget> vulkanTargetOf(std::string_view name, std::string_view version,
                                            const rt::GpuDeviceInfo *device) {
  ModelTarget result;
  result.kind = rt::PlanKind::Vulkan;
  result.name = name;
  if (version.empty() && device) { // for this one alone
    result.gpu = vulkanTarget(*device);
    result.spirv = spirvTarget(*device);
    result.subgroups = {device->subgroupSize};
    return result;
  }
  if (std::find(std::begin(vulkanVersions), std::end(vulkanVersions), version) ==
      std::end(vulkanVersions)) {
    return makeError(ErrorCode::Usage, "name the version of Vulkan: vulkan:1.2, which later ones "
                                       "run, too");
  }
  result.gpu = *findTarget("vulkan");
  result.subgroups.assign(std::begin(commonSubgroups), std::end(commonSubgroups));
  result.gpu.subgroupSize = result.subgroups.front();
  return result;
}

Expected<ModelTarget> ModelTarget::named(std::string_view name, const rt::GpuDeviceInfo *device) {
  std::string_view kind = name.substr(0, name.find(':'));
  std::string_view rest = kind.size() < name.size() ? name.substr(kind.size() + 1) : "";
  if (kind == "cuda") {
    return cudaTargetOf(rest, device);
  }
  if (kind == "vulkan") {
    return vulkanTargetOf(name, rest, device);
  }
  if (!HostTarget::isOfModel(name)) {
    return makeError(ErrorCode::Usage, "use cpu, cpu:native, cpu:x86-64-v3, cpu:x86-64-v4, "
                                       "cuda:sm_90 or vulkan:1.2");
  }
  ModelTarget result;
  result.name = HostTarget::fullName(name);
  ZYXC_ASSIGN(result.host, HostTarget::ofModel(name));
  return result;
}

std::string ModelTarget::fullName(std::string_view name) {
  return HostTarget::isOfModel(name) ? HostTarget::fullName(name) : std::string(name);
}

} // namespace zyxc
