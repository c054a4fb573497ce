#include "passes/lower/contract/LowerContractPlan.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace zyxc {

using llvm::divideCeil;

int64_t ContractSizes::summed() const {
  int64_t product = 1;
  for (int64_t extent : k) {
    product *= extent;
  }
  return product;
}

namespace {

/// What a processor with vectors of some width does in a cycle, and what it keeps.
struct TileMachine {
  double multiplyAdds; ///< vectors a cycle
  double vectorLoads;  ///< a cycle
  double scalarLoads;  ///< a cycle, broadcast to a vector
  double latency;      ///< of a multiply-add, in cycles
  int64_t registers;   ///< those that a tile may use
};

} // namespace

/// Tiles that leave fewer registers free (9 x 3 vectors with AVX-512, for instance) are at two
/// thirds of the speed: LLVM spills.
static TileMachine machineOf(unsigned vectorBits) {
  // With two multiply-adds a cycle, which Zen 5 has, other tiles are chosen for AVX-512 and
  // ResNet-50 takes 49 instead of 44 ms there.
  static constexpr TileMachine avx512 = {1, 1, 2, 5, 29};
  // All processors with AVX2 and no AVX-512. Here a broadcast costs as much as a vector's load:
  // tiles of 13 x 1 vectors are bound by loads (a Zen 3: 0.7 of the speed of 6 x 2).
  static constexpr TileMachine avx2 = {2, 2, 2, 4, 15};
  return vectorBits == 512 ? avx512 : avx2;
}

double cyclesPerStep(int64_t mr, int64_t nv, unsigned vectorBits) {
  constexpr double overhead = 0.4;
  TileMachine machine = machineOf(vectorBits);
  double loads =
      static_cast<double>(nv) / machine.vectorLoads + static_cast<double>(mr) / machine.scalarLoads;
  double products = static_cast<double>(mr * nv) / machine.multiplyAdds;
  return std::max({products, loads, machine.latency}) + overhead;
}

bool fitsRegisters(int64_t mr, int64_t nv, unsigned vectorBits) {
  return mr * nv + nv + 1 <= machineOf(vectorBits).registers;
}

/// Blocks of operands that are packed by each task.
static constexpr int64_t loopRows = 256, loopColumns = 512;

/// Estimated cycles for all of a contraction with one register tile, counting rows and columns that
/// are computed for nothing.
static double estimateCycles(const ContractSizes &sizes, int64_t lanes, int64_t mr, int64_t nv) {
  constexpr double packCycles = 3, gatherCycles = 40, storeCycles = 4, tileCycles = 20;
  constexpr double rowCycles = 0.2;
  auto steps = static_cast<double>(std::max<int64_t>(sizes.summed(), 1));
  auto tiles = static_cast<double>(divideCeil(sizes.m, mr));
  auto panels = static_cast<double>(divideCeil(sizes.n, nv * lanes));
  double inTile =
      cyclesPerStep(mr, nv, sizes.vectorBits) * steps + static_cast<double>(mr * nv) * storeCycles;
  double cost = tiles * panels * (inTile + tileCycles);
  if (sizes.packB == PackWhen::Loop) {
    double each = sizes.gathersB ? gatherCycles : packCycles;
    cost += panels * static_cast<double>(nv) * steps * each;
  }
  if (sizes.packA == PackWhen::Loop) {
    auto repeats = static_cast<double>(divideCeil(sizes.n, loopColumns));
    cost += tiles * static_cast<double>(mr) * steps * rowCycles * repeats;
  }
  return cost;
}

static void chooseTile(const ContractSizes &sizes, ContractPlan &plan) {
  constexpr int64_t maxRows = 24;
  constexpr int64_t maxVectors = 8;
  double best = 0;
  for (int64_t nv = 1; nv <= maxVectors; ++nv) {
    for (int64_t mr = 1; mr <= maxRows && fitsRegisters(mr, nv, sizes.vectorBits); ++mr) {
      double cost = estimateCycles(sizes, plan.lanes, mr, nv);
      if (plan.mr == 0 || cost < best) {
        best = cost;
        plan.mr = mr;
        plan.nv = nv;
      }
    }
  }
}

