#include "passes/lower/LowerMap.h"
#include "passes/lower/LoopNest.h"
#include "passes/lower/emit/LaneChoice.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

void lowerMap(AccessTable &table, unsigned vectorBits) {
  auto schedule = dyn_cast_or_null<MapScheduleAttr>(table.kernel().getScheduleAttr());
  if (!schedule || schedule.getFields().flatten) {
    table.mergeAxes();
  }
  NestPlan plan;
  plan.width =
      schedule && schedule.getFields().vec ? schedule.getFields().vec : lanesFor(table, vectorBits);
  plan.lane = cheapestLane(table, sharedAxes(table) & ~scatteredAxes(table), plan.width);
  if (plan.lane) {
    if (!schedule || !schedule.getFields().vec) {
      plan.registersPerVector = registersPerVector(table, axisBit(*plan.lane), vectorBits);
      plan.width *= plan.registersPerVector;
    }
    // A row shorter than a vector is covered by narrower vectors that overlap.
    int64_t extent = std::max<int64_t>(table.extent(*plan.lane), 1);
    plan.width = std::min<int64_t>(plan.width, llvm::bit_floor(static_cast<uint64_t>(extent)));
  }
  planTasks(table, plan, schedule ? schedule.getFields().tile : 0);
  plan.streams = shouldStream(table.kernel());
  emitNest(table, plan);
}

} // namespace zyxc
