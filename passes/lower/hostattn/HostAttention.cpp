#include "passes/lower/hostattn/HostAttention.h"
#include "passes/kernel/Transforms.h"
#include "passes/lower/emit/ContractAxes.h"
#include "passes/lower/hostattn/HostAttentionEmitter.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

static bool isFloat(Value value) {
  Type type = value.getType();
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

/// Types that the driver computes in: those of scores, logits and sums.
static bool hasTypes(const AttentionRoles &roles) {
  Type type = roles.logits.getType();
  return (type.isF32() || type.isF64()) && roles.scores.getType() == type &&
         isFloat(roles.q.value) && isFloat(roles.k.value) &&
         (!roles.v.value || isFloat(roles.v.value));
}

/// Each operand depends on its own axes only, and no axis has two roles that meet.
static bool hasAxes(const AccessTable &table, const AttentionRoles &roles) {
  AxisSet batch = 0;
  for (unsigned axis : roles.batch) {
    batch |= axisBit(axis);
  }
  AxisSet query = roles.query ? axisBit(*roles.query) : 0;
  AxisSet key = axisBit(roles.key);
  AxisSet depth = axisBit(roles.depth);
  AxisSet width = roles.width ? axisBit(*roles.width) : 0;
  auto within = [&](Value value, AxisSet axes) {
    return !value || (table.axesOf(value) & ~(batch | axes)) == 0;
  };
  return ((batch | query | key) & (depth | width)) == 0 && within(roles.q.value, query | depth) &&
         within(roles.k.value, key | depth) && within(roles.v.value, key | width) &&
         within(roles.logits, query | key);
}

/// With a domain, the lanes of a vector may be outside of it, where loads need not exist. Loads at
/// each lane are masked, so the address may not be one of all lanes while it depends on the query.
static bool loadsAreMasked(const AccessTable &table, const AttentionRoles &roles) {
  KernelOp kernel = table.kernel();
  return !roles.query || llvm::all_of(kernel.getBlock().getOps<LoadOp>(), [&](LoadOp load) {
    const Access &access = table.accessOf(load);
    return access.inBounds || access.clamped || !access.linear.isFunctionOfDim(*roles.query) ||
           strideOf(table, load, *roles.query);
  });
}

/// An operand that is a plain load of the right type, all of whose elements exist.
static bool isPlain(const AccessTable &table, const AttentionOperand &operand, Type type) {
  LoadOp load = operand.load;
  return load && load.getType() == type && table.accessOf(load).inBounds &&
         !table.accessOf(load).clamped;
}

std::optional<HostAttentionProblem> HostAttentionProblem::find(KernelOp kernel,
                                                               unsigned vectorBits) {
  std::string obstacle;
  std::optional<AttentionRoles> roles = AttentionRoles::find(kernel, obstacle);
  if (!roles) {
    return std::nullopt;
  }
  std::optional<KeyWindow> window = keyWindowOf(kernel, *roles);
  if (!window || !hasTypes(*roles) || llvm::is_contained(*kernel.getStaticExtents(), 0)) {
    return std::nullopt;
  }
  FailureOr<AccessTable> table = boxTable(kernel);
  bool isOpen = !window->first && !window->last;
  if (failed(table) || !hasAxes(*table, *roles) || (!isOpen && !loadsAreMasked(*table, *roles))) {
    return std::nullopt;
  }
  HostAttentionProblem problem{*roles, *window};
  HostAttentionPlan plan = HostAttentionPlan::make(problem.sizes(*table, vectorBits));
  Type type = roles->logits.getType();
  auto schedule = dyn_cast_or_null<AttnScheduleAttr>(kernel.getScheduleAttr());
  bool packs = schedule && schedule.getFields().pack == 1;
  auto stride = [&](const AttentionOperand &operand, unsigned axis) {
    return strideOf(*table, operand.load, axis);
  };
  problem.keysInPlace = !packs && isPlain(*table, roles->k, type) &&
                        table->extent(roles->key) >= plan.keyRows && stride(roles->k, roles->key) &&
                        stride(roles->k, roles->depth);
  problem.valuesInPlace = !packs && roles->width && isPlain(*table, roles->v, type) &&
                          stride(roles->v, roles->key) && stride(roles->v, *roles->width) == 1 &&
                          plan.columns == table->extent(*roles->width);
  return problem;
}

HostAttentionSizes HostAttentionProblem::sizes(const AccessTable &table,
                                               unsigned vectorBits) const {
  HostAttentionSizes sizes;
  sizes.batches = productOf(table, roles.batch);
  sizes.queries = roles.query ? table.extent(*roles.query) : 1;
  sizes.keys = table.extent(roles.key);
  sizes.depth = table.extent(roles.depth);
  sizes.width = roles.width ? table.extent(*roles.width) : 0;
  sizes.elementBytes = roles.logits.getType().getIntOrFloatBitWidth() / 8;
  sizes.vectorBits = vectorBits;
  KernelOp kernel = table.kernel();
  if (auto schedule = dyn_cast_or_null<AttnScheduleAttr>(kernel.getScheduleAttr())) {
    sizes.q = schedule.getFields().q;
    sizes.kv = schedule.getFields().kv;
  }
  return sizes;
}

bool lowerHostAttention(KernelOp kernel, unsigned vectorBits) {
  Attribute asked = kernel.getScheduleAttr();
  if ((asked && !isa<AttnScheduleAttr>(asked)) || kernel.getNumDims() != 0) {
    return false;
  }
  expandForLowering(kernel);
  std::optional<HostAttentionProblem> problem = HostAttentionProblem::find(kernel, vectorBits);
  if (!problem) {
    return false;
  }
  hoistReciprocals(kernel, problem->roles);
  FailureOr<AccessTable> table = boxTable(kernel);
  if (failed(table)) {
    return false;
  }
  HostAttentionPlan plan = HostAttentionPlan::make(problem->sizes(*table, vectorBits));
  OpBuilder builder(kernel);
  HostAttentionEmitter(builder, *table, *problem, plan).emit();
  kernel.erase();
  return true;
}

} // namespace zyxc