/// Cuts the sum so that a panel of columns stays in the L2 cache while all rows pass over it.
static void splitSum(const ContractSizes &sizes, ContractPlan &plan) {
  constexpr int64_t preparedBytes = 6 * 1024; ///< of one lane's column: 1536 f32
  constexpr int64_t loopBytes = 4 * 1024;     ///< less if blocks of both operands share the cache
  int64_t bytes = sizes.packA == PackWhen::Loop ? loopBytes : preparedBytes;
  int64_t limit = sizes.kc > 0 ? sizes.kc : bytes / sizes.elementBytes;
  plan.splitAxis = 0;
  plan.innerSteps = 1;
  plan.chunk = plan.chunks = plan.blocks = plan.maxCount = 1;
  if (sizes.k.empty()) {
    return;
  }
  if (sizes.summed() == 0) {
    plan.innerSteps = 1;
    plan.chunk = plan.maxCount = 0;
    return;
  }
  unsigned axis = sizes.k.size() - 1;
  while (axis > 0 && plan.innerSteps * sizes.k[axis] <= limit) {
    plan.innerSteps *= sizes.k[axis--];
  }
  plan.splitAxis = axis;
  int64_t most = std::max<int64_t>(limit / plan.innerSteps, 1);
  plan.chunks = divideCeil(sizes.k[axis], most);
  plan.chunk = divideCeil(sizes.k[axis], plan.chunks);
  plan.chunks = divideCeil(sizes.k[axis], plan.chunk);
  plan.maxCount = plan.chunk * plan.innerSteps;
  plan.blocks = plan.chunks;
  for (unsigned i = 0; i < axis; ++i) {
    plan.blocks *= sizes.k[i];
  }
}

/// Cuts `total` units into equal groups of about `wanted`.
static void group(int64_t total, int64_t wanted, int64_t &perTask, int64_t &groups) {
  wanted = std::clamp<int64_t>(wanted, 1, total);
  groups = std::max<int64_t>((total + wanted / 2) / wanted, 1);
  perTask = divideCeil(total, groups);
  groups = divideCeil(total, perTask);
}

/// Tasks of at most some 250 microseconds, with enough rows or columns in each to pay for packing.
static void chooseTasks(const ContractSizes &sizes, ContractPlan &plan) {
  constexpr int64_t taskFlops = 25'000'000;
  constexpr int64_t enoughRows = 64, enoughGatherRows = 128;
  constexpr int64_t enoughFlops = 4'000'000, manyTasks = 16;
  int64_t steps = std::max<int64_t>(sizes.summed(), 1);
  int64_t rows = loopRows;
  int64_t columns = loopColumns;
  if (sizes.packA == PackWhen::Prepared) {
    columns = plan.nr();
    int64_t enough = sizes.packB == PackWhen::Prepared ? plan.mr
                     : sizes.gathersB                  ? enoughGatherRows
                                                       : enoughRows;
    rows = std::max(taskFlops / (2 * plan.nr() * steps), enough);
  } else if (sizes.packB == PackWhen::Prepared) {
    columns = std::max(taskFlops / (2 * std::min(sizes.m, loopRows) * steps), plan.nr());
    columns = sizes.m > plan.mr ? std::max(columns, loopColumns) : plan.nr();
  }
  // Twice the rows halve the packing of columns, where tasks are left.
  bool bothInLoop = sizes.packA == PackWhen::Loop && sizes.packB == PackWhen::Loop;
  if (bothInLoop && sizes.m * sizes.n * sizes.batch >= 8 * rows * columns) {
    rows *= 2;
  }
  rows = sizes.mc > 0 ? sizes.mc : rows;
  columns = sizes.nc > 0 ? sizes.nc : columns;
  group(plan.tiles, rows / plan.mr, plan.tilesPerTask, plan.rowBlocks);
  group(plan.panels, columns / plan.nr(), plan.panelsPerTask, plan.columnBlocks);
  int64_t points = sizes.batch * sizes.outer;
  int64_t tasks = points * plan.rowBlocks * plan.columnBlocks;
  // A few tasks are an even number, if splitting the rows once more gives that.
  bool large = 2 * steps * sizes.m * sizes.n * points / std::max<int64_t>(tasks, 1) > enoughFlops;
  bool packsOnce = sizes.packA == PackWhen::Prepared && sizes.packB == PackWhen::Loop;
  if (tasks % 2 == 1 && tasks < manyTasks && large && sizes.mc == 0 && !packsOnce) {
    group(plan.tiles, divideCeil(plan.tiles, 2 * plan.rowBlocks), plan.tilesPerTask,
          plan.rowBlocks);
  }
  bool empty = sizes.m == 0 || sizes.n == 0;
  plan.tasks = empty ? 0 : points * plan.rowBlocks * plan.columnBlocks;
}

ContractPlan ContractPlan::make(const ContractSizes &sizes) {
  ContractPlan plan;
  plan.lanes = std::max<int64_t>(sizes.vectorBits / 8 / sizes.elementBytes, 1);
  chooseTile(sizes, plan);
  if (sizes.mr > 0) {
    plan.mr = sizes.mr;
  }
  if (sizes.nr > 0) {
    plan.nv = divideCeil(sizes.nr, plan.lanes);
  }
  plan.tiles = std::max<int64_t>(divideCeil(sizes.m, plan.mr), 1);
  plan.panels = std::max<int64_t>(divideCeil(sizes.n, plan.nr()), 1);
  splitSum(sizes, plan);
  chooseTasks(sizes, plan);
  return plan;
}

} // namespace zyxc
