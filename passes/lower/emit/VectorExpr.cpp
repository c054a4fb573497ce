// Scopes, elementwise ops, guards. Loads and stores are in VectorMemory.cpp, reductions in
// VectorReduce.cpp.
#include "passes/lower/emit/VectorExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "passes/lower/emit/VectorFrame.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

VectorExpr::VectorExpr(const AccessTable &table, ArrayRef<Value> ports, int64_t width,
                       LaneStyle style)
    : accessTable(table), ports(ports),
      numLanes(style == LaneStyle::Thread && width == 1 ? 0 : width), style(style) {
  enter();
}

VectorExpr::~VectorExpr() = default;

//===- Scopes --------------------------------------------------------------------------------===//

void VectorExpr::enter() {
  frames.push_back(std::make_shared<Frame>());
}

void VectorExpr::enter(Held &held) {
  if (!held.frame) {
    held.frame = std::make_shared<Frame>();
  }
  frames.push_back(held.frame);
}

void VectorExpr::leave() {
  frames.pop_back();
}

void VectorExpr::assign(unsigned axis, Value index, int64_t divisor, int64_t offset) {
  APInt value;
  bool isConstant = matchPattern(index, m_ConstantInt(&value));
  LaneIndex &own = top().coordinates[axis];
  own = isConstant ? LaneIndex::constant(value.getSExtValue()) : LaneIndex::uniform(index, divisor);
  own.offset += offset;
  top().assigned |= axisBit(axis);
}

void VectorExpr::assignLanes(unsigned axis, Value base, int64_t step, int64_t divisor) {
  top().coordinates[axis] = LaneIndex::strided(base, step, divisor);
  top().assigned |= axisBit(axis);
  top().hasLanes = true;
}

void VectorExpr::assignLanes(unsigned axis, Value base, Value lanes) {
  top().coordinates[axis] = {base, 0, 0, lanes};
  top().assigned |= axisBit(axis);
  top().hasLanes = true;
}

void VectorExpr::assignFlattened(OpBuilder &builder, ArrayRef<unsigned> axes, Value first,
                                 int64_t divisor) {
  LaneIndexEmitter emit(builder, first.getLoc(), numLanes);
  LaneIndex flat = LaneIndex::strided(first, 1, divisor);
  top().flattened.assign(axes.begin(), axes.end());
  top().flat = flat;
  for (unsigned axis : llvm::reverse(axes)) {
    int64_t extent = accessTable.extent(axis);
    LaneIndex coordinate = axis == axes.front() ? flat : emit.mod(flat, extent);
    flat = axis == axes.front() ? flat : emit.floorDiv(flat, extent);
    top().coordinates[axis] = coordinate;
    top().assigned |= axisBit(axis);
  }
  top().hasLanes = true;
}

void VectorExpr::setLaneMask(Value mask) {
  top().mask = mask;
}

Value VectorExpr::lanesBelow(OpBuilder &builder, Location loc, unsigned axis, Value at) const {
  LaneIndexEmitter emit = indices(builder, loc);
  LaneIndex lanes = emit.scale(LaneIndex::strided(at, 1), -1);
  if (!accessTable.hasConstantExtent(axis)) {
    LaneIndex last = LaneIndex::uniform(sizes->atLeast(0, accessTable.sizeOf(axis)));
    last.offset = -1;
    return emit.holdsWide(emit.add(last, lanes), /*equality=*/false);
  }
  int64_t extent = accessTable.extent(axis);
  LaneIndex left = emit.add(LaneIndex::constant(extent - 1), lanes);
  return emit.holds(left, /*equality=*/false, /*narrow=*/extent < INT32_MAX - width());
}

void VectorExpr::bind(Value bodyValue, Value value) {
  top().bound[bodyValue] = value;
}

LaneIndex VectorExpr::coordinate(unsigned axis) const {
  for (const auto &frame : llvm::reverse(frames)) {
    auto at = frame->coordinates.find(axis);
    if (at != frame->coordinates.end()) {
      return at->second;
    }
  }
  assert(accessTable.extent(axis) == 1 && "an axis has no coordinate");
  return {};
}

bool VectorExpr::hasLanes(AxisSet axes) const {
  for (unsigned axis = 0; axis < accessTable.numAxes(); ++axis) {
    if (contains(axes, axis) && !coordinate(axis).isUniform()) {
      return true;
    }
  }
  return false;
}

AxisSet VectorExpr::assignedAxes() const {
  AxisSet set = 0;
  for (const auto &frame : frames) {
    set |= frame->assigned;
  }
  return set;
}

Value VectorExpr::laneMask() const {
  for (const auto &frame : llvm::reverse(frames)) {
    if (frame->mask || frame->hasLanes) {
      return frame->mask;
    }
  }
  return {};
}

