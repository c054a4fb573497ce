// The row and block families: lanes along what a unit does not fix.
#include "passes/kernel/Transforms.h"
#include "passes/lower/LegalizeBody.h"
#include "passes/lower/LoopNest.h"
#include "passes/lower/gpu/GpuFamilies.h"
#include "passes/lower/gpu/TeamLaunch.h"
#include "passes/lower/gpu/ThreadShape.h"
#include "passes/lower/tile/OnlineFold.h"
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
/// Chunks of a row that is worth more than one workgroup.
static constexpr int64_t minSharedChunks = 8192;
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

  /// Fails with a diagnostic if the schedule asks for workgroup memory that is not there.
  FailureOr<TeamLaunch> plan(bool wholeWorkgroup);
  /// After plan(): one pass for a maximum and its sums, or for a mean and squares, would save
  /// reading rows, or let workgroups share them.
  bool wantsOnline() const;

private:
  int64_t chunksOf(AxisSet axes) const;
  /// The axes of the longest reduction or store of a unit.
  AxisSet longestAxes() const;
  int64_t longest() const { return std::max<int64_t>(chunksOf(longestAxes()), 1); }
  void chooseTeam(int64_t chunks, bool wholeWorkgroup);
  LogicalResult chooseHold();
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

AxisSet RowPlanner::longestAxes() const {
  AxisSet longest = 0;
  for (Operation &op : table.kernel().getBlock()) {
    AxisSet axes = 0;
    if (auto store = dyn_cast<StoreOp>(op)) {
      axes = table.domainOf(store) & ~launch.plan.unitAxes;
    } else if ((runsOverTeam(op) || isOnline(&op)) &&
               (table.axesOf(op.getResult(0)) & ~launch.plan.unitAxes) == 0) {
      axes = table.reducedBy(&op);
    }
    longest = chunksOf(axes) > chunksOf(longest) ? axes : longest;
  }
  return longest;
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

bool RowPlanner::wantsOnline() const {
  const TeamPlan &plan = launch.plan;
  bool isHeld = longest() <= plan.held / plan.width * plan.team.size || !plan.rows.empty();
  int64_t units = std::max<int64_t>(chunksOf(plan.unitAxes), 1);
  bool onlyUnits = llvm::all_of(table.kernel().getBlock().getOps<StoreOp>(), [&](StoreOp store) {
    return table.domainOf(store) == plan.unitAxes;
  });
  bool isAlone = onlyUnits && units * 2 <= target.multiprocessors && longest() > minSharedChunks;
  return fields.online || (launch.parts == 1 && (!isHeld || isAlone));
}

LogicalResult RowPlanner::chooseHold() {
  TeamPlan &plan = launch.plan;
  int64_t perThread = llvm::divideCeil(longest(), plan.team.size);
  plan.held = plan.team.size >= manyThreads ? heldElementsOfMany : heldElements;
  if (fields.hold == Hold::Reload) {
    plan.held = 0;
  }
  bool fits = perThread <= plan.held / plan.width;
  if (fields.hold != Hold::Smem && (fields.hold != Hold::Auto || fits)) {
    return success();
  }
  StagePlan rows = chooseStages(table, plan.unitAxes, longestAxes());
  bool lanes = plan.lane && contains(rows.axes, *plan.lane);
  int64_t points = saturatingMul(perThread * plan.team.size, lanes ? plan.width : 1);
  auto bytes = [&] {
    int64_t all = rows.bytes(saturatingMul(points, launch.unitsPerWorkgroup()));
    return all + plan.stageBytes + exchangeBytes;
  };
  auto limit = static_cast<int64_t>(target.sharedBytes);
  if (bytes() > limit && !fields.threads && !fields.rows) {
    launch.threads = plan.team.size;
  }
  // One workgroup alone on a multiprocessor computes nothing while it waits: an H200 takes 388 us
  // for rows of 40000 f32 held so, 363 if they are loaded again.
  int64_t workgroups = fields.hold == Hold::Smem ? 1 : 2;
  if (workgroups * bytes() <= limit) {
    plan.rows = std::move(rows);
  } else if (fields.hold == Hold::Smem) {
    return table.kernel().emitError() << "cannot hold its rows in workgroup memory: that needs "
                                      << bytes() << " bytes, " << target.name << " has " << limit;
  }
  return success();
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
  split.plan.rows = {};
  split.split(longest(), wanted / units);
  if (split.parts > 1) {
    launch = split;
  }
}

FailureOr<TeamLaunch> RowPlanner::plan(bool wholeWorkgroup) {
  TeamPlan &plan = launch.plan;
  plan.unitAxes = sharedAxes(table);
  AxisSet others = 0;
  AxisSet scattered = scatteredAxes(table);
  for (Operation &op : table.kernel().getBlock()) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      others |= table.domainOf(store) & ~plan.unitAxes & ~scattered;
    } else if (runsOverTeam(op) || isOnline(&op)) {
      others |= table.reducedBy(&op);
    }
  }
  std::tie(plan.lane, plan.width) = chooseLanes(table, others & ~plan.unitAxes, target, fields.vec);
  chooseTeam(longest(), wholeWorkgroup);
  plan.inflight = fields.inflight ? fields.inflight : reloadInflight;
  if (!reductionsToStage(table, plan.unitAxes).empty()) {
    plan.team.size = launch.threads;
    plan.stageBytes = std::min<int64_t>(target.sharedBytes, maxStageBytes) - exchangeBytes;
  }
  if (failed(chooseHold())) {
    return failure();
  }
  chooseSplit();
  return launch;
}

/// Rewrites maxima with sums of exponentials, and means with squares, to expsum and welford, if a
/// team computes all of those.
static LogicalResult toOnline(AccessTable &table) {
  KernelOp kernel = table.kernel();
  toExpsumExactly(kernel);
  toWelford(kernel);
  auto rebuild = [&]() -> LogicalResult {
    FailureOr<AccessTable> built = AccessTable::build(kernel, {.tuples = true, .scans = true});
    if (failed(built)) {
      return failure();
    }
    table = *built;
    table.mergeAxes();
    return success();
  };
  if (failed(rebuild())) {
    return failure();
  }
  AxisSet shared = sharedAxes(table);
  bool isShared = llvm::all_of(kernel.getBlock(), [&](Operation &op) {
    return !isOnline(&op) || llvm::all_of(op.getResults(), [&](Value result) {
      return (table.axesOf(result) & ~shared) == 0;
    });
  });
  // Else they are reductions again.
  return isShared ? success() : success(succeeded(legalizeBody(kernel)) && succeeded(rebuild()));
}

static LogicalResult lowerRows(AccessTable &table, const Target &target, bool wholeWorkgroup) {
  table.mergeAxes();
  RowPlanner planner(table, target);
  FailureOr<TeamLaunch> launch = planner.plan(wholeWorkgroup);
  if (failed(launch)) {
    return failure();
  }
  if (planner.wantsOnline()) {
    if (failed(toOnline(table))) {
      return failure();
    }
    launch = RowPlanner(table, target).plan(wholeWorkgroup);
    if (failed(launch)) {
      return failure();
    }
  }
  emitTeams(table, target, *launch);
  return success();
}

LogicalResult lowerGpuRow(AccessTable &table, const Target &target) {
  return lowerRows(table, target, /*wholeWorkgroup=*/false);
}

LogicalResult lowerGpuBlock(AccessTable &table, const Target &target) {
  return lowerRows(table, target, /*wholeWorkgroup=*/true);
}

} // namespace zyxc
