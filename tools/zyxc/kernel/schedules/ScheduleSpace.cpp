#include "tools/zyxc/kernel/schedules/ScheduleSpace.h"
#include "dialects/zyxk/IR/AxisSets.h"
#include "mlir/IR/AffineMap.h"
#include "passes/lower/LegalizeBody.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

std::string_view familyName(ScheduleFamily family) {
  static constexpr std::string_view names[] = {"map",  "row",  "col",  "contract", "mma",
                                               "attn", "move", "scan", "block"};
  return names[static_cast<size_t>(family)];
}

//===- Families ------------------------------------------------------------------------------===//

/// The axes along which an access is contiguous: those of its last coordinate.
static AxisSet contiguousAxes(AffineMap map, unsigned numAxes) {
  return map.getNumResults() ? axesIn(map.getResult(map.getNumResults() - 1), numAxes) : 0;
}

std::vector<ScheduleFamily> familiesOf(KernelOp kernel, const Target &target) {
  using enum ScheduleFamily;
  mlir::Block &block = kernel.getBlock();
  bool isGpu = target.kind != TargetKind::Host;
  bool contracts = !block.getOps<ContractOp>().empty();
  if (contracts && !block.getOps<ExpsumOp>().empty()) {
    return {Attn};
  }
  bool isVector = isVectorProduct(kernel);
  ScheduleFamily tiles = isGpu ? Mma : Contract;
  if (contracts && !isVector) {
    return {tiles};
  }
  if (!block.getOps<ScanOp>().empty()) {
    return {Scan};
  }
  AxisSet reduced = 0;
  AxisSet loaded = 0;
  AxisSet stored = 0;
  for (Operation &op : block) {
    reduced |= combinedAxes(op);
    if (auto load = dyn_cast<LoadOp>(op)) {
      loaded |= contiguousAxes(load.getMap(), kernel.getNumAxes());
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      stored |= contiguousAxes(store.getMap(), kernel.getNumAxes());
    }
  }
  if (!reduced) {
    bool moves = isGpu && (loaded & ~stored) != 0;
    return moves ? std::vector{Move, Map} : std::vector{Map};
  }
  std::vector<ScheduleFamily> families = {loaded & reduced ? Row : Col, Map};
  if (isGpu) {
    families.push_back(Block);
  }
  if (isVector) {
    families.push_back(tiles);
  }
  return families;
}

//===- Tables --------------------------------------------------------------------------------===//

// Threads of a workgroup, and bytes of an access.
static constexpr int64_t threadCounts[] = {128, 256, 512, 1024};
static constexpr int64_t accessBytes[] = {4, 8, 16};

static int64_t widestElement(KernelOp kernel) {
  int64_t bytes = 1;
  for (unsigned i = 0; i < kernel.getNumPorts(); ++i) {
    Type element = kernel.getPortType(i).getElementType();
    bytes = std::max<int64_t>(bytes, (element.getIntOrFloatBitWidth() + 7) / 8);
  }
  return bytes;
}

/// Lanes of accesses to the widest port; on the host one and two vectors.
static std::vector<int64_t> laneCounts(KernelOp kernel, const Target &target) {
  int64_t element = widestElement(kernel);
  std::vector<int64_t> counts;
  if (target.kind == TargetKind::Host) {
    int64_t lanes = std::max<int64_t>(target.vectorBits / 8 / element, 1);
    constexpr int64_t mostLanes = 64; // what 'vec' takes
    return {lanes / 2 ? lanes / 2 : 1, lanes, std::min(2 * lanes, mostLanes)};
  }
  for (int64_t bytes : accessBytes) {
    if (bytes >= element) {
      counts.push_back(bytes / element);
    }
  }
  return counts;
}

using Space = std::vector<Attribute>;

