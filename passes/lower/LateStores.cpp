#include "passes/lower/LateStores.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

static Block &bodyOf(const AccessTable &table) {
  return table.kernel()->getRegion(0).front();
}

static AxisSet setOf(ArrayRef<unsigned> axes) {
  AxisSet set = 0;
  for (unsigned axis : axes) {
    set |= axisBit(axis);
  }
  return set;
}

bool canStoreLate(const AccessTable &table, const NestPlan &plan) {
  if (plan.held.empty() || plan.lane || !plan.loopAxes.empty() || plan.unitsPerTask < 2) {
    return false;
  }
  unsigned axis = plan.held.front().axis;
  AxisSet domain = setOf(plan.taskAxes) | axisBit(axis);
  if (table.extent(axis) % plan.width != 0) {
    return false;
  }
  for (auto store : bodyOf(table).getOps<StoreOp>()) {
    if (table.domainOf(store) != domain || store.getCombine() != Combine::None ||
        !store.getCoords().empty() || !table.isSafe(store.getValue())) {
      return false;
    }
  }
  // Between loads and sums, the stores would only wait for memory as they do after them.
  bool anyDear = llvm::any_of(plan.held, [](const HeldValue &value) { return value.dear; });
  bool scans = !bodyOf(table).getOps<ScanOp>().empty();
  return anyDear && !scans &&
         llvm::all_of(plan.held, [&](const HeldValue &value) { return value.axis == axis; });
}

LateStores::LateStores(const AccessTable &table, const NestPlan &plan, ArrayRef<Value> ports,
                       Value scratch)
    : table(table), plan(plan), scratch(scratch), loc(table.kernel().getLoc()),
      expr(table, ports, plan.width) {
  expr.setStreaming(true);
  AxisSet shared = setOf(plan.taskAxes);
  SmallVector<Value> work;
  for (auto store : bodyOf(table).getOps<StoreOp>()) {
    stores.push_back(store);
    work.push_back(store.getValue());
  }
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    bool isHeld = llvm::any_of(plan.held, [&](const HeldValue &h) { return h.bodyValue == value; });
    if (!op || isHeld || !seen.insert(value).second || op->getNumOperands() == 0) {
      continue;
    }
    if ((table.axesOf(value) & ~shared) == 0) {
      rowValues.push_back(value);
      continue;
    }
    for (Value operand : op->getOperands()) {
      if (!isa<PortType>(operand.getType())) {
        work.push_back(operand);
      }
    }
  }
}

SmallVector<Value> LateStores::initial(OpBuilder &builder) const {
  SmallVector<Value> values;
  for (Value value : rowValues) {
    values.push_back(arith::ConstantOp::create(builder, loc, builder.getZeroAttr(value.getType())));
  }
  return values;
}

Value LateStores::shiftOf(OpBuilder &builder, Location loc, const NestPlan &plan, Value unit) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value bytes = arith::ConstantIndexOp::create(builder, loc, plan.heldBytes);
  Value turn = arith::AndIOp::create(builder, loc, unit, one);
  return arith::MulIOp::create(builder, loc, turn, bytes);
}

void LateStores::begin(OpBuilder &builder, Value unit, ValueRange values) {
  scope = std::make_unique<VectorExpr::Scope>(expr);
  Value rest = unit;
  for (size_t i = plan.taskAxes.size(); i-- > 0;) {
    Value extent = arith::ConstantIndexOp::create(builder, loc, table.extent(plan.taskAxes[i]));
    bool isFirst = i == 0;
    Value digit = isFirst ? rest : arith::RemUIOp::create(builder, loc, rest, extent).getResult();
    rest = isFirst ? rest : arith::DivUIOp::create(builder, loc, rest, extent).getResult();
    expr.assign(plan.taskAxes[i], digit);
  }
  for (auto [bodyValue, value] : llvm::zip_equal(rowValues, values)) {
    expr.bind(bodyValue, value);
  }
  held.emplace(builder, loc, expr, plan.held, scratch, shiftOf(builder, loc, plan, unit));
  held->setFilled();
}

void LateStores::emitVector(OpBuilder &builder, Value at) {
  VectorExpr::Scope vector(expr);
  expr.assignLanes(plan.held.front().axis, at, 1, plan.width);
  for (StoreOp store : stores) {
    expr.emitStore(builder, store);
  }
}

void LateStores::emitRow(OpBuilder &builder) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto loop =
      scf::ForOp::create(builder, loc, constant(0), constant(table.extent(plan.held.front().axis)),
                         constant(plan.width));
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  emitVector(inside, loop.getInductionVar());
}

void LateStores::end() {
  held.reset();
  scope.reset();
}

} // namespace zyxc
