#include "passes/lower/matrix/MatrixPlan.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

static constexpr int64_t warpThreads = 32;
static constexpr int64_t warpgroupThreads = 128;
/// Rows of one wgmma and of one mma.
static constexpr int64_t wgmmaRows = 64;
static constexpr int64_t mmaRows = 16;
static constexpr int64_t halfBytes = 2;
/// Warpgroups that a tile of two blocks of rows a warpgroup has: each has 128 accumulators a
/// thread.
static constexpr int64_t tallWarpgroups = 2;
/// A full and an empty barrier per stage.
static constexpr int64_t barrierBytes = 16;
/// Columns that an epilogue handles at once, and of a warp's part (mma).
static constexpr int64_t epilogueColumns = 64;
/// 64 halves fill the 128 bytes of a swizzled row.
static constexpr int64_t tileK = 64;

namespace {

/// A tile, the warps (or warpgroups) along it, and the share of the unit's peak that it reaches
/// where it fills the machine: measured on an H200 (docs/kernels.md), the small ones estimated.
struct TileShape {
  int64_t m, n;
  int64_t warpsM, warpsN;
  double efficiency;
};

} // namespace

static constexpr TileShape wgmmaTiles[] = {
    {128, 256, 2, 1, 1.0},  {256, 128, 2, 1, 1.0}, {128, 192, 2, 1, 0.98},
    {128, 128, 2, 1, 0.95}, {128, 64, 2, 1, 0.75}, {64, 64, 1, 1, 0.5},
};
static constexpr TileShape mmaTiles[] = {
    {128, 256, 2, 4, 1.0},
    {128, 128, 4, 2, 0.85},
    {64, 128, 2, 2, 0.65},
    {64, 64, 4, 1, 0.5},
};
/// Fewer do not hide the way from memory.
static constexpr int64_t leastStages = 3;
static constexpr int64_t mostStages = 4;

static int64_t stageBytesOf(int64_t m, int64_t n) {
  return (m + n) * tileK * halfBytes;
}

/// The tile with the least time for whole waves of workgroups.
static TileShape bestTile(ArrayRef<TileShape> shapes, const MatrixProblem &problem,
                          const Target &target) {
  const TileShape *best = nullptr;
  double least = 0;
  for (const TileShape &shape : shapes) {
    if (uint64_t(leastStages * stageBytesOf(shape.m, shape.n)) > target.sharedBytes) {
      continue;
    }
    int64_t tiles = problem.batches * int64_t(llvm::divideCeil(problem.m, shape.m)) *
                    int64_t(llvm::divideCeil(problem.n, shape.n));
    int64_t waves = llvm::divideCeil(tiles, target.multiprocessors);
    double time = static_cast<double>(waves * shape.m * shape.n) / shape.efficiency;
    if (!best || time < least) {
      least = time;
      best = &shape;
    }
  }
  return best ? *best : shapes.back();
}

/// What the schedule says instead of the defaults.
static void applySchedule(MatrixPlan &plan, const MmaFields &fields) {
  auto set = [](int64_t &value, int64_t field) {
    value = field ? field : value;
  };
  if (fields.cta[0] && fields.cta[1]) {
    plan.tileM = fields.cta[0];
    plan.tileN = fields.cta[1];
    plan.warpsM = plan.warpsN = 0;
  }
  set(plan.tileK, fields.cta[2]);
  set(plan.warpsM, fields.warps[0]);
  set(plan.warpsN, fields.warps[1]);
  set(plan.stages, fields.stages);
  set(plan.group, fields.group);
  set(plan.loadRegisters, fields.regs[0]);
  set(plan.computeRegisters, fields.regs[1]);
}

/// Tile rows that are computed together: about as many rows as columns of a wave of workgroups
/// share factors in the cache. On an H200, 8 instead of 16 tiles of 256x128 took 4095x4097x4093
/// from 255 to 237 us.
static int64_t groupOf(const MatrixPlan &plan, const Target &target) {
  int64_t group = 1;
  while (4 * group * group * plan.tileM <= int64_t(target.multiprocessors) * plan.tileN) {
    group *= 2;
  }
  return group;
}

static void countTiles(MatrixPlan &plan, const MatrixProblem &problem, const Target &target) {
  plan.tilesM = llvm::divideCeil(problem.m, plan.tileM);
  plan.tilesN = llvm::divideCeil(problem.n, plan.tileN);
  plan.tiles = problem.batches * plan.tilesM * plan.tilesN;
  plan.steps = llvm::divideCeil(problem.depth, plan.tileK);
  plan.group = std::min(plan.group ? plan.group : groupOf(plan, target), plan.tilesM);
  plan.workgroups = std::min<int64_t>(plan.tiles, target.multiprocessors);
  plan.bytesA = plan.tileM * plan.tileK * halfBytes;
  plan.bytesB = plan.tileN * plan.tileK * halfBytes;
}

