// The col family: lanes along an axis that the reductions keep. Neighbouring threads have
// neighbouring vectors of columns; the threads above each other in a workgroup share the rows.
#include "passes/lower/LoopNest.h"
#include "passes/lower/gpu/GpuFamilies.h"
#include "passes/lower/gpu/TeamLaunch.h"
#include "passes/lower/gpu/ThreadShape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Vectors side by side: 512 bytes of a row.
static constexpr int64_t vectorsAcross = 32;
/// Rows that a thread loads before it uses one.
static constexpr int64_t rowsInFlight = 8;
/// Workgroups of a multiprocessor that parts should give, and the most parts of one column.
static constexpr int64_t workgroupsPerMultiprocessor = 8;
static constexpr int64_t maxParts = 64;

void lowerGpuCol(AccessTable &table, const Target &target) {
  ColFields fields;
  if (auto schedule = dyn_cast_or_null<ColScheduleAttr>(table.kernel().getScheduleAttr())) {
    fields = schedule.getFields();
  }
  table.mergeAxes();
  TeamLaunch launch;
  TeamPlan &plan = launch.plan;
  plan.unitAxes = sharedAxes(table);
  std::tie(plan.lane, plan.width) =
      chooseLanes(table, plan.unitAxes & ~scatteredAxes(table), target, fields.vec);
  plan.inflight = fields.inflight ? fields.inflight : rowsInFlight;
  int64_t units = PointSpace(table, plan.unitAxes, plan.lane, plan.width).size();
  int64_t rows = 1;
  for (Operation &op : table.kernel().getBlock()) {
    rows = runsOverTeam(op) ? std::max(rows, table.points(table.reducedBy(&op))) : rows;
  }
  int64_t threads = powerOfTwo(fields.threads ? fields.threads : defaultThreads, target.maxThreads);
  int64_t across = fields.tile ? std::max<int64_t>(fields.tile / plan.width, 1) : vectorsAcross;
  across = powerOfTwo(std::min(across, units), threads);
  plan.team = {powerOfTwo(llvm::divideCeil(rows, plan.inflight), threads / across), across};
  if (plan.team.size * across < threads) { // few rows: more columns
    plan.team.stride = powerOfTwo(units, threads / plan.team.size);
  }
  launch.threads = plan.team.size * plan.team.stride;
  int64_t tiles = std::max<int64_t>(llvm::divideCeil(units, plan.team.stride), 1);
  int64_t parts = workgroupsPerMultiprocessor * target.multiprocessors / tiles;
  if (canSplit(table, plan.unitAxes)) {
    launch.split(rows, fields.split ? fields.split : std::min(parts, maxParts));
  }
  emitTeams(table, target, launch);
}

} // namespace zyxc