static Space mapSpace(KernelOp kernel, const Target &target) {
  Space space;
  for (int64_t vec : laneCounts(kernel, target)) {
    if (target.kind == TargetKind::Host) {
      for (int64_t tile : {2048, 8192, 32768, 131072}) {
        space.push_back(
            MapScheduleAttr::get(kernel.getContext(), MapFields{.tile = tile, .vec = vec}));
      }
      continue;
    }
    for (int64_t vectors : {1, 2, 4, 8}) {
      for (int64_t threads : threadCounts) {
        space.push_back(MapScheduleAttr::get(
            kernel.getContext(),
            MapFields{.elements = vectors * vec, .vec = vec, .threads = threads}));
      }
    }
  }
  return space;
}

static Space rowSpace(KernelOp kernel, const Target &target) {
  Space space;
  auto add = [&](const RowFields &fields) {
    space.push_back(RowScheduleAttr::get(kernel.getContext(), fields));
  };
  for (int64_t vec : laneCounts(kernel, target)) {
    if (target.kind == TargetKind::Host) {
      for (int64_t rows : {1, 4, 16}) {
        for (int64_t inflight : {1, 2, 4, 8}) {
          add({.rows = rows, .vec = vec, .inflight = inflight});
        }
      }
      continue;
    }
    for (Hold hold : {Hold::Reg, Hold::Reload}) {
      for (int64_t threads : threadCounts) {
        add({.scope = Scope::Block, .threads = threads, .hold = hold, .vec = vec});
      }
      add({.scope = Scope::Subgroup, .hold = hold, .vec = vec});
    }
  }
  return space;
}

static Space colSpace(KernelOp kernel, const Target &target) {
  Space space;
  if (target.kind == TargetKind::Host) {
    return {ColScheduleAttr::get(kernel.getContext(), ColFields())};
  }
  for (int64_t vec : laneCounts(kernel, target)) {
    for (int64_t across : {8, 32, 64}) {
      for (int64_t split : {1, 4, 16, 64}) {
        for (int64_t threads : threadCounts) {
          space.push_back(ColScheduleAttr::get(
              kernel.getContext(),
              ColFields{.tile = across * vec, .threads = threads, .split = split, .vec = vec}));
        }
      }
    }
  }
  return space;
}

static Space contractSpace(KernelOp kernel, const Target &target) {
  Space space;
  int64_t lanes = std::max<int64_t>(target.vectorBits / 32, 1);
  for (int64_t mr : {4, 6, 8, 12, 14}) {
    for (int64_t vectors : {1, 2, 3}) {
      for (int64_t kc : {128, 256, 512}) {
        space.push_back(ContractScheduleAttr::get(
            kernel.getContext(), ContractFields{.mr = mr, .nr = vectors * lanes, .kc = kc}));
      }
    }
  }
  return space;
}

/// Matrix units multiply 16-bit floats.
static MatrixUnit unitFor(KernelOp kernel, const Target &target) {
  for (auto contract : kernel.getBlock().getOps<ContractOp>()) {
    for (Value operand : {contract.getA(), contract.getB()}) {
      if (!operand.getType().isF16() && !operand.getType().isBF16()) {
        return MatrixUnit::None;
      }
    }
  }
  return target.matrixUnit;
}

static Space mmaSpace(KernelOp kernel, const Target &target) {
  Space space;
  MatrixUnit best = unitFor(kernel, target);
  auto add = [&](const MmaFields &fields) {
    space.push_back(MmaScheduleAttr::get(kernel.getContext(), fields));
  };
  constexpr std::array<int64_t, 2> tiles[] = {{64, 64},   {64, 128},  {128, 64}, {128, 128},
                                              {128, 192}, {128, 256}, {192, 128}};
  for (std::array<int64_t, 2> tile : tiles) {
    for (int64_t stages : {2, 3, 4}) {
      for (int64_t group : {8, 16}) {
        MmaFields fields{.cta = {tile[0], tile[1], 64}, .stages = stages, .group = group};
        if (best == MatrixUnit::Wgmma) {
          fields.unit = MmaUnit::Wgmma;
          fields.copy = Copy::Tma;
          add(fields);
        }
        if (best != MatrixUnit::None) {
          fields.unit = MmaUnit::Mma;
          fields.copy = Copy::CpAsync;
          add(fields);
        }
      }
    }
    if (best == MatrixUnit::None) {
      add({.cta = {tile[0], tile[1], 16}});
    }
  }
  return space;
}

