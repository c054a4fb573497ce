#include "runtime/devices/cuda/CudaDevice.h"
#include "runtime/devices/cuda/CudaDriver.h"
#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace zyxc::rt {

namespace {

// Numbers of cuda.h.
enum DeviceAttribute {
  MaxThreadsPerBlock = 1,
  WarpSize = 10,
  MultiprocessorCount = 16,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedBytesPerBlockOptin = 97,
};
constexpr int maxDynamicSharedBytes = 8; // CUfunction_attribute
constexpr int jitErrorLog = 5, jitErrorLogBytes = 6;
constexpr int l2Promotion256 = 3;
constexpr unsigned streamNonBlocking = 1;

/// The target whose code a GPU of a compute capability runs: the last line that is not above it.
struct Capability {
  int major, minor;
  const char *target;
};
constexpr std::array<Capability, 9> capabilities = {{
    {7, 5, "sm_75"},
    {8, 0, "sm_80"},
    {8, 6, "sm_86"},
    {8, 9, "sm_89"},
    {9, 0, "sm_90a"},
    {10, 0, "sm_100"},
    {11, 0, nullptr}, // code of a lower major version does not run
    {12, 0, "sm_120"},
    {13, 0, nullptr},
}};

/// Two events that measure the time between them.
struct EventPair {
  const CudaDriver &driver;
  CuEvent start = nullptr, end = nullptr;

  explicit EventPair(const CudaDriver &driver) : driver(driver) {}
  EventPair(const EventPair &) = delete;
  EventPair &operator=(const EventPair &) = delete;
  ~EventPair() {
    for (CuEvent event : {start, end}) {
      if (event) {
        driver.cuEventDestroy_v2(event);
      }
    }
  }
  Status create() {
    ZYXC_RETURN_IF_ERROR(driver.check(driver.cuEventCreate(&start, 0), "cuEventCreate"));
    return driver.check(driver.cuEventCreate(&end, 0), "cuEventCreate");
  }
};

/// A function of a loaded kernel.
struct LoadedLaunch {
  CuFunction function = nullptr;
  GpuLaunch launch;
};

struct CudaProgram : GpuProgram {
  const CudaDriver *driver = nullptr;
  CuContext context = nullptr;
  CuModule module = nullptr;
  CuAddress scratch = 0;
  std::vector<uint64_t> sizes;
  std::vector<LoadedLaunch> launches;
  /// Encoded maps by (launch, map, address of the port).
  std::map<std::tuple<size_t, size_t, GpuAddress>, CuTensorMap> maps;

  ~CudaProgram() override {
    driver->cuCtxSetCurrent(context);
    if (module) {
      driver->cuModuleUnload(module);
    }
    if (scratch) {
      driver->cuMemFree_v2(scratch);
    }
  }
};

class CudaDevice : public GpuDevice {
public:
  explicit CudaDevice(std::unique_ptr<CudaDriver> driver) : driver(std::move(driver)) {}
  ~CudaDevice() override;
  Status open(int ordinal);

  const GpuDeviceInfo &info() const override { return about; }
  Expected<GpuAddress> allocate(uint64_t bytes) override;
  void release(GpuAddress address) override;
  Status upload(GpuAddress to, const void *from, uint64_t bytes) override;
  Status download(void *to, GpuAddress from, uint64_t bytes) override;
  Status fill(GpuAddress to, uint8_t value, uint64_t bytes) override;
  Expected<std::unique_ptr<GpuProgram>> load(const GpuKernel &kernel) override;
  Status launch(GpuProgram &program, std::span<const GpuAddress> ports) override;
  Status synchronize() override;
  Expected<std::vector<double>> time(std::span<const GpuStep> steps, unsigned samples,
                                     unsigned runs) override;
  Expected<std::vector<double>> timeCopy(GpuAddress to, GpuAddress from, uint64_t bytes,
                                         unsigned samples, unsigned runs) override;

private:
  Status describe(CuDevice device);
  /// The context is a property of the calling thread.
  Status bind() { return check(driver->cuCtxSetCurrent(context), "cuCtxSetCurrent"); }
  Status check(CuResult result, const char *call) const { return driver->check(result, call); }
  Expected<CuAddress> allocateBytes(uint64_t bytes);
  Status loadFunctions(CudaProgram &program, const GpuKernel &kernel);
  Expected<CuTensorMap *> encodeMap(CudaProgram &program, size_t launch, size_t map,
                                    std::span<const GpuAddress> ports);
  Status launchOne(CudaProgram &program, size_t index, std::span<const GpuAddress> ports);
  template <class Run>
  Expected<std::vector<double>> timeRuns(unsigned samples, unsigned runs, Run run);

