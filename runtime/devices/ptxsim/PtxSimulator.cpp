#include "runtime/devices/ptxsim/PtxSimulator.h"
#include "runtime/devices/ptxsim/Machine.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace zyxc::rt {

using namespace ptxsim;

namespace {

/// A launch made ready: its code and where its parameters go.
struct SimLaunch {
  GpuLaunch launch;
  std::vector<Parameter> parameters;
  std::vector<Instruction> code;
  uint32_t numRegisters = 0;
  uint64_t sharedBytes = 0; ///< static and dynamic
  uint64_t localBytes = 0;  ///< of each thread
};

struct SimProgram : GpuProgram {
  std::vector<SimLaunch> launches;
  GpuDevice *device = nullptr;
  GpuAddress scratch = 0;
  std::vector<uint64_t> sizes;
  std::vector<GpuAddress> globals;

  ~SimProgram() override {
    for (GpuAddress global : globals) {
      device->release(global);
    }
    if (scratch) {
      device->release(scratch);
    }
  }
};

class PtxSimulator : public GpuDevice {
public:
  explicit PtxSimulator(GpuDeviceInfo info) : about(std::move(info)) {}
  ~PtxSimulator() override {
    for (auto [address, bytes] : allocations) {
      std::free(reinterpret_cast<void *>(address));
    }
  }

  const GpuDeviceInfo &info() const override { return about; }
  Expected<GpuAddress> allocate(uint64_t bytes) override;
  void release(GpuAddress address) override;
  Status upload(GpuAddress to, const void *from, uint64_t bytes) override {
    std::memcpy(reinterpret_cast<void *>(to), from, bytes);
    return Status::ok();
  }
  Status download(void *to, GpuAddress from, uint64_t bytes) override {
    std::memcpy(to, reinterpret_cast<void *>(from), bytes);
    return Status::ok();
  }
  Status fill(GpuAddress to, uint8_t value, uint64_t bytes) override {
    std::memset(reinterpret_cast<void *>(to), value, bytes);
    return Status::ok();
  }
  Expected<std::unique_ptr<GpuProgram>> load(const GpuKernel &kernel) override;
  Status launch(GpuProgram &program, std::span<const GpuAddress> ports) override;
  Status synchronize() override { return Status::ok(); }
  Expected<std::vector<double>> time(std::span<const GpuStep>, unsigned, unsigned) override {
    return makeError(ErrorCode::Device, "{} takes no times", about.name);
  }
  Expected<std::vector<double>> timeCopy(GpuAddress, GpuAddress, uint64_t, unsigned,
                                         unsigned) override {
    return makeError(ErrorCode::Device, "{} takes no times", about.name);
  }

private:
  Status run(const SimLaunch &launch, const std::vector<std::byte> &parameters);

  bool isLate = true; ///< asynchronous work of the next launch
  GpuDeviceInfo about;
  std::map<uint64_t, uint64_t> allocations;
  DeviceMemory memory;
};

} // namespace

std::unique_ptr<GpuDevice> makePtxSimulator(const std::string &target, uint32_t multiprocessors,
                                            uint64_t sharedBytes) {
  GpuDeviceInfo info;
  info.name = "simulated " + target;
  info.api = "PTX";
  info.target = target;
  info.isSoftware = true;
  info.sharedBytes = sharedBytes;
  info.maxThreads = 1024;
  info.subgroupSize = 32;
  info.multiprocessors = multiprocessors;
  return std::make_unique<PtxSimulator>(std::move(info));
}

