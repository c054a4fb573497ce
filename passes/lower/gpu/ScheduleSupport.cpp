#include "passes/lower/gpu/ScheduleSupport.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// The first thing in a schedule that is not there; null if all of it is.
static const char *missingPart(Attribute schedule) {
  if (auto row = dyn_cast<RowScheduleAttr>(schedule)) {
    const RowFields &fields = row.getFields();
    if (fields.scope == Scope::Cluster) {
      return "scope = cluster: workgroups do not share a row; use scope = block";
    }
  } else if (auto col = dyn_cast<ColScheduleAttr>(schedule)) {
    if (col.getFields().finish == Finish::LastBlock) {
      return "finish = last_block: parts are joined by a second launch; use finish = second";
    }
  } else if (auto move = dyn_cast<MoveScheduleAttr>(schedule)) {
    if (move.getFields().via != Via::Smem) {
      return "via: tiles go through workgroup memory; use via = smem";
    }
  } else if (auto scan = dyn_cast<ScanScheduleAttr>(schedule)) {
    if (scan.getFields().mode == ScanMode::Lookback) {
      return "mode = lookback: parts of a row meet in two passes; use mode = two_pass";
    }
  }
  return nullptr;
}

LogicalResult checkSupported(KernelOp kernel) {
  Attribute schedule = kernel.getScheduleAttr();
  const char *missing = schedule ? missingPart(schedule) : nullptr;
  return missing ? kernel.emitError() << "is not lowered with " << missing : success();
}

} // namespace zyxc