VectorExpr::Key VectorExpr::keyOf(Value bodyValue) const {
  return {bodyValue, accessTable.isSafe(bodyValue) ? Value() : guard};
}

Value VectorExpr::lookup(Value bodyValue) const {
  AxisSet axes = accessTable.axesOf(bodyValue);
  Key key = keyOf(bodyValue);
  for (const auto &frame : llvm::reverse(frames)) {
    if (Value bound = frame->bound.lookup(bodyValue)) {
      return bound;
    }
    auto at = frame->values.find(key);
    if (at != frame->values.end()) {
      return at->second;
    }
    // Further out, these axes had other coordinates.
    if ((axes & frame->assigned) != 0) {
      return {};
    }
  }
  return {};
}

Value VectorExpr::splat(OpBuilder &builder, Value value) const {
  if (numLanes == 0 || isa<VectorType>(value.getType())) {
    return value;
  }
  auto type = VectorType::get({numLanes}, value.getType());
  return vector::BroadcastOp::create(builder, value.getLoc(), type, value);
}

//===- Evaluation ----------------------------------------------------------------------------===//

static bool isElementwiseOp(Operation *op) {
  return op && !isa<LoadOp, WhereOp, IndexOp, DimOp, ReduceOp, ContractOp, FoldOp>(op);
}

Value VectorExpr::evaluate(OpBuilder &builder, Value bodyValue) {
  if (Value known = lookup(bodyValue)) {
    return known;
  }
  // Chains of elementwise ops are walked with a list, so that their length costs no stack.
  SmallVector<Operation *> pending = {bodyValue.getDefiningOp()};
  while (!pending.empty()) {
    Operation *op = pending.back();
    if (lookup(op->getResult(0))) {
      pending.pop_back();
      continue;
    }
    if (Value held = holder ? holder->load(builder, op) : Value()) {
      top().values[keyOf(op->getResult(0))] = held;
      pending.pop_back();
      continue;
    }
    size_t before = pending.size();
    for (Value operand : isElementwiseOp(op) ? op->getOperands() : ValueRange()) {
      if (!lookup(operand)) {
        pending.push_back(operand.getDefiningOp());
      }
    }
    if (pending.size() == before) {
      Key key = keyOf(op->getResult(0));
      Value value = compute(builder, op);
      top().values[key] = value;
      if (holder) {
        holder->computed(builder, op, value);
      }
      pending.pop_back();
    }
  }
  return lookup(bodyValue);
}

Value VectorExpr::evaluateVector(OpBuilder &builder, Value bodyValue) {
  return splat(builder, evaluate(builder, bodyValue));
}

Value VectorExpr::compute(OpBuilder &builder, Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op)) {
    return computeLoad(builder, load);
  }
  if (auto where = dyn_cast<WhereOp>(op)) {
    return computeWhere(builder, where);
  }
  if (auto index = dyn_cast<IndexOp>(op)) {
    return computeIndex(builder, index);
  }
  if (auto dim = dyn_cast<DimOp>(op)) {
    return sizes->valueOf(getAffineSymbolExpr(dim.getDim(), dim.getContext()));
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    return computeReduce(builder, reduce);
  }
  if (auto fold = dyn_cast<FoldOp>(op)) {
    return computeFold(builder, fold);
  }
  assert(!isa<ContractOp>(op) && "a contract has to be bound");
  return computeElementwise(builder, op);
}

Value VectorExpr::computeElementwise(OpBuilder &builder, Operation *op) {
  SmallVector<Value> operands;
  bool isVector = false;
  for (Value operand : op->getOperands()) {
    operands.push_back(lookup(operand));
    isVector |= isa<VectorType>(operands.back().getType());
  }
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : operands) {
    state.addOperands(isVector ? splat(builder, operand) : operand);
  }
  Type type = op->getResult(0).getType();
  state.addTypes(isVector ? VectorType::get({numLanes}, type) : type);
  state.addAttributes(op->getAttrDictionary().getValue());
  return builder.create(state)->getResult(0);
}

Value VectorExpr::coordinateValue(OpBuilder &builder, Location loc, unsigned axis) {
  LaneIndexEmitter emit(builder, loc, numLanes);
  LaneIndex at = coordinate(axis);
  return at.isUniform() ? emit.first(at) : emit.vector(at);
}

Value VectorExpr::computeIndex(OpBuilder &builder, IndexOp index) {
  return coordinateValue(builder, index.getLoc(), index.getAxis());
}

//===- where ---------------------------------------------------------------------------------===//

static Value both(OpBuilder &builder, Location loc, Value a, Value b) {
  if (!a || !b) {
    return a ? a : b;
  }
  return arith::AndIOp::create(builder, loc, a, b);
}

