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

/// Whether the schedule asks for wgmma, so that plain threads are no answer.
static bool asksForWgmma(zyxk::KernelOp kernel) {
  auto schedule = dyn_cast_or_null<zyxk::AttnScheduleAttr>(kernel.getScheduleAttr());
  return schedule && schedule.getFields().unit == zyxk::MmaUnit::Wgmma;
}

LogicalResult lowerAttention(zyxk::KernelOp kernel, const Target &target) {
  std::string obstacle;
  std::optional<AttentionRoles> roles = AttentionRoles::find(kernel, obstacle);
  if (!roles) {
    return kernel.emitError() << "cannot be lowered as attention: " << obstacle;
  }
  FailureOr<AccessTable> table = tableWithoutDomain(kernel);
  if (failed(table)) {
    return failure();
  }
  std::optional<AttentionPlan> wgmma;
  std::optional<SimtAttentionPlan> simt;
  obstacle = target.name + " has no wgmma";
  if (target.matrixUnit == MatrixUnit::Wgmma) {
    wgmma = AttentionPlan::make(kernel, *roles, *table, target, obstacle);
  }
  if (!wgmma && !asksForWgmma(kernel)) {
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
