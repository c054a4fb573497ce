#include "tools/zyxc/kernel/schedules/ScheduleModel.h"
#include "dialects/zyxk/IR/AxisSets.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

/// Bytes in flight that hide the way to memory.
static constexpr double gpuBytesInFlight = 40 * 1024;
static constexpr double hostBytesInFlight = 1024;
/// Threads that a multiprocessor holds, in workgroups of the largest size.
static constexpr int64_t residentWorkgroups = 2;

namespace {

/// Shares of the machine that a schedule uses.
struct Shares {
  double machine = 1; ///< of the multiprocessors, over all waves
  double latency = 1; ///< hidden
  double access = 1;  ///< of the bandwidth, by the width of accesses
  double passes = 1;  ///< over memory
};

class Model {
public:
  Model(KernelOp kernel, const Target &target) : kernel(kernel), target(target), sets(kernel) {
    extents = kernel.getStaticExtents().value_or(SmallVector<int64_t>(kernel.getNumAxes(), 1));
  }

  ScheduleEstimate map(const MapFields &fields);
  ScheduleEstimate row(const RowFields &fields);
  ScheduleEstimate col(const ColFields &fields);
  ScheduleEstimate move(const MoveFields &fields);
  ScheduleEstimate scan(const ScanFields &fields);
  ScheduleEstimate block(const BlockFields &fields);
  ScheduleEstimate contract(const ContractFields &fields);
  ScheduleEstimate mma(const MmaFields &fields);
  ScheduleEstimate attn(const AttnFields &fields);

private:
  bool isGpu() const { return target.kind != TargetKind::Host; }
  double points(AxisSet axes) const;
  /// Points of the largest store: what a map computes.
  double storedPoints();
  /// Reductions, each of which needs the row once more after the first.
  double levels();
  double elementBytes();
  double accessShare(int64_t vec);
  double machineShare(double workgroups, int64_t threads) const;
  double latencyShare(int64_t threads, double bytes) const;
  static ScheduleEstimate estimate(const Shares &shares);
  /// m, n and batches of the first contraction.
  std::array<double, 3> roles();

  KernelOp kernel;
  const Target &target;
  AxisSets sets;
  SmallVector<int64_t> extents;
};

} // namespace

double Model::points(AxisSet axes) const {
  double product = 1;
  for (unsigned axis = 0; axis < extents.size(); ++axis) {
    product *= contains(axes, axis) ? static_cast<double>(extents[axis]) : 1;
  }
  return product;
}

double Model::storedPoints() {
  double most = 1;
  for (auto store : kernel.getBlock().getOps<StoreOp>()) {
    most = std::max(most, points(sets.domainOf(store)));
  }
  return most;
}

double Model::levels() {
  double count = 0;
  for (Operation &op : kernel.getBlock()) {
    count += combinedAxes(op) != 0;
  }
  return count;
}

double Model::elementBytes() {
  double bytes = 1;
  for (unsigned i = 0; i < kernel.getNumPorts(); ++i) {
    Type element = kernel.getPortType(i).getElementType();
    bytes = std::max(bytes, (element.getIntOrFloatBitWidth() + 7) / 8.0);
  }
  return bytes;
}

/// 16 bytes an access reach the bandwidth of a GPU, a whole vector that of the host.
double Model::accessShare(int64_t vec) {
  double whole = isGpu() ? 16 : target.vectorBits / 8.0;
  double bytes = static_cast<double>(std::max<int64_t>(vec, 1)) * elementBytes();
  return bytes >= whole ? 1 : std::pow(bytes / whole, 0.2);
}

double Model::machineShare(double workgroups, int64_t threads) const {
  if (workgroups <= 0) {
    return 1;
  }
  double slots =
      target.multiprocessors *
      std::max<double>(residentWorkgroups * target.maxThreads / std::max<int64_t>(threads, 1), 1);
  double waves = workgroups / slots;
  // A single wave that is not full still uses every multiprocessor from one workgroup each on.
  double used = waves < 1 ? std::min(workgroups / target.multiprocessors, 1.0) : 1;
  return waves <= 1 ? used : waves / std::ceil(waves);
}

double Model::latencyShare(int64_t threads, double bytesPerThread) const {
  double wanted = isGpu() ? gpuBytesInFlight : hostBytesInFlight;
  double resident = isGpu() ? static_cast<double>(residentWorkgroups * target.maxThreads) : 1;
  return std::min(1.0, resident * bytesPerThread / wanted);
}

ScheduleEstimate Model::estimate(const Shares &shares) {
  double time = shares.passes / (shares.machine * shares.latency * shares.access);
  std::string_view limit = "memory";
  double least = std::min({shares.machine, shares.latency, shares.access});
  if (least < 0.9) {
    limit = least == shares.machine ? "waves" : least == shares.latency ? "latency" : "accesses";
  } else if (shares.passes > 1) {
    limit = "passes";
  }
  return {time, limit};
}