AffineExpr VectorExpr::withConstants(AffineExpr expr) const {
  SmallVector<AffineExpr> dims;
  AxisSet used = axesIn(expr, accessTable.numAxes());
  for (unsigned axis = 0; axis < accessTable.numAxes(); ++axis) {
    dims.push_back(getAffineDimExpr(axis, expr.getContext()));
    if (contains(used, axis) && coordinate(axis).isConstant()) {
      dims.back() = getAffineConstantExpr(coordinate(axis).offset, expr.getContext());
    }
  }
  return expr.replaceDims(dims);
}

std::pair<Value, Value> VectorExpr::conditionOf(OpBuilder &builder, Location loc, IntegerSet set) {
  LaneIndexEmitter emit = indices(builder, loc);
  Value uniform;
  Value lanes;
  for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
    AffineExpr expr = withConstants(set.getConstraint(i));
    if (accessTable.alwaysHolds(expr, set.isEq(i))) {
      continue;
    }
    std::optional<IndexRange> range = accessTable.rangeOf(expr);
    bool narrow = range && range->first > INT32_MIN && range->second < INT32_MAX;
    LaneIndex value = evaluateIndex(builder, loc, expr, {});
    Value holds = accessTable.isOpen() && !narrow ? emit.holdsWide(value, set.isEq(i))
                                                  : emit.holds(value, set.isEq(i), narrow);
    Value &part = value.isUniform() ? uniform : lanes;
    part = both(builder, loc, part, holds);
  }
  return {uniform, lanes};
}

Value VectorExpr::computeWhere(OpBuilder &builder, WhereOp where) {
  auto [uniform, lanes] = conditionOf(builder, where.getLoc(), accessTable.setOf(where));
  if (style == LaneStyle::Thread) {
    return selectWhere(builder, where, uniform, lanes);
  }
  if (!uniform) {
    return computeMasked(builder, where, lanes);
  }
  return computeBranch(builder, where, uniform, lanes);
}

Value VectorExpr::computeMasked(OpBuilder &builder, WhereOp where, Value mask) {
  if (!mask) {
    return evaluate(builder, where.getValue());
  }
  Value outer = guard;
  if (!accessTable.isSafe(where.getValue())) {
    guard = both(builder, where.getLoc(), outer, mask);
  }
  Value value = evaluateVector(builder, where.getValue());
  guard = outer;
  Value otherwise = evaluateVector(builder, where.getOtherwise());
  return arith::SelectOp::create(builder, where.getLoc(), mask, value, otherwise);
}

Value VectorExpr::computeBranch(OpBuilder &builder, WhereOp where, Value condition, Value mask) {
  bool isVector = mask || hasLanes(accessTable.axesOf(where.getValue())) ||
                  hasLanes(accessTable.axesOf(where.getOtherwise()));
  auto finish = [&](OpBuilder &b, Value value) {
    scf::YieldOp::create(b, where.getLoc(), isVector ? splat(b, value) : value);
  };
  Type type = where.getType();
  auto branch = scf::IfOp::create(builder, where.getLoc(),
                                  isVector ? VectorType::get({numLanes}, type) : type, condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  ++branchDepth;
  {
    Scope scope(*this);
    OpBuilder inside = OpBuilder::atBlockEnd(branch.thenBlock());
    finish(inside, computeMasked(inside, where, mask));
  }
  Scope scope(*this);
  OpBuilder inside = OpBuilder::atBlockEnd(branch.elseBlock());
  finish(inside, evaluate(inside, where.getOtherwise()));
  --branchDepth;
  return branch.getResult(0);
}

//===- Hoisting ------------------------------------------------------------------------------===//

void VectorExpr::prepare(OpBuilder &builder, Value bodyValue) {
  DenseSet<Value> seen;
  prepareIn(builder, bodyValue, assignedAxes(), /*guarded=*/false, seen);
}

void VectorExpr::prepareIn(OpBuilder &builder, Value bodyValue, AxisSet available, bool guarded,
                           DenseSet<Value> &seen) {
  SmallVector<std::pair<Value, bool>> work = {{bodyValue, guarded}};
  while (!work.empty()) {
    auto [value, isGuarded] = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumOperands() == 0 || isa<ContractOp, ExpsumOp>(op) ||
        !seen.insert(value).second) {
      continue;
    }
    bool fixed = (accessTable.axesOf(value) & ~available) == 0;
    if (fixed && (!isGuarded || accessTable.isSafe(value))) {
      evaluate(builder, value);
      continue;
    }
    for (Value operand : op->getOperands()) {
      bool below = isa<WhereOp>(op) && operand == cast<WhereOp>(op).getValue();
      if (!isa<PortType>(operand.getType())) {
        work.push_back({operand, isGuarded || below});
      }
    }
  }
}

} // namespace zyxc
