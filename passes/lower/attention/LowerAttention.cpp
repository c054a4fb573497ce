#include "passes/lower/attention/LowerAttention.h"
#include "passes/lower/attention/SimtAttention.h"
#include "passes/lower/attention/WgmmaAttention.h"

using namespace mlir;

namespace zyxc {

bool isLowerableAttention(zyxk::KernelOp kernel, const Target &target) {
  std::string obstacle;
  return target.kind != TargetKind::Host && AttentionRoles::find(kernel, obstacle).has_value();
}

/// The analysis of accesses over the whole box of axes; the domain is the driver's own matter.
static FailureOr<AccessTable> tableWithoutDomain(zyxk::KernelOp kernel) {
  std::optional<IntegerSet> domain = kernel.getDomain();
  kernel.removeDomainAttr();
  FailureOr<AccessTable> table = AccessTable::build(kernel, /*takesTuples=*/true);
  if (domain) {
    kernel.setDomain(*domain);
  }
  return table;
}

static void emitWgmma(const AccessTable &table, const AttentionRoles &roles,
                      const AttentionPlan &plan, const Target &target) {
  GpuModule module(table.kernel(), target);
  int64_t workgroups = std::min<int64_t>(plan.tiles(), target.multiprocessors);
  GpuLaunch launch = module.addLaunch(workgroups, plan.threads());
  WgmmaAttention(table, roles, plan, launch).emit();
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
  if (unit != zyxk::MmaUnit::Wgmma && unit != zyxk::MmaUnit::Fma) {
    return kernel.emitError() << "cannot be lowered as attention: it has the units fma and wgmma";
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
  FailureOr<AccessTable> table = tableWithoutDomain(kernel);
  if (failed(table)) {
    return failure();
  }
  std::optional<AttentionPlan> wgmma;
  std::optional<SimtAttentionPlan> simt;
  obstacle = target.name + " has no wgmma";
  if (target.matrixUnit == MatrixUnit::Wgmma && *unit != zyxk::MmaUnit::Fma) {
    wgmma = AttentionPlan::make(kernel, *roles, *table, target, obstacle);
  }
  if (!wgmma && *unit != zyxk::MmaUnit::Wgmma) {
    simt = SimtAttentionPlan::make(*table, *roles, target, obstacle);
  }
  if (!wgmma && !simt) {
    return kernel.emitError() << "cannot be lowered as attention: " << obstacle;
  }
  hoistReciprocals(kernel, *roles);
  table = tableWithoutDomain(kernel);
  if (wgmma) {
    emitWgmma(*table, *roles, *wgmma, target);
  } else {
    emitSimtAttention(*table, *roles, kernel.getDomain(), *simt, target);
  }
  kernel.erase();
  return success();
}

} // namespace zyxc