Expected<GpuAddress> PtxSimulator::allocate(uint64_t bytes) {
  constexpr uint64_t alignment = 256;
  uint64_t rounded = (std::max<uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void *start = std::aligned_alloc(alignment, rounded);
  if (!start) {
    return makeError(ErrorCode::OutOfMemory, "{} bytes", bytes);
  }
  auto address = reinterpret_cast<uint64_t>(start);
  allocations[address] = bytes;
  memory.add(address, bytes);
  return address;
}

void PtxSimulator::release(GpuAddress address) {
  allocations.erase(address);
  memory.remove(address);
  std::free(reinterpret_cast<void *>(address));
}

/// Bytes from the start of memory for a variable behind what is placed.
static uint64_t place(const SharedVariable &variable, uint64_t &end) {
  uint64_t start = (end + variable.alignment - 1) / variable.alignment * variable.alignment;
  end = start + variable.bytes;
  return start;
}

/// Places shared variables; the dynamic memory comes behind them.
static Symbols placeSymbols(const PtxModule &module, const Entry &entry, uint64_t &sharedBytes) {
  Symbols symbols;
  uint64_t end = 0;
  for (bool dynamic : {false, true}) {
    for (const SharedVariable &variable : module.shared) {
      if ((variable.bytes == 0) == dynamic) {
        symbols[variable.name] = place(variable, end);
      }
    }
  }
  sharedBytes += end;
  for (const Parameter &parameter : entry.parameters) {
    symbols[parameter.name] = parameter.offset | paramSpace;
  }
  return symbols;
}

static Expected<Instruction> decode(const Statement &statement, const Symbols &symbols) {
  Instruction made;
  made.predicate = statement.predicate;
  made.negated = statement.negated;
  made.text = statement.text;
  if (statement.opcode[0] == "bra") {
    made.kind = Instruction::Kind::Branch;
    made.target = statement.target;
    return made;
  }
  if (statement.opcode[0] == "ret" || statement.opcode[0] == "exit") {
    made.kind = Instruction::Kind::Exit;
    return made;
  }
  try {
    if (decodeWarp(statement, symbols, made) || decodeMatrix(statement, symbols, made) ||
        decodeBarrier(statement, symbols, made) || decodeMemory(statement, symbols, made) ||
        decodeScalar(statement, symbols, made)) {
      return made;
    }
  } catch (Fault &fault) {
    return makeError(ErrorCode::Unsupported, "not simulated: {} of '{}'", fault.text,
                     statement.text);
  }
  return makeError(ErrorCode::Unsupported, "not simulated: '{}'", statement.text);
}

Expected<std::unique_ptr<GpuProgram>> PtxSimulator::load(const GpuKernel &kernel) {
  ZYXC_ASSIGN(PtxModule module, parsePtx(kernel.image));
  auto program = std::make_unique<SimProgram>();
  program->device = this;
  Symbols globals;
  for (const GlobalVariable &variable : module.globals) {
    ZYXC_ASSIGN(GpuAddress address, allocate(variable.bytes.size()));
    program->globals.push_back(address);
    globals[variable.name] = address;
    std::memcpy(reinterpret_cast<void *>(address), variable.bytes.data(), variable.bytes.size());
  }
  for (const GpuLaunch &launch : kernel.launches) {
    auto found = module.entries.find(launch.entry);
    if (found == module.entries.end()) {
      return makeError(ErrorCode::Device, "{}: no entry {}", kernel.name, launch.entry);
    }
    const Entry &entry = found->second;
    SimLaunch made;
    made.launch = launch;
    made.parameters = entry.parameters;
    made.numRegisters = entry.numRegisters;
    made.sharedBytes = launch.sharedBytes;
    Symbols symbols = placeSymbols(module, entry, made.sharedBytes);
    symbols.insert(globals.begin(), globals.end());
    for (const SharedVariable &variable : entry.locals) {
      symbols[variable.name] = place(variable, made.localBytes);
    }
    for (const Statement &statement : entry.statements) {
      ZYXC_ASSIGN(Instruction instruction, decode(statement, symbols));
      made.code.push_back(std::move(instruction));
    }
    program->launches.push_back(std::move(made));
  }
  program->sizes = kernel.sizes;
  if (kernel.scratchBytes) {
    ZYXC_ASSIGN(program->scratch, allocate(kernel.scratchBytes));
    std::memset(reinterpret_cast<void *>(program->scratch), 0xff, kernel.scratchBytes);
  }
  return std::unique_ptr<GpuProgram>(std::move(program));
}

static SimTensorMap encode(const TensorMap &recipe, GpuAddress address) {
  static constexpr uint8_t bytes[] = {1, 2, 2, 4};
  SimTensorMap map{};
  map.address = address;
  map.rank = static_cast<uint8_t>(recipe.dims.size());
  map.elementBytes = bytes[static_cast<size_t>(recipe.type)];
  map.swizzle = static_cast<uint16_t>(recipe.swizzle);
  std::copy(recipe.dims.begin(), recipe.dims.end(), map.dims);
  std::copy(recipe.strides.begin(), recipe.strides.end(), map.strides);
  std::copy(recipe.box.begin(), recipe.box.end(), map.box);
  return map;
}

/// What the driver refuses (cuTensorMapEncodeTiled).
static Status checkMap(const TensorMap &map, GpuAddress address, uint32_t elementBytes) {
  bool good = address % 16 == 0 && map.dims.size() <= 5 && !map.dims.empty() &&
              (map.swizzle == 0 || map.box[0] * elementBytes <= map.swizzle) &&
              map.box[0] * elementBytes % 16 == 0;
  for (uint64_t stride : map.strides) {
    good &= stride % 16 == 0 && stride < uint64_t(1) << 40;
  }
  for (size_t i = 0; i < map.dims.size(); ++i) {
    good &= map.box[i] >= 1 && map.box[i] <= 256 && map.dims[i] >= 1 &&
            map.dims[i] <= uint64_t(1) << 32;
  }
  return good ? Status::ok()
              : makeError(ErrorCode::Device, "a tensor map of port {} that no GPU takes", map.port);
}

Status PtxSimulator::run(const SimLaunch &launch, const std::vector<std::byte> &parameters) {
  const std::array<uint32_t, 3> &grid = launch.launch.grid;
  for (uint64_t i = 0; i < uint64_t(grid[0]) * grid[1] * grid[2]; ++i) {
    Block block;
    block.shared.assign(launch.sharedBytes, std::byte(0xff));
    block.parameters = parameters;
    block.memory = &memory;
    block.isLate = isLate;
    block.size = launch.launch.block;
    std::copy(grid.begin(), grid.end(), block.grid);
    block.index[0] = static_cast<uint32_t>(i % grid[0]);
    block.index[1] = static_cast<uint32_t>(i / grid[0] % grid[1]);
    block.index[2] = static_cast<uint32_t>(i / grid[0] / grid[1]);
    block.threads.resize(block.size);
    for (uint32_t thread = 0; thread < block.size; ++thread) {
      block.threads[thread].id = thread;
      block.threads[thread].block = &block;
      block.threads[thread].registers.resize(launch.numRegisters);
      block.threads[thread].local.assign(launch.localBytes, std::byte(0xff));
    }
    try {
      runBlock(block, launch.code);
    } catch (Fault &fault) {
      return makeError(ErrorCode::Verification, "{}: {}", launch.launch.entry, fault.text);
    }
  }
  return Status::ok();
}

Status PtxSimulator::launch(GpuProgram &program, std::span<const GpuAddress> ports) {
  auto &sim = static_cast<SimProgram &>(program);
  isLate = !isLate;
  for (const SimLaunch &launch : sim.launches) {
    std::vector<GpuAddress> addresses(ports.begin(), ports.end());
    if (sim.scratch) {
      addresses.push_back(sim.scratch);
    }
    addresses.insert(addresses.end(), sim.sizes.begin(), sim.sizes.end());
    if (launch.parameters.size() != addresses.size() + launch.launch.maps.size()) {
      return makeError(ErrorCode::Internal, "{}: {} parameters, {} ports and {} maps",
                       launch.launch.entry, launch.parameters.size(), addresses.size(),
                       launch.launch.maps.size());
    }
    const Parameter &last = launch.parameters.back();
    std::vector<std::byte> parameters(last.offset + last.bytes);
    for (size_t i = 0; i < launch.parameters.size(); ++i) {
      std::byte *at = parameters.data() + launch.parameters[i].offset;
      if (i < addresses.size()) {
        std::memcpy(at, &addresses[i], sizeof addresses[i]);
        continue;
      }
      const TensorMap &recipe = launch.launch.maps[i - addresses.size()];
      if (recipe.port >= addresses.size()) {
        return makeError(ErrorCode::Internal, "a tensor map of port {} of {}", recipe.port,
                         addresses.size());
      }
      SimTensorMap map = encode(recipe, addresses[recipe.port] + recipe.offset);
      ZYXC_RETURN_IF_ERROR(checkMap(recipe, map.address, map.elementBytes));
      std::memcpy(at, &map, sizeof map);
    }
    ZYXC_RETURN_IF_ERROR(run(launch, parameters));
  }
  return Status::ok();
}

} // namespace zyxc::rt