static Space attnSpace(KernelOp kernel, const Target &target) {
  Space space;
  auto add = [&](const AttnFields &fields) {
    space.push_back(AttnScheduleAttr::get(kernel.getContext(), fields));
  };
  if (target.kind == TargetKind::Host || target.matrixUnit == MatrixUnit::None) {
    return {AttnScheduleAttr::get(kernel.getContext(), AttnFields())};
  }
  if (target.matrixUnit == MatrixUnit::Mma) {
    for (int64_t kv : {32, 64, 128}) {
      for (int64_t stages : {2, 4}) {
        for (Place queries : {Place::Smem, Place::Reg}) {
          add({.q = 64, .kv = kv, .unit = MmaUnit::Mma, .stages = stages, .queries = queries});
        }
      }
    }
    add({});
    return space;
  }
  for (int64_t warpgroups : {2, 3, 4}) {
    for (int64_t kv : {48, 64, 80, 96, 128}) {
      for (int64_t stages : {2, 4}) {
        for (Place queries : {Place::Smem, Place::Reg}) {
          add({.q = warpgroups * 64,
               .kv = kv,
               .unit = MmaUnit::Wgmma,
               .warpgroups = warpgroups,
               .stages = stages,
               .copy = Copy::Tma,
               .queries = queries});
        }
      }
    }
  }
  return space;
}

static Space moveSpace(KernelOp kernel, const Target &target) {
  Space space;
  for (int64_t side : {16, 32, 64, 128}) {
    for (int64_t vec : laneCounts(kernel, target)) {
      for (int64_t threads : threadCounts) {
        space.push_back(MoveScheduleAttr::get(
            kernel.getContext(),
            MoveFields{.tile = {side, side}, .swizzle = 1, .vec = vec, .threads = threads}));
      }
    }
  }
  return space;
}

static Space scanSpace(KernelOp kernel, const Target &target) {
  Space space;
  if (target.kind == TargetKind::Host) {
    return {ScanScheduleAttr::get(kernel.getContext(), ScanFields())};
  }
  for (int64_t items : {1, 4, 8, 16}) {
    for (int64_t threads : threadCounts) {
      for (ScanMode mode : {ScanMode::Serial, ScanMode::TwoPass}) {
        space.push_back(ScanScheduleAttr::get(
            kernel.getContext(), ScanFields{.items = items, .threads = threads, .mode = mode}));
      }
    }
  }
  return space;
}

static Space blockSpace(KernelOp kernel, const Target &target) {
  Space space;
  for (int64_t threads : threadCounts) {
    for (Hold hold : {Hold::Reg, Hold::Reload}) {
      for (int64_t vec : laneCounts(kernel, target)) {
        space.push_back(BlockScheduleAttr::get(
            kernel.getContext(), BlockFields{.threads = threads, .hold = hold, .vec = vec}));
      }
    }
  }
  return space;
}

Space scheduleSpace(ScheduleFamily family, KernelOp kernel, const Target &target) {
  switch (family) {
  case ScheduleFamily::Map: return mapSpace(kernel, target);
  case ScheduleFamily::Row: return rowSpace(kernel, target);
  case ScheduleFamily::Col: return colSpace(kernel, target);
  case ScheduleFamily::Contract: return contractSpace(kernel, target);
  case ScheduleFamily::Mma: return mmaSpace(kernel, target);
  case ScheduleFamily::Attn: return attnSpace(kernel, target);
  case ScheduleFamily::Move: return moveSpace(kernel, target);
  case ScheduleFamily::Scan: return scanSpace(kernel, target);
  case ScheduleFamily::Block: return blockSpace(kernel, target);
  }
  return {};
}

} // namespace zyxc::tool
