#include "tools/zyxc/kernel/targets/GpuRunner.h"
#include <algorithm>
#include <cstring>

namespace zyxc::tool {

namespace {

/// Pattern before and after each port.
constexpr std::byte pattern{0xa5};
constexpr size_t guardBytes = 256;

/// Ports in a device's memory with guard bytes around each; released at the end.
class GpuPorts {
public:
  explicit GpuPorts(rt::GpuDevice &device) : device(device) {}
  GpuPorts(GpuPorts &&other) noexcept
      : addresses(std::move(other.addresses)), device(other.device),
        allocations(std::exchange(other.allocations, {})) {}
  GpuPorts &operator=(GpuPorts &&) = delete;
  ~GpuPorts() {
    for (rt::GpuAddress address : allocations) {
      device.release(address);
    }
  }

  /// `shift` bytes move each port: kernels may count on addresses that are multiples of 16.
  Status upload(const PortBytes &ports, size_t shift = 0);
  /// Copies the ports back; Verification if guard bytes were written.
  Status download(PortBytes &ports) const;

  std::vector<rt::GpuAddress> addresses; ///< of the ports

private:
  rt::GpuDevice &device;
  size_t before = guardBytes;
  std::vector<rt::GpuAddress> allocations;
};

class GpuRunner : public KernelRunner {
public:
  GpuRunner(rt::GpuDevice *device, rt::GpuKernel kernel, std::string resourceText)
      : device(device), kernel(std::move(kernel)), resourceText(std::move(resourceText)) {}

  Status run(PortBytes &ports, unsigned variant, std::span<const int64_t> dims) override;
  std::string resources() const override { return resourceText; }
  /// The kernel on the device; loaded once.
  Expected<rt::GpuProgram *> load();

private:
  rt::GpuDevice *device;
  rt::GpuKernel kernel;
  std::string resourceText;
  std::unique_ptr<rt::GpuProgram> program;
};

} // namespace

Status GpuPorts::upload(const PortBytes &ports, size_t shift) {
  before = guardBytes + shift;
  for (const std::vector<std::byte> &port : ports) {
    std::vector<std::byte> image(before + port.size() + guardBytes, pattern);
    std::copy(port.begin(), port.end(), image.begin() + before);
    ZYXC_ASSIGN(rt::GpuAddress address, device.allocate(image.size()));
    allocations.push_back(address);
    addresses.push_back(address + before);
    ZYXC_RETURN_IF_ERROR(device.upload(address, image.data(), image.size()));
  }
  return Status::ok();
}

Status GpuPorts::download(PortBytes &ports) const {
  auto isPattern = [](std::byte byte) {
    return byte == pattern;
  };
  for (size_t i = 0; i < ports.size(); ++i) {
    std::vector<std::byte> image(before + ports[i].size() + guardBytes);
    ZYXC_RETURN_IF_ERROR(device.download(image.data(), allocations[i], image.size()));
    auto begin = image.begin() + before;
    auto end = image.end() - guardBytes;
    if (!std::all_of(image.begin(), begin, isPattern) ||
        !std::all_of(end, image.end(), isPattern)) {
      return makeError(ErrorCode::Verification, "writes outside of port {}", i);
    }
    std::copy(begin, end, ports[i].begin());
  }
  return Status::ok();
}

Expected<rt::GpuProgram *> GpuRunner::load() {
  if (!program) {
    ZYXC_ASSIGN(program, device->load(kernel));
  }
  return program.get();
}

Status GpuRunner::run(PortBytes &ports, unsigned variant, std::span<const int64_t> /*dims*/) {
  assert(device && "kernels run on a device");
  ZYXC_ASSIGN(rt::GpuProgram * loaded, load());
  GpuPorts memory(*device);
  ZYXC_RETURN_IF_ERROR(memory.upload(ports, variant % 2 * 16));
  ZYXC_RETURN_IF_ERROR(device->launch(*loaded, memory.addresses));
  ZYXC_RETURN_IF_ERROR(device->synchronize());
  return memory.download(ports);
}

/// Sets of ports to rotate through, so that a run does not find its inputs in a cache.
static size_t setsFor(const PortBytes &ports, uint64_t coldBytes) {
  uint64_t total = 1;
  for (const std::vector<std::byte> &port : ports) {
    total += port.size();
  }
  constexpr uint64_t mostSets = 64;
  return std::clamp<uint64_t>((coldBytes + total - 1) / total, 1, mostSets);
}

/// Runs steps until the clocks of a GPU that had nothing to do are up again: half a second of work.
/// Returns the microseconds of the last run, at least 1.
static Expected<double> warmUp(rt::GpuDevice &device, std::span<const rt::GpuStep> steps) {
  constexpr double workMicroseconds = 5e5;
  constexpr unsigned runs = 20;
  ZYXC_ASSIGN(std::vector<double> times, device.time(steps, 2, 1));
  double spent = 0;
  while (!device.info().isSoftware && spent < workMicroseconds) {
    ZYXC_ASSIGN(times, device.time(steps, 1, runs));
    spent += std::max(times.back(), 1.0) * runs + 50; // with what a measurement costs by itself
  }
  return std::max(times.back(), 1.0);
}

namespace {

/// Sets of ports that the runs of a sequence of launches rotate through.
struct PortSets {
  std::vector<GpuPorts> memory;
  std::vector<std::vector<std::vector<rt::GpuAddress>>> ofLaunch; ///< [launch][set]