ScheduleEstimate Model::map(const MapFields &fields) {
  Shares shares;
  shares.access = accessShare(fields.vec);
  if (!isGpu()) {
    double tasks = storedPoints() / static_cast<double>(std::max<int64_t>(fields.tile, 1));
    shares.machine = 1 / (1 + 0.001 * tasks); // what starting a task costs
    return estimate(shares);
  }
  auto elements = static_cast<double>(std::max<int64_t>(fields.elements, 1));
  int64_t threads = std::max<int64_t>(fields.threads, 1);
  shares.latency = latencyShare(threads, elements * elementBytes());
  shares.machine =
      machineShare(storedPoints() / (elements * static_cast<double>(threads)), threads);
  shares.passes = 1 + 0.5 * levels();
  return estimate(shares);
}

ScheduleEstimate Model::row(const RowFields &fields) {
  Shares shares;
  shares.access = accessShare(fields.vec);
  if (!isGpu()) {
    shares.latency = std::min(1.0, 0.7 + 0.1 * static_cast<double>(fields.inflight));
    return estimate(shares);
  }
  int64_t threads = fields.scope == Scope::Subgroup ? target.subgroupSize : fields.threads;
  AxisSet reduced = 0;
  for (Operation &op : kernel.getBlock()) {
    reduced |= combinedAxes(op);
  }
  double row = points(reduced);
  double rows = std::max(storedPoints() / std::max(row, 1.0), 1.0);
  double perThread = row / static_cast<double>(threads);
  constexpr double heldElements = 64;
  bool holds = fields.hold == Hold::Reg && perThread <= heldElements;
  shares.passes = holds ? 1 : 1 + 0.5 * (levels() - 1);
  double inFlight = holds ? perThread : 4.0 * static_cast<double>(fields.vec);
  shares.latency = latencyShare(threads, std::min(inFlight, perThread) * elementBytes());
  shares.machine = machineShare(rows, threads);
  return estimate(shares);
}

ScheduleEstimate Model::col(const ColFields &fields) {
  Shares shares;
  shares.access = accessShare(fields.vec);
  AxisSet reduced = 0;
  for (Operation &op : kernel.getBlock()) {
    reduced |= combinedAxes(op);
  }
  double columns = storedPoints();
  double tiles = std::ceil(columns / static_cast<double>(std::max<int64_t>(fields.tile, 1)));
  auto parts = static_cast<double>(std::max<int64_t>(fields.split, 1));
  shares.passes = 1 + 2 * parts * columns / std::max(points(reduced) * columns, 1.0);
  if (isGpu()) {
    constexpr double rowsInFlight = 8;
    shares.latency = latencyShare(fields.threads,
                                  rowsInFlight * static_cast<double>(fields.vec) * elementBytes());
    shares.machine = machineShare(tiles * parts, fields.threads);
  }
  return estimate(shares);
}

ScheduleEstimate Model::move(const MoveFields &fields) {
  Shares shares;
  shares.access = accessShare(fields.vec);
  auto tile = static_cast<double>(fields.tile[0] * fields.tile[1]);
  double line = static_cast<double>(fields.tile[0]) * elementBytes();
  shares.access *= std::min(1.0, std::pow(line / 128, 0.3)); // whole lines of memory
  shares.latency =
      latencyShare(fields.threads, tile / static_cast<double>(fields.threads) * elementBytes());
  shares.machine = machineShare(storedPoints() / tile, fields.threads);
  return estimate(shares);
}

ScheduleEstimate Model::scan(const ScanFields &fields) {
  Shares shares;
  shares.passes = fields.mode == ScanMode::TwoPass ? 1.5 : 1;
  if (isGpu()) {
    auto items = static_cast<double>(fields.items);
    auto threads = static_cast<double>(fields.threads);
    shares.latency = latencyShare(fields.threads, items * elementBytes());
    double workgroups = fields.mode == ScanMode::TwoPass ? storedPoints() / (items * threads) : 1;
    shares.machine = machineShare(std::max(workgroups, 1.0), fields.threads);
  }
  return estimate(shares);
}

ScheduleEstimate Model::block(const BlockFields &fields) {
  Shares shares;
  shares.access = accessShare(fields.vec);
  shares.machine = machineShare(1, fields.threads);
  shares.latency = static_cast<double>(fields.threads) / target.maxThreads;
  shares.passes = fields.hold == Hold::Reload ? 1 + 0.5 * levels() : 1;
  return estimate(shares);
}

//===- Products ------------------------------------------------------------------------------===//

