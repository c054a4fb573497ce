#include "passes/lower/LowerRow.h"
#include "passes/lower/LoopNest.h"
#include "passes/lower/emit/LaneChoice.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

void lowerRow(AccessTable &table, unsigned vectorBits) {
  auto schedule = dyn_cast_or_null<RowScheduleAttr>(table.kernel().getScheduleAttr());
  table.mergeAxes();
  NestPlan plan;
  plan.width =
      schedule && schedule.getFields().vec ? schedule.getFields().vec : lanesFor(table, vectorBits);
  planTasks(table, plan, 0);
  if (schedule && schedule.getFields().rows) {
    plan.unitsPerTask = schedule.getFields().rows;
    plan.tasks = (plan.units + plan.unitsPerTask - 1) / plan.unitsPerTask;
  }
  emitNest(table, plan);
}

} // namespace zyxc