  Status upload(rt::GpuDevice &device, std::span<const TimedLaunch> launches,
                const PortBytes &ports, size_t numSets);
  /// The next sample goes on `runs` sets further.
  void rotate(unsigned runs) {
    for (auto &sets : ofLaunch) {
      std::rotate(sets.begin(), sets.begin() + runs % sets.size(), sets.end());
    }
  }
};

} // namespace

Status PortSets::upload(rt::GpuDevice &device, std::span<const TimedLaunch> launches,
                        const PortBytes &ports, size_t numSets) {
  ofLaunch.resize(launches.size());
  for (size_t i = 0; i < numSets; ++i) {
    memory.emplace_back(device);
    ZYXC_RETURN_IF_ERROR(memory.back().upload(ports));
    for (size_t launch = 0; launch < launches.size(); ++launch) {
      std::vector<rt::GpuAddress> addresses;
      for (unsigned port : launches[launch].ports) {
        addresses.push_back(memory.back().addresses[port]);
      }
      ofLaunch[launch].push_back(std::move(addresses));
    }
  }
  return Status::ok();
}

Expected<KernelTimes> timeOnGpu(rt::GpuDevice &device, std::span<const TimedLaunch> launches,
                                const PortBytes &ports, const TimeRequest &request) {
  PortSets sets;
  ZYXC_RETURN_IF_ERROR(sets.upload(device, launches, ports, setsFor(ports, request.coldBytes)));
  std::vector<rt::GpuStep> steps;
  for (size_t i = 0; i < launches.size(); ++i) {
    ZYXC_ASSIGN(rt::GpuProgram * program, static_cast<GpuRunner *>(launches[i].kernel)->load());
    steps.push_back({program, sets.ofLaunch[i]});
  }
  // The copy goes through as much memory as the launches.
  uint64_t half = request.copyBytes / 2;
  uint64_t ring = std::max<uint64_t>(half, request.coldBytes / 2);
  ZYXC_ASSIGN(rt::GpuAddress from, device.allocate(ring));
  ZYXC_ASSIGN(rt::GpuAddress to, device.allocate(ring));
  KernelTimes times;
  ZYXC_ASSIGN(double once, warmUp(device, steps));
  constexpr double sampleMicroseconds = 2000;
  auto runs = static_cast<unsigned>(std::clamp(sampleMicroseconds / once, 1.0, 200.0));
  for (int sample = 0; sample < request.samples; ++sample) {
    sets.rotate(runs);
    ZYXC_ASSIGN(std::vector<double> kernelTime, device.time(steps, 1, runs));
    ZYXC_ASSIGN(std::vector<double> copyTime, device.timeCopy(to, from, half, 1, runs));
    times.kernel.push_back(kernelTime.front());
    times.copy.push_back(copyTime.front());
  }
  device.release(from);
  device.release(to);
  return times;
}

std::unique_ptr<KernelRunner> makeGpuRunner(rt::GpuDevice *device, rt::GpuKernel kernel,
                                            std::string resources) {
  return std::make_unique<GpuRunner>(device, std::move(kernel), std::move(resources));
}

std::string describeDevice(const rt::GpuDevice *device, const std::string &missing) {
  return device ? fmt::format("{}, {}", device->info().name, device->info().api) : missing;
}

} // namespace zyxc::tool