std::array<double, 3> Model::roles() {
  for (auto contract : kernel.getBlock().getOps<ContractOp>()) {
    AxisSet a = sets[contract.getA()];
    AxisSet b = sets[contract.getB()];
    AxisSet k = axisSetOf(contract.getAxes());
    return {points(a & ~b & ~k), points(b & ~a & ~k), points(a & b & ~k)};
  }
  return {1, 1, 1};
}

ScheduleEstimate Model::contract(const ContractFields &fields) {
  double lanes = std::max(target.vectorBits / 32.0, 1.0);
  double registers = target.vectorBits >= 512 ? 32 : 16;
  double vectors = static_cast<double>(fields.nr) / lanes;
  double used = static_cast<double>(fields.mr) * vectors + vectors + 1;
  // Two multiply-adds a cycle of latency four need eight accumulators; loads beside them.
  double accumulators = std::min(1.0, static_cast<double>(fields.mr) * vectors / 8);
  double loads =
      static_cast<double>(fields.mr) * vectors /
      (static_cast<double>(fields.mr) * vectors + 0.5 * (vectors + static_cast<double>(fields.mr)));
  double fits = used <= registers ? 1 : registers / used;
  double depth = fields.kc / (fields.kc + 32.0);
  std::string_view limit = fits < 1 ? "registers" : accumulators < 1 ? "latency" : "reuse";
  return {1 / (accumulators * loads * fits * depth), limit};
}

ScheduleEstimate Model::mma(const MmaFields &fields) {
  auto [m, n, batches] = roles();
  auto tileM = static_cast<double>(std::max<int64_t>(fields.cta[0], 1));
  auto tileN = static_cast<double>(std::max<int64_t>(fields.cta[1], 1));
  double tiles = batches * std::ceil(m / tileM) * std::ceil(n / tileN);
  double waves = std::ceil(tiles / target.multiprocessors);
  constexpr double bestReuse = 128.0 * 256 / (128 + 256);
  double reuse = std::min(1.0, 0.4 + 0.6 * (tileM * tileN / (tileM + tileN)) / bestReuse);
  double overlap = fields.stages >= 4   ? 1
                   : fields.stages == 3 ? 0.96
                   : fields.stages == 2 ? 0.85
                                        : 0.6;
  double unit = fields.unit == MmaUnit::Wgmma ? 1 : fields.unit == MmaUnit::Mma ? 0.6 : 0.06;
  std::string_view limit = tiles < 4 * target.multiprocessors ? "waves" : "reuse";
  return {waves * tileM * tileN / (reuse * overlap * unit), limit};
}

ScheduleEstimate Model::attn(const AttnFields &fields) {
  auto [queries, keys, batches] = roles();
  auto q = static_cast<double>(std::max<int64_t>(fields.q, 1));
  auto kv = static_cast<double>(std::max<int64_t>(fields.kv, 1));
  double workgroups = batches * std::ceil(queries / q);
  double waves = std::ceil(workgroups / std::max(target.multiprocessors, 1u));
  double turns = std::ceil(keys / kv);
  // A turn costs its products and a fixed part; more warpgroups hide the exponentials of others.
  double turn = q * kv + 64 * q;
  double overlap = fields.warpgroups >= 4 ? 1 : fields.warpgroups == 3 ? 0.95 : 0.85;
  double place = fields.queries == Place::Reg ? 1.03 : 1;
  return {waves * turns * turn / (overlap * place),
          workgroups < 4 * target.multiprocessors ? "waves" : "turns"};
}

ScheduleEstimate estimateSchedule(Attribute schedule, KernelOp kernel, const Target &target) {
  std::optional<SmallVector<int64_t>> extents = kernel.getStaticExtents();
  if (extents && llvm::is_contained(*extents, 0)) {
    return {1, "empty"}; // shares of no work are not numbers
  }
  Model model(kernel, target);
  return llvm::TypeSwitch<Attribute, ScheduleEstimate>(schedule)
      .Case<MapScheduleAttr>([&](auto s) { return model.map(s.getFields()); })
      .Case<RowScheduleAttr>([&](auto s) { return model.row(s.getFields()); })
      .Case<ColScheduleAttr>([&](auto s) { return model.col(s.getFields()); })
      .Case<MoveScheduleAttr>([&](auto s) { return model.move(s.getFields()); })
      .Case<ScanScheduleAttr>([&](auto s) { return model.scan(s.getFields()); })
      .Case<BlockScheduleAttr>([&](auto s) { return model.block(s.getFields()); })
      .Case<ContractScheduleAttr>([&](auto s) { return model.contract(s.getFields()); })
      .Case<MmaScheduleAttr>([&](auto s) { return model.mma(s.getFields()); })
      .Case<AttnScheduleAttr>([&](auto s) { return model.attn(s.getFields()); })
      .Default([](Attribute) { return ScheduleEstimate(); });
}

} // namespace zyxc::tool
