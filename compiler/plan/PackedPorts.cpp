#include "compiler/plan/PlanBuilder.h"
#include "runtime/plan/PackArena.h"
#include <map>
#include <tuple>

namespace zyxc::plan {

namespace {

using Source = std::tuple<rt::Space, uint32_t, uint64_t, std::string>;

/// Adds pack kernels, buffers and launches on demand, one per tensor and packing.
class Packer {
public:
  explicit Packer(rt::Plan &plan) : plan(plan) {}

  rt::BufferRef packed(const rt::BufferRef &plain, const PackedPort &port,
                       const std::string &label) {
    Source source{plain.space, plain.index, plain.offset, port.pack.name};
    auto [entry, isNew] = buffers.try_emplace(source);
    if (isNew) {
      rt::BufferRef &buffer = entry->second;
      buffer.space = rt::Space::Prepared;
      buffer.offset = plan.preparedBytes;
      buffer.bytes = port.bytes;
      plan.preparedBytes += rt::alignUp(port.bytes);
      rt::Launch launch;
      launch.kernel = kernelOf(port.pack);
      launch.ports = {plain, buffer};
      launch.label = label;
      plan.prepare.push_back(std::move(launch));
    }
    return entry->second;
  }

private:
  uint32_t kernelOf(const rt::Kernel &pack) {
    auto [entry, isNew] =
        kernels.try_emplace(pack.name, static_cast<uint32_t>(plan.kernels.size()));
    if (isNew) {
      plan.kernels.push_back(pack);
    }
    return entry->second;
  }

  rt::Plan &plan;
  std::map<Source, rt::BufferRef> buffers;
  std::map<std::string, uint32_t> kernels;
};

} // namespace

Status usePackedPorts(rt::Plan &plan, std::span<const PackedPort> ports) {
  std::map<std::pair<uint32_t, uint32_t>, const PackedPort *> wanted;
  for (const PackedPort &port : ports) {
    wanted.emplace(std::pair(port.kernel, port.port), &port);
  }
  Packer packer(plan);
  for (rt::Launch &launch : plan.steps) {
    for (uint32_t i = 0; i < launch.ports.size(); ++i) {
      auto port = wanted.find({launch.kernel, i});
      if (port == wanted.end()) {
        continue;
      }
      rt::BufferRef &buffer = launch.ports[i];
      if (buffer.space != rt::Space::Constant && buffer.space != rt::Space::Prepared) {
        return makeError(ErrorCode::Internal, "port {} of kernel {} is packed but not constant", i,
                         plan.kernels[launch.kernel].name);
      }
      buffer = packer.packed(buffer, *port->second, launch.label);
    }
  }
  return Status::ok();
}

} // namespace zyxc::plan
