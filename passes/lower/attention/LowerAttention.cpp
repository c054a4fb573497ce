#include "passes/lower/attention/LowerAttention.h"
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

LogicalResult lowerAttention(zyxk::KernelOp kernel, const Target &target) {
  std::string obstacle;
  std::optional<AttentionRoles> roles = AttentionRoles::find(kernel, obstacle);
  if (!roles) {
    return kernel.emitError() << "cannot be lowered as attention: " << obstacle;
  }
  std::optional<AttentionPlan> plan;
  if (target.matrixUnit == MatrixUnit::Wgmma) {
    plan = AttentionPlan::make(kernel, *roles, target, obstacle);
  } else {
    obstacle = target.name + " has no wgmma";
  }
  if (!plan) {
    return kernel.emitError() << "cannot be lowered as attention: " << obstacle;
  }
  hoistReciprocals(kernel, *roles);
  FailureOr<AccessTable> table = tableWithoutDomain(kernel);
  if (failed(table)) {
    return failure();
  }
  GpuModule module(kernel, target);
  int64_t workgroups = std::min<int64_t>(plan->tiles(), target.multiprocessors);
  GpuLaunch launch = module.addLaunch(workgroups, plan->threads());
  WgmmaAttention(*table, *roles, *plan, launch).emit();
  kernel.erase();
  return success();
}

} // namespace zyxc
