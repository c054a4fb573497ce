#include "passes/lower/matrix/MatrixPlan.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

static constexpr int64_t warpgroupThreads = 128;
static constexpr int64_t wgmmaRows = 64;
static constexpr int64_t halfBytes = 2;
/// A full and an empty barrier per stage.
static constexpr int64_t barrierBytes = 16;

namespace {

/// A tile, and the share of the unit's peak that it reaches where it fills the machine. Measured on
/// an H200 (docs/kernels.md), the small ones estimated.
struct TileShape {
  int64_t m, n;
  double efficiency;
};

} // namespace

static constexpr TileShape wgmmaTiles[] = {
    {128, 256, 1.0}, {128, 192, 0.98}, {128, 128, 0.95}, {128, 64, 0.75}, {64, 64, 0.5},
};

static int64_t tilesOf(const MatrixProblem &problem, int64_t m, int64_t n) {
  return problem.batches * int64_t(llvm::divideCeil(problem.m, m)) *
         int64_t(llvm::divideCeil(problem.n, n));
}

/// The tile with the least time for whole waves of workgroups.
static TileShape bestTile(ArrayRef<TileShape> shapes, const MatrixProblem &problem,
                          const Target &target) {
  TileShape best = shapes.front();
  double least = 0;
  for (const TileShape &shape : shapes) {
    int64_t waves = llvm::divideCeil(tilesOf(problem, shape.m, shape.n), target.multiprocessors);
    double time = static_cast<double>(waves * shape.m * shape.n) / shape.efficiency;
    if (least == 0 || time < least) {
      least = time;
      best = shape;
    }
  }
  return best;
}

/// Lays out workgroup memory; `groups` f32 tiles for the epilogue.
static void layOut(MatrixPlan &plan, int64_t groups) {
  plan.bytesA = plan.tileM * plan.tileK * halfBytes;
  plan.bytesB = plan.tileN * plan.tileK * halfBytes;
  plan.epilogueOffset = plan.stages * plan.stageBytes();
  plan.barrierOffset = plan.epilogueOffset + groups * plan.epilogueBytes;
  plan.sharedBytes = plan.barrierOffset + plan.stages * barrierBytes;
}

static void countTiles(MatrixPlan &plan, const MatrixProblem &problem, const Target &target) {
  plan.tilesM = llvm::divideCeil(problem.m, plan.tileM);
  plan.tilesN = llvm::divideCeil(problem.n, plan.tileN);
  plan.tiles = problem.batches * plan.tilesM * plan.tilesN;
  plan.steps = llvm::divideCeil(problem.depth, plan.tileK);
  plan.group = std::min(plan.group, plan.tilesM);
  plan.workgroups = std::min<int64_t>(plan.tiles, target.multiprocessors);
}

/// What the schedule says instead of the defaults.
static void applySchedule(MatrixPlan &plan, const MmaFields &fields) {
  auto set = [](int64_t &value, int64_t field) {
    value = field ? field : value;
  };
  set(plan.tileM, fields.cta[0]);
  set(plan.tileN, fields.cta[1]);
  set(plan.tileK, fields.cta[2]);
  set(plan.stages, fields.stages);
  set(plan.group, fields.group);
  set(plan.loadRegisters, fields.regs[0]);
  set(plan.computeRegisters, fields.regs[1]);
}

/// Warp-specialized: one loading warpgroup, the others 64 rows each.
static void planWgmma(MatrixPlan &plan) {
  plan.warpsM = plan.tileM / wgmmaRows;
  plan.warpsN = 1;
  plan.threads = (plan.warpsM + 1) * warpgroupThreads;
  // Each multiprocessor has 512 registers for a thread of every warpgroup.
  static constexpr int64_t computeRegisters[] = {0, 240, 160};
  if (plan.warpsM > 1 && plan.computeRegisters == 0) {
    plan.loadRegisters = 24;
    plan.computeRegisters = computeRegisters[plan.warpsM - 1];
  }
  constexpr int64_t epilogueColumns = 64;
  plan.epilogueBytes = wgmmaRows * epilogueColumns * 4;
  layOut(plan, plan.warpsM);
}

static bool isWgmmaTile(const MatrixPlan &plan) {
  return plan.tileM % wgmmaRows == 0 && plan.tileM >= 64 && plan.tileM <= 192 &&
         plan.tileN % 64 == 0 && plan.tileN >= 64 && plan.tileN <= (plan.tileM > 128 ? 128 : 256) &&
         plan.tileK == 64;
}

FailureOr<MatrixPlan> planMatrix(KernelOp kernel, const MatrixProblem &problem,
                                 const Target &target) {
  MatrixPlan plan;
  plan.unit = target.matrixUnit;
  TileShape tile = bestTile(wgmmaTiles, problem, target);
  plan.tileM = tile.m;
  plan.tileN = tile.n;
  plan.tileK = 64;
  plan.stages = 4;
  plan.group = 16;
  if (auto schedule = dyn_cast_or_null<MmaScheduleAttr>(kernel.getScheduleAttr())) {
    applySchedule(plan, schedule.getFields());
  }
  if (!isWgmmaTile(plan)) {
    return kernel.emitError() << "wgmma takes tiles of 64, 128 or 192 rows, 64 to 256 columns in "
                                 "steps of 64 (128 beside 192 rows), and 64 of k; the schedule's "
                                 "is "
                              << plan.tileM << "x" << plan.tileN << "x" << plan.tileK;
  }
  countTiles(plan, problem, target);
  planWgmma(plan);
  if (uint64_t(plan.sharedBytes) > target.sharedBytes) {
    return kernel.emitError() << "its tiles need " << plan.sharedBytes
                              << " bytes of workgroup memory; " << target.name << " has "
                              << target.sharedBytes;
  }
  return plan;
}

} // namespace zyxc
