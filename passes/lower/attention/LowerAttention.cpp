#include "passes/lower/attention/LowerAttention.h"
#include "passes/lower/attention/MmaAttention.h"
#include "passes/lower/attention/SimtAttention.h"
#include "passes/lower/attention/WgmmaAttention.h"

using namespace mlir;

namespace zyxc {

bool isLowerableAttention(zyxk::KernelOp kernel, const Target &target) {
  std::string obstacle;
  return target.kind != TargetKind::Host && AttentionRoles::find(kernel, obstacle).has_value();
}

static void emitOnMatrixUnit(const AccessTable &table, const AttentionRoles &roles,
                             const AttentionPlan &plan, const Target &target) {
  GpuModule module(table.kernel(), target);
  bool isWgmma = plan.unit == zyxk::MmaUnit::Wgmma;
  int64_t workgroups =
      isWgmma ? std::min<int64_t>(plan.tiles(), target.multiprocessors) : plan.tiles();
  GpuLaunch launch = module.addLaunch(workgroups, plan.threads());
  if (isWgmma) {
    WgmmaAttention(table, roles, plan, launch).emit();
  } else {
    MmaAttention(table, roles, plan, launch).emit();
  }
}

/// The best unit of a target.
static zyxk::MmaUnit bestUnit(const Target &target) {
  switch (target.matrixUnit) {
  case MatrixUnit::None: break;
  case MatrixUnit::Mma: return zyxk::MmaUnit::Mma;
  case MatrixUnit::Wgmma: return zyxk::MmaUnit::Wgmma;
  }
  return zyxk::MmaUnit::Fma;
}

/// The unit that the schedule asks for; nothing without one. Fails with a diagnostic on a schedule
/// that is not of attention or asks for a unit that it does not have.
static FailureOr<std::optional<zyxk::MmaUnit>> unitOf(zyxk::KernelOp kernel) {
  Attribute schedule = kernel.getScheduleAttr();
  if (!schedule) {
    return std::optional<zyxk::MmaUnit>();
  }
  auto attention = dyn_cast<zyxk::AttnScheduleAttr>(schedule);
  if (!attention) {
    return kernel.emitError() << "its schedule is of another family than its body";
  }
  zyxk::MmaUnit unit = attention.getFields().unit;
  if (unit == zyxk::MmaUnit::Coop) {
    return kernel.emitError() << "cannot be lowered as attention: it has the units fma, mma and "
                                 "wgmma";
  }
  return std::optional(unit);
}

LogicalResult lowerAttention(zyxk::KernelOp kernel, const Target &target) {
  std::string obstacle;
  std::optional<AttentionRoles> roles = AttentionRoles::find(kernel, obstacle);
  if (!roles) {
    return kernel.emitError() << "cannot be lowered as attention: " << obstacle;
  }
  FailureOr<std::optional<zyxk::MmaUnit>> unit = unitOf(kernel);
  if (failed(unit)) {
    return failure();
  }
  FailureOr<AccessTable> table = boxTable(kernel);
  if (failed(table)) {
    return failure();
  }
  std::optional<AttentionPlan> plan;
  std::optional<SimtAttentionPlan> simt;
  zyxk::MmaUnit wanted = unit->value_or(bestUnit(target));
  if (wanted > bestUnit(target)) {
    obstacle = target.name + " has no " + zyxk::stringifyMmaUnit(wanted).str();
  } else if (wanted != zyxk::MmaUnit::Fma) {
    plan = AttentionPlan::make(kernel, *roles, *table, wanted, target, obstacle);
  }
  if (!plan && (!*unit || wanted == zyxk::MmaUnit::Fma)) {
    simt = SimtAttentionPlan::make(*table, *roles, target, obstacle);
  }
  if (!plan && !simt) {
    return kernel.emitError() << "cannot be lowered as attention: " << obstacle;
  }
  hoistReciprocals(kernel, *roles);
  table = boxTable(kernel);
  if (plan) {
    emitOnMatrixUnit(*table, *roles, *plan, target);
  } else {
    emitSimtAttention(*table, *roles, kernel.getDomain(), *simt, target);
  }
  kernel.erase();
  return success();
}

} // namespace zyxc