/// Warp-specialized: one loading warpgroup, the others 64 rows each. The epilogue's tiles stand
/// behind the stages, which the loader fills meanwhile.
static LogicalResult finishWgmma(KernelOp kernel, MatrixPlan &plan) {
  bool isTwice = plan.tileM == 2 * tallWarpgroups * wgmmaRows; // 64 rows of it at a time
  bool fits = plan.tileM % wgmmaRows == 0 && plan.tileM >= 64 && (plan.tileM <= 192 || isTwice) &&
              plan.tileN % 64 == 0 && plan.tileN >= 64 &&
              plan.tileN <= (plan.tileM > 128 ? 128 : 256) && plan.tileK == tileK;
  if (!fits) {
    return kernel.emitError() << "wgmma takes tiles of 64, 128, 192 or 256 rows, 64 to 256 columns "
                                 "in steps of 64 (128 beside 192 or 256 rows), and 64 of k; the "
                                 "schedule's "
                                 "is "
                              << plan.tileM << "x" << plan.tileN << "x" << plan.tileK;
  }
  plan.blocksM = isTwice ? 2 : 1;
  plan.warpsM = plan.tileM / wgmmaRows / plan.blocksM;
  plan.warpsN = 1;
  auto schedule = dyn_cast_or_null<MmaScheduleAttr>(kernel.getScheduleAttr());
  std::array<int64_t, 2> groups =
      schedule ? schedule.getFields().warpgroups : std::array<int64_t, 2>{};
  if ((groups[0] || groups[1]) && (groups[0] != plan.warpsM || groups[1] != 1)) {
    return kernel.emitError() << "wgmma has a warpgroup for each " << wgmmaRows * plan.blocksM
                              << " rows of the tile, here " << plan.warpsM
                              << "x1; the schedule asks for " << groups[0] << "x" << groups[1];
  }
  plan.threads = (plan.warpsM + 1) * warpgroupThreads;
  // Each multiprocessor has 512 registers for a thread of every warpgroup.
  static constexpr int64_t computeRegisters[] = {0, 240, 160};
  if (plan.warpsM > 1 && plan.computeRegisters == 0) {
    plan.loadRegisters = 24;
    plan.computeRegisters = computeRegisters[plan.warpsM - 1];
  }
  plan.epilogueBytes = wgmmaRows * epilogueColumns * 4;
  plan.epilogueOffset = plan.stages * plan.stageBytes();
  plan.barrierOffset = plan.epilogueOffset + plan.warpsM * plan.epilogueBytes;
  plan.sharedBytes = plan.barrierOffset + plan.stages * barrierBytes;
  return success();
}

/// All warps load and compute. The epilogue's tiles lie over the stages.
static LogicalResult finishMma(KernelOp kernel, MatrixPlan &plan) {
  if (plan.warpsN == 0) {
    plan.warpsN = plan.tileN / epilogueColumns;
  }
  if (plan.warpsM == 0) {
    constexpr int64_t warps = 8;
    int64_t most = std::max<int64_t>(plan.tileM / mmaRows, 1);
    plan.warpsM = std::clamp<int64_t>(warps / std::max<int64_t>(plan.warpsN, 1), 1, most);
  }
  int64_t blocks = plan.tileM / plan.warpsM / mmaRows;
  bool fits = plan.tileM % 64 == 0 && plan.tileM > 0 && plan.tileM % (plan.warpsM * mmaRows) == 0 &&
              llvm::isPowerOf2_64(blocks) && blocks <= 4 && plan.tileN > 0 &&
              plan.tileN == plan.warpsN * epilogueColumns && plan.tileK == tileK &&
              plan.warpsM * plan.warpsN >= 2 && plan.warpsM * plan.warpsN <= 16 &&
              llvm::isPowerOf2_64(plan.warpsM * plan.warpsN) && plan.stages >= 2;
  if (!fits) {
    return kernel.emitError()
           << "mma takes tiles of a multiple of 64 rows, 64 columns a warp, 16 "
              "to 64 rows a warp, 64 of k, 2, 4, 8 or 16 warps, and two stages; the schedule's is "
           << plan.tileM << "x" << plan.tileN << "x" << plan.tileK << " with " << plan.warpsM << "x"
           << plan.warpsN << " warps and " << plan.stages << " stages";
  }
  plan.threads = plan.warpsM * plan.warpsN * warpThreads;
  // Nothing of a tile overlaps with the next, and the GPU may have more multiprocessors than the
  // target: one tile each, unless the schedule wants it otherwise.
  auto schedule = dyn_cast_or_null<MmaScheduleAttr>(kernel.getScheduleAttr());
  if (!schedule || schedule.getFields().grid == Grid::Plain) {
    plan.workgroups = plan.tiles;
  }
  plan.epilogueBytes = mmaRows * epilogueColumns * 4;
  plan.epilogueOffset = 0;
  plan.sharedBytes =
      std::max(plan.stages * plan.stageBytes(), plan.warpsM * plan.warpsN * plan.epilogueBytes);
  return success();
}

FailureOr<MatrixPlan> planMatrix(KernelOp kernel, const MatrixProblem &problem,
                                 const Target &target, MatrixUnit unit) {
  bool isWgmma = unit == MatrixUnit::Wgmma;
  TileShape tile =
      isWgmma ? bestTile(wgmmaTiles, problem, target) : bestTile(mmaTiles, problem, target);
  MatrixPlan plan;
  plan.unit = unit;
  plan.tileM = tile.m;
  plan.tileN = tile.n;
  plan.tileK = tileK;
  plan.warpsM = tile.warpsM;
  plan.warpsN = tile.warpsN;
  if (auto schedule = dyn_cast_or_null<MmaScheduleAttr>(kernel.getScheduleAttr())) {
    applySchedule(plan, schedule.getFields());
  }
  if (plan.stages == 0) {
    int64_t fit = int64_t(target.sharedBytes) / stageBytesOf(plan.tileM, plan.tileN);
    plan.stages = isWgmma ? mostStages : std::clamp<int64_t>(fit, 2, mostStages);
  }
  if (plan.tileM > 0 && plan.tileN > 0) {
    countTiles(plan, problem, target);
  }
  if (failed(isWgmma ? finishWgmma(kernel, plan) : finishMma(kernel, plan))) {
    return failure();
  }
  if (uint64_t(plan.sharedBytes) > target.sharedBytes) {
    return kernel.emitError() << "its tiles need " << plan.sharedBytes
                              << " bytes of workgroup memory; " << target.name << " has "
                              << target.sharedBytes;
  }
  return plan;
}

} // namespace zyxc
