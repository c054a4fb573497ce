#include "passes/lower/LowerRow.h"
#include "passes/lower/LateStores.h"
#include "passes/lower/emit/LaneChoice.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

void lowerRow(AccessTable &table, unsigned vectorBits) {
  auto schedule = dyn_cast_or_null<RowScheduleAttr>(table.kernel().getScheduleAttr());
  table.mergeAxes();
  NestPlan plan;
  if (schedule && schedule.getFields().vec) {
    plan.width = schedule.getFields().vec;
  } else {
    plan.registersPerVector = registersPerVector(table, ~sharedAxes(table), vectorBits);
    plan.width = lanesFor(table, vectorBits) * plan.registersPerVector;
  }
  planTasks(table, plan, 0);
  SmallVector<HeldValue> scans = heldScans(table, plan.width, plan.heldBytes);
  plan.held = chooseHeldValues(table, sharedAxes(table), plan.width, plan.heldBytes);
  plan.held.append(scans);
  if (schedule && schedule.getFields().rows && !table.isOpen()) {
    plan.unitsPerTask = schedule.getFields().rows;
    plan.tasks = (plan.units + plan.unitsPerTask - 1) / plan.unitsPerTask;
  }
  plan.streams = shouldStream(table.kernel());
  plan.storesLate = plan.streams && canStoreLate(table, plan);
  emitNest(table, plan);
}

} // namespace zyxc