  std::unique_ptr<CudaDriver> driver;
  GpuDeviceInfo about;
  std::optional<CuDevice> retained;
  CuContext context = nullptr;
  CuStream stream = nullptr;
  std::vector<CuAddress> allocations;
};

} // namespace

CudaDevice::~CudaDevice() {
  if (context) {
    driver->cuCtxSetCurrent(context);
    if (stream) {
      driver->cuStreamSynchronize(stream);
      driver->cuStreamDestroy_v2(stream);
    }
    for (CuAddress address : allocations) {
      driver->cuMemFree_v2(address);
    }
    driver->cuCtxSetCurrent(nullptr);
  }
  if (retained) {
    driver->cuDevicePrimaryCtxRelease_v2(*retained);
  }
}

Status CudaDevice::describe(CuDevice device) {
  auto attribute = [&](int which, int &value) {
    return check(driver->cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
  };
  char name[256] = {};
  ZYXC_RETURN_IF_ERROR(
      check(driver->cuDeviceGetName(name, sizeof name - 1, device), "cuDeviceGetName"));
  about.name = name;
  int version = 0, major = 0, minor = 0, shared = 0, threads = 0, warp = 0, processors = 0;
  ZYXC_RETURN_IF_ERROR(check(driver->cuDriverGetVersion(&version), "cuDriverGetVersion"));
  about.api = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  ZYXC_RETURN_IF_ERROR(attribute(ComputeCapabilityMajor, major));
  ZYXC_RETURN_IF_ERROR(attribute(ComputeCapabilityMinor, minor));
  ZYXC_RETURN_IF_ERROR(attribute(MaxSharedBytesPerBlockOptin, shared));
  ZYXC_RETURN_IF_ERROR(attribute(MaxThreadsPerBlock, threads));
  ZYXC_RETURN_IF_ERROR(attribute(WarpSize, warp));
  ZYXC_RETURN_IF_ERROR(attribute(MultiprocessorCount, processors));
  const char *target = nullptr;
  for (const Capability &capability : capabilities) {
    if (std::pair(major, minor) >= std::pair(capability.major, capability.minor)) {
      target = capability.target;
    }
  }
  if (!target) {
    return makeError(ErrorCode::Device, "{}: compute capability {}.{} has no target", about.name,
                     major, minor);
  }
  about.target = target;
  size_t memory = 0;
  ZYXC_RETURN_IF_ERROR(check(driver->cuDeviceTotalMem_v2(&memory, device), "cuDeviceTotalMem"));
  about.memoryBytes = memory;
  about.sharedBytes = static_cast<uint64_t>(shared);
  about.maxThreads = static_cast<uint32_t>(threads);
  about.subgroupSize = static_cast<uint32_t>(warp);
  about.multiprocessors = static_cast<uint32_t>(processors);
  about.runsCubins = true;
  return Status::ok();
}

Status CudaDevice::open(int ordinal) {
  int count = 0;
  ZYXC_RETURN_IF_ERROR(check(driver->cuDeviceGetCount(&count), "cuDeviceGetCount"));
  if (ordinal < 0 || ordinal >= count) {
    return makeError(ErrorCode::Device, "no CUDA device {}: there are {}", ordinal, count);
  }
  CuDevice device = 0;
  ZYXC_RETURN_IF_ERROR(check(driver->cuDeviceGet(&device, ordinal), "cuDeviceGet"));
  ZYXC_RETURN_IF_ERROR(describe(device));
  ZYXC_RETURN_IF_ERROR(
      check(driver->cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain"));
  retained = device;
  ZYXC_RETURN_IF_ERROR(bind());
  return check(driver->cuStreamCreate(&stream, streamNonBlocking), "cuStreamCreate");
}

Expected<CuAddress> CudaDevice::allocateBytes(uint64_t bytes) {
  ZYXC_RETURN_IF_ERROR(bind());
  CuAddress address = 0;
  constexpr uint64_t least = 256;
  Status status = check(driver->cuMemAlloc_v2(&address, std::max(bytes, least)), "cuMemAlloc");
  if (!status.isOk()) {
    return std::move(status).withContext(fmt::format("{} bytes", bytes));
  }
  return address;
}

Expected<GpuAddress> CudaDevice::allocate(uint64_t bytes) {
  ZYXC_ASSIGN(CuAddress address, allocateBytes(bytes));
  allocations.push_back(address);
  return address;
}

void CudaDevice::release(GpuAddress address) {
  auto at = std::find(allocations.begin(), allocations.end(), address);
  assert(at != allocations.end() && "an address that allocate() returned");
  allocations.erase(at);
  driver->cuCtxSetCurrent(context);
  driver->cuStreamSynchronize(stream);
  driver->cuMemFree_v2(address);
}

Status CudaDevice::upload(GpuAddress to, const void *from, uint64_t bytes) {
  ZYXC_RETURN_IF_ERROR(synchronize());
  if (bytes == 0) {
    return Status::ok();
  }
  // On our stream: cuMemcpyHtoD may return before the last bytes have arrived, and the default
  // stream, on which they then still travel, does not hold up a non-blocking one.
  ZYXC_RETURN_IF_ERROR(
      check(driver->cuMemcpyHtoDAsync_v2(to, from, bytes, stream), "cuMemcpyHtoDAsync"));
  return synchronize();
}

Status CudaDevice::download(void *to, GpuAddress from, uint64_t bytes) {
  ZYXC_RETURN_IF_ERROR(synchronize());
  if (bytes == 0) {
    return Status::ok();
  }
  ZYXC_RETURN_IF_ERROR(
      check(driver->cuMemcpyDtoHAsync_v2(to, from, bytes, stream), "cuMemcpyDtoHAsync"));
  return synchronize();
}

Status CudaDevice::fill(GpuAddress to, uint8_t value, uint64_t bytes) {
  ZYXC_RETURN_IF_ERROR(bind());
  if (bytes == 0) {
    return Status::ok();
  }
  return check(driver->cuMemsetD8Async(to, value, bytes, stream), "cuMemsetD8Async");
}

Status CudaDevice::synchronize() {
  ZYXC_RETURN_IF_ERROR(bind());
  return check(driver->cuStreamSynchronize(stream), "a kernel or copy failed: cuStreamSynchronize");
}

Status CudaDevice::loadFunctions(CudaProgram &program, const GpuKernel &kernel) {
  // With a log, the driver's compiler says what it does not like about PTX.
  std::string log(4096, '\0');
  int options[] = {jitErrorLog, jitErrorLogBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  Status status =
      check(driver->cuModuleLoadDataEx(&program.module, kernel.image.c_str(), 2, options, values),
            "cuModuleLoadDataEx");
  if (!status.isOk()) {
    log.resize(std::min(log.find('\0'), log.size()));
    return makeError(status.code(), "{}{}{}", status.message(), log.empty() ? "" : ": ", log);
  }
  for (const GpuLaunch &launch : kernel.launches) {
    LoadedLaunch loaded;
    loaded.launch = launch;
    ZYXC_RETURN_IF_ERROR(
        check(driver->cuModuleGetFunction(&loaded.function, program.module, launch.entry.c_str()),
              "cuModuleGetFunction")
            .withContext(launch.entry));
    if (launch.sharedBytes > 0) {
      ZYXC_RETURN_IF_ERROR(check(driver->cuFuncSetAttribute(loaded.function, maxDynamicSharedBytes,
                                                            static_cast<int>(launch.sharedBytes)),
                                 "cuFuncSetAttribute")
                               .withContext(launch.entry));
    }
    if (!launch.maps.empty() && !driver->cuTensorMapEncodeTiled) {
      return makeError(ErrorCode::Device, "the driver has no cuTensorMapEncodeTiled: update it");
    }
    program.launches.push_back(std::move(loaded));
  }
  return Status::ok();
}

Expected<std::unique_ptr<GpuProgram>> CudaDevice::load(const GpuKernel &kernel) {
  auto program = std::make_unique<CudaProgram>();
  program->driver = driver.get();
  program->context = context;
  program->sizes = kernel.sizes;
  ZYXC_RETURN_IF_ERROR(bind());
  ZYXC_RETURN_IF_ERROR(loadFunctions(*program, kernel).withContext(kernel.name));
  if (kernel.scratchBytes > 0) {
    ZYXC_ASSIGN(program->scratch, allocateBytes(kernel.scratchBytes));
  }
  return std::unique_ptr<GpuProgram>(std::move(program));
}

/// CUtensorMapDataType.
static int mapTypeNumber(MapType type) {
  switch (type) {
  case MapType::U8: return 0;
  case MapType::F16: return 6;
  case MapType::F32: return 7;
  case MapType::BF16: return 9;
  }
  return 0;
}

/// CUtensorMapSwizzle.
static int swizzleNumber(uint32_t bytes) {
  switch (bytes) {
  case 32: return 1;
  case 64: return 2;
  case 128: return 3;
  default: return 0;
  }
}

Expected<CuTensorMap *> CudaDevice::encodeMap(CudaProgram &program, size_t launch, size_t map,
                                              std::span<const GpuAddress> ports) {
  const TensorMap &recipe = program.launches[launch].launch.maps[map];
  if (recipe.port >= ports.size()) {
    return makeError(ErrorCode::Internal, "a tensor map of port {} of {}", recipe.port,
                     ports.size());
  }
  GpuAddress address = ports[recipe.port] + recipe.offset;
  auto [at, isNew] = program.maps.try_emplace({launch, map, address});
  if (isNew) {
    std::vector<uint32_t> elementStrides(recipe.dims.size(), 1);
    Status status = check(
        driver->cuTensorMapEncodeTiled(
            &at->second, mapTypeNumber(recipe.type), static_cast<unsigned>(recipe.dims.size()),
            reinterpret_cast<void *>(address), recipe.dims.data(), recipe.strides.data(),
            recipe.box.data(), elementStrides.data(), /*interleave=*/0,
            swizzleNumber(recipe.swizzle), l2Promotion256, /*fill=*/0),
        "cuTensorMapEncodeTiled");
    if (!status.isOk()) {
      program.maps.erase(at);
      return status;
    }
  }
  return &at->second;
}

Status CudaDevice::launchOne(CudaProgram &program, size_t index,
                             std::span<const GpuAddress> ports) {
  const LoadedLaunch &loaded = program.launches[index];
  const GpuLaunch &launch = loaded.launch;
  if (std::find(launch.grid.begin(), launch.grid.end(), 0U) != launch.grid.end()) {
    return Status::ok(); // nothing to compute
  }
  std::vector<GpuAddress> addresses(ports.begin(), ports.end());
  if (program.scratch) {
    addresses.push_back(program.scratch);
  }
  addresses.insert(addresses.end(), program.sizes.begin(), program.sizes.end());
  std::vector<void *> parameters;
  parameters.reserve(addresses.size() + launch.maps.size());
  for (GpuAddress &address : addresses) {
    parameters.push_back(&address);
  }
  for (size_t map = 0; map < launch.maps.size(); ++map) {
    ZYXC_ASSIGN(CuTensorMap * encoded, encodeMap(program, index, map, addresses));
    parameters.push_back(encoded);
  }
  if (launch.startsEarly && driver->cuLaunchKernelEx) {
    CuLaunchAttribute early{.id = cuStartsEarlyAttribute, .value = 1};
    CuLaunchConfig config{{launch.grid[0], launch.grid[1], launch.grid[2]},
                          {launch.block, 1, 1},
                          launch.sharedBytes,
                          stream,
                          &early,
                          1};
    return check(driver->cuLaunchKernelEx(&config, loaded.function, parameters.data(), nullptr),
                 "cuLaunchKernelEx");
  }
  return check(driver->cuLaunchKernel(loaded.function, launch.grid[0], launch.grid[1],
                                      launch.grid[2], launch.block, 1, 1, launch.sharedBytes,
                                      stream, parameters.data(), nullptr),
               "cuLaunchKernel");
}

Status CudaDevice::launch(GpuProgram &program, std::span<const GpuAddress> ports) {
  auto &cuda = static_cast<CudaProgram &>(program);
  ZYXC_RETURN_IF_ERROR(bind());
  // Addresses seldom change; a caller that changes them at every launch must not fill the memory.
  constexpr size_t maxMaps = 1024;
  if (cuda.maps.size() > maxMaps) {
    cuda.maps.clear();
  }
  for (size_t i = 0; i < cuda.launches.size(); ++i) {
    ZYXC_RETURN_IF_ERROR(launchOne(cuda, i, ports).withContext(cuda.launches[i].launch.entry));
  }
  return Status::ok();
}

template <class Run>
Expected<std::vector<double>> CudaDevice::timeRuns(unsigned samples, unsigned runs, Run run) {
  ZYXC_RETURN_IF_ERROR(bind());
  EventPair events(*driver);
  ZYXC_RETURN_IF_ERROR(events.create());
  std::vector<double> times;
  for (unsigned sample = 0; sample < samples; ++sample) {
    ZYXC_RETURN_IF_ERROR(check(driver->cuEventRecord(events.start, stream), "cuEventRecord"));
    for (unsigned i = 0; i < runs; ++i) {
      ZYXC_RETURN_IF_ERROR(run(sample * runs + i));
    }
    ZYXC_RETURN_IF_ERROR(check(driver->cuEventRecord(events.end, stream), "cuEventRecord"));
    ZYXC_RETURN_IF_ERROR(check(driver->cuEventSynchronize(events.end), "cuEventSynchronize"));
    float milliseconds = 0;
    ZYXC_RETURN_IF_ERROR(check(driver->cuEventElapsedTime(&milliseconds, events.start, events.end),
                               "cuEventElapsedTime"));
    times.push_back(milliseconds * 1e3 / runs);
  }
  return times;
}

Expected<std::vector<double>> CudaDevice::time(std::span<const GpuStep> steps, unsigned samples,
                                               unsigned runs) {
  assert(!steps.empty() && runs > 0);
  return timeRuns(samples, runs, [&](unsigned run) {
    for (const GpuStep &step : steps) {
      ZYXC_RETURN_IF_ERROR(launch(*step.program, step.ports[run % step.ports.size()]));
    }
    return Status::ok();
  });
}

Expected<std::vector<double>> CudaDevice::timeCopy(GpuAddress to, GpuAddress from, uint64_t bytes,
                                                   unsigned samples, unsigned runs) {
  assert(runs > 0);
  return timeRuns(samples, runs, [&](unsigned) {
    return check(driver->cuMemcpyDtoDAsync_v2(to, from, bytes, stream), "cuMemcpyDtoDAsync");
  });
}

Expected<std::unique_ptr<GpuDevice>> openCudaDevice(int ordinal, const char *library) {
  ZYXC_ASSIGN(std::unique_ptr<CudaDriver> driver, CudaDriver::load(library));
  auto device = std::make_unique<CudaDevice>(std::move(driver));
  ZYXC_RETURN_IF_ERROR(device->open(ordinal));
  return std::unique_ptr<GpuDevice>(std::move(device));
}

} // namespace zyxc::rt
