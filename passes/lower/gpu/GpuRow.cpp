// The row and block families: lanes along what a unit does not fix.
#include "passes/lower/LoopNest.h"
#include "passes/lower/gpu/GpuFamilies.h"
#include "passes/lower/gpu/TeamLaunch.h"
#include "passes/lower/gpu/ThreadShape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Elements of a row that one thread holds where the row is long enough to choose: enough loads in
/// flight, and registers for as many threads as a multiprocessor takes.
static constexpr int64_t elementsPerThread = 16;
/// Elements that one thread may hold: half of its registers, or of what 1024 threads leave it.
static constexpr int64_t heldElements = 64;
static constexpr int64_t heldElementsOfMany = 32;
static constexpr int64_t manyThreads = 1024;
/// Workgroups of a multiprocessor that a split reduction should give.
static constexpr int64_t workgroupsPerMultiprocessor = 4;
/// Vectors in flight where a row is loaded again.
static constexpr int64_t reloadInflight = 4;

/// Workgroup memory of staged results, without what exchanges between threads take.
static constexpr int64_t maxStageBytes = 49152;
static constexpr int64_t exchangeBytes = 4096;

namespace {

class RowPlanner {
public:
  RowPlanner(const AccessTable &table, const Target &target) : table(table), target(target) {
    if (auto row = dyn_cast_or_null<RowScheduleAttr>(this->table.kernel().getScheduleAttr())) {
      fields = row.getFields();
    }
    if (auto block = dyn_cast_or_null<BlockScheduleAttr>(this->table.kernel().getScheduleAttr())) {
      fields.scope = Scope::Block;
      fields.threads = block.getFields().threads;
      fields.hold = block.getFields().hold;
      fields.vec = block.getFields().vec;
    }
  }

  TeamLaunch plan(bool wholeWorkgroup);

private:
  int64_t chunksOf(AxisSet axes) const;
  /// Chunks of the longest reduction or store of a unit.
  int64_t longest() const;
  void chooseTeam(int64_t chunks, bool wholeWorkgroup);
  void chooseSplit();

  const AccessTable &table;
  const Target &target;
  RowFields fields;
  TeamLaunch launch;
};

} // namespace

int64_t RowPlanner::chunksOf(AxisSet axes) const {
  const TeamPlan &plan = launch.plan;
  bool lanes = plan.lane && contains(axes, *plan.lane);
  return PointSpace(table, axes, lanes ? plan.lane : std::nullopt, plan.width).size();
}

int64_t RowPlanner::longest() const {
  int64_t chunks = 1;
  for (Operation &op : table.kernel().getBlock()) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      chunks = std::max(chunks, chunksOf(table.domainOf(store) & ~launch.plan.unitAxes));
    } else if (isa<ReduceOp>(op) && (table.axesOf(op.getResult(0)) & ~launch.plan.unitAxes) == 0) {
      chunks = std::max(chunks, chunksOf(table.reducedBy(&op)));
    }
  }
  return chunks;
}

void RowPlanner::chooseTeam(int64_t chunks, bool wholeWorkgroup) {
  int64_t subgroup = target.subgroupSize;
  int64_t most = std::min<int64_t>(target.maxThreads, manyThreads);
  int64_t &size = launch.plan.team.size;
  int64_t units = chunksOf(launch.plan.unitAxes);
  // Few rows leave multiprocessors idle: each gets as many threads as it has vectors.
  int64_t perThread = units < target.multiprocessors ? 1 : elementsPerThread / launch.plan.width;
  int64_t wanted = fields.threads ? powerOfTwo(fields.threads, most) : 0;
  if (wholeWorkgroup || fields.scope == Scope::Block) {
    size =
        wanted ? wanted : std::max(powerOfTwo(llvm::divideCeil(chunks, perThread), most), subgroup);
  } else if (fields.scope == Scope::Subgroup) {
    size = subgroup;
  } else if (wanted) {
    size = 1; // scope lane with a number of threads: stated, not left open
  } else if (chunks <= subgroup * perThread) {
    size = powerOfTwo(chunks, subgroup);
  } else {
    size = powerOfTwo(llvm::divideCeil(chunks, perThread), most);
  }
  if (fields.rows) {
    launch.threads = size * powerOfTwo(fields.rows, most / size);
    return;
  }
  launch.threads = std::max(size, wanted ? wanted : std::min(defaultThreads, most));
  int64_t least = std::max(size, std::min<int64_t>(2 * subgroup, most));
  while (!wanted && launch.threads > least &&
         units / launch.unitsPerWorkgroup() < target.multiprocessors) {
    launch.threads /= 2;
  }
}

void RowPlanner::chooseSplit() {
  const AxisSet unitAxes = launch.plan.unitAxes;
  int64_t wanted = workgroupsPerMultiprocessor * target.multiprocessors;
  int64_t units = std::max<int64_t>(chunksOf(unitAxes), 1);
  if (units * 2 > target.multiprocessors || !canSplit(table, unitAxes)) {
    return;
  }
  TeamLaunch split = launch;
  split.plan.team.size = std::min(launch.plan.team.size, defaultThreads);
  split.threads =
      std::max(split.plan.team.size, std::min<int64_t>(defaultThreads, target.maxThreads));
  split.split(longest(), wanted / units);
  if (split.parts > 1) {
    launch = split;
  }
}

TeamLaunch RowPlanner::plan(bool wholeWorkgroup) {
  TeamPlan &plan = launch.plan;
  plan.unitAxes = sharedAxes(table);
  AxisSet others = 0;
  AxisSet scattered = scatteredAxes(table);
  for (Operation &op : table.kernel().getBlock()) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      others |= table.domainOf(store) & ~plan.unitAxes & ~scattered;
    } else if (isa<ReduceOp>(op)) {
      others |= table.reducedBy(&op);
    }
  }
  std::tie(plan.lane, plan.width) = chooseLanes(table, others & ~plan.unitAxes, target, fields.vec);
  chooseTeam(longest(), wholeWorkgroup);
  plan.inflight = fields.inflight ? fields.inflight : reloadInflight;
  plan.held = plan.team.size >= manyThreads ? heldElementsOfMany : heldElements;
  if (!reductionsToStage(table, plan.unitAxes).empty()) {
    plan.team.size = launch.threads;
    plan.stageBytes = std::min<int64_t>(target.sharedBytes, maxStageBytes) - exchangeBytes;
  }
  chooseSplit();
  return launch;
}

void lowerGpuRow(AccessTable &table, const Target &target) {
  table.mergeAxes();
  emitTeams(table, target, RowPlanner(table, target).plan(/*wholeWorkgroup=*/false));
}

void lowerGpuBlock(AccessTable &table, const Target &target) {
  table.mergeAxes();
  emitTeams(table, target, RowPlanner(table, target).plan(/*wholeWorkgroup=*/true));
}

} // namespace zyxc
