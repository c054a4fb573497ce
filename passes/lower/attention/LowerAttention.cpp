#include "passes/lower/attention/LowerAttention.h"
#include "passes/lower/attention/MmaAttention.h"
#include "passes/lower/attention/SimtAttention.h"
#include "passes/lower/attention/WgmmaAttention.h"

using namespace mlir;

namespace zyxc {

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

namespace {

/// The tiles of a unit: at most one of the two.
struct Plans {
  std::optional<AttentionPlan> matrix;
  std::optional<SimtAttentionPlan> simt;
};

} // namespace

/// Tiles for the unit that was asked for, or else for the best one that takes the kernel.
static Plans planTiles(zyxk::KernelOp kernel, const AttentionRoles &roles, const AccessTable &table,
                       std::optional<zyxk::MmaUnit> unit, const Target &target,
                       std::string &obstacle) {
  Plans plans;
  zyxk::MmaUnit wanted = unit.value_or(bestUnit(target));
  if (wanted > bestUnit(target)) {
    obstacle = target.name + " has no " + zyxk::stringifyMmaUnit(wanted).str();
  } else if (wanted != zyxk::MmaUnit::Fma) {
    plans.matrix = AttentionPlan::make(kernel, roles, table, wanted, target, obstacle);
  }
  if (!plans.matrix && (!unit || wanted == zyxk::MmaUnit::Fma)) {
    plans.simt = SimtAttentionPlan::make(table, roles, target, obstacle);
  }
  return plans;
}

bool isLowerableAttention(zyxk::KernelOp kernel, const Target &target) {
  std::string obstacle;
  std::optional<AttentionRoles> roles;
  if (target.kind != TargetKind::Host) {
    roles = AttentionRoles::find(kernel, obstacle);
  }
  if (!roles || kernel.getSchedule()) {
    return roles.has_value(); // what a schedule asks for is done, or an error
  }
  FailureOr<AccessTable> table = boxTable(kernel);
  if (failed(table)) {
    return false;
  }
  Plans plans = planTiles(kernel, *roles, *table, std::nullopt, target, obstacle);
  return plans.matrix || plans.simt;
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
  Plans plans = planTiles(kernel, *roles, *table, *unit, target, obstacle);
  if (!plans.matrix && !plans.simt) {
    return kernel.emitError() << "cannot be lowered as attention: " << obstacle;
  }
  hoistReciprocals(kernel, *roles);
  table = boxTable(kernel);
  if (plans.matrix) {
    emitOnMatrixUnit(*table, *roles, *plans.matrix, target);
  } else {
    emitSimtAttention(*table, *roles, kernel.getDomain(), *plans.simt, target);
  }
  kernel.erase();
  return success();
}

} // namespace zyxc
