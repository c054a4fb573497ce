#include "passes/lower/attention/SimtAttention.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/lower/emit/VectorExpr.h"
#include "passes/lower/tile/SimtTile.h"
#include "llvm/Support/MathExtras.h"
#include <cfloat>
#include <limits>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Static workgroup memory: what every launch may have.
static constexpr int64_t staticShared = 48 * 1024;

std::optional<SimtAttentionPlan> SimtAttentionPlan::make(const AccessTable &table,
                                                         const AttentionRoles &roles,
                                                         const Target &target,
                                                         std::string &obstacle) {
  int64_t depth = table.extent(roles.depth);
  int64_t bytes = roles.logits.getType().getIntOrFloatBitWidth() / 8;
  int64_t limit = std::min<int64_t>(static_cast<int64_t>(target.sharedBytes), staticShared);
  SimtAttentionPlan plan;
  plan.stageColumns = std::max(depth, roles.width ? table.extent(*roles.width) : 0);
  // Outputs of a thread, above which it takes fewer rows.
  constexpr int64_t mostOutputs = 64;
  while (plan.rows > 1 && plan.rows * plan.stageColumns / team > mostOutputs) {
    plan.rows /= 2;
  }
  while (plan.elements(depth) * bytes > limit) {
    if (plan.keys > 1 && plan.keys >= plan.rows) {
      plan.keys /= 2;
    } else if (plan.rows > 1) {
      plan.rows /= 2;
    } else {
      obstacle = "heads of " + std::to_string(plan.stageColumns) + " columns do not fit in " +
                 std::to_string(limit) + " bytes of workgroup memory";
      return std::nullopt;
    }
  }
  return plan;
}

namespace {

class SimtAttention {
public:
  SimtAttention(const AccessTable &table, const AttentionRoles &roles,
                std::optional<IntegerSet> domain, const SimtAttentionPlan &plan, GpuLaunch &launch,
                const Target &target)
      : table(table), roles(roles), domain(domain), plan(plan),
        loc(KernelOp(table.kernel()).getLoc()), builder(launch.atEnd()), tile(launch, target, loc),
        expr(table, launch.ports, 1, LaneStyle::Thread),
        type(cast<FloatType>(roles.logits.getType())), queries(extentOf(roles.query)),
        keys(table.extent(roles.key)), depth(table.extent(roles.depth)),
        width(roles.width ? table.extent(*roles.width) : 0) {}

  /// Emits all tiles, at least one.
  void emit(int64_t tiles);

private:
  using Values = SmallVector<Value>;

  int64_t extentOf(std::optional<unsigned> axis) const { return axis ? table.extent(*axis) : 1; }
  void emitTile(Value index);
  Values emitKeyTile(Value firstKey, ValueRange state);
  /// Fills `rows` x `columns` of a stage with a body value at rows `firstRow` + r, columns c.
  void stage(Value body, std::optional<unsigned> rowAxis, Value firstRow, int64_t extent,
             int64_t rows, unsigned columnAxis, int64_t columns, Stage to);
  Values emitScores();
  void emitLogits(MutableArrayRef<Value> scores, Value firstKey);
  Value emitWeights(unsigned row, MutableArrayRef<Value> logits, Value &maximum, Value &sum);
  void emitOutputs(MutableArrayRef<Value> outputs);
  void emitEpilogue(ValueRange state);
  void emitRow(unsigned row, Value maximum, Value sum, ValueRange outputs);

  /// The axes' set of the domain at the current coordinates; null if it always holds.
  Value insideDomain(Value key);
  Value loadOf(Stage stage, Value at) { return memref::LoadOp::create(builder, loc, stage, at); }
  void storeTo(Stage stage, Value value, Value at) {
    memref::StoreOp::create(builder, loc, value, stage, at);
  }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value constant(double value) {
    return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, value));
  }
  Value add(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
  Value add(Value a, int64_t b) { return b == 0 ? a : add(a, index(b)); }
  Value mul(Value a, int64_t b) { return builder.createOrFold<arith::MulIOp>(loc, a, index(b)); }
  Value fadd(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
  Value fsub(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
  Value fmul(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }
  Value fma(Value a, Value b, Value c) { return math::FmaOp::create(builder, loc, a, b, c); }
  Value fmax(Value a, Value b) { return arith::MaxNumFOp::create(builder, loc, a, b); }
  Value exp(Value x) { return math::ExpOp::create(builder, loc, x); }
  Value less(Value a, int64_t b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, a, index(b));
  }
  /// Coordinates outside of an axis are moved to its end: what is read there is not used.
  Value inside(Value at, int64_t extent, int64_t step) {
    return extent % step == 0 ? at : arith::MinUIOp::create(builder, loc, at, index(extent - 1));
  }
  Value widen(Value value);
  Values loop(Value from, Value to, int64_t step, ValueRange init,
              llvm::function_ref<Values(Value, ValueRange)> body);
  int64_t outputsOfRow() const { return llvm::divideCeil(width, SimtAttentionPlan::team); }
  Value rowOf(unsigned row) { return add(group, plan.groups * row); }

  const AccessTable &table;
  const AttentionRoles &roles;
  std::optional<IntegerSet> domain;
  const SimtAttentionPlan &plan;
  Location loc;
  OpBuilder builder;
  SimtTile tile;
  VectorExpr expr;
  FloatType type;
  int64_t queries, keys, depth, width;
  Stage queryStage, keyStage, weightStage;
  Value group, member; ///< of this thread: its first row, its place among the threads of a row
  Value firstRow;      ///< query
  Value active;        ///< null, or whether this workgroup has a tile of its own
};

} // namespace

SimtAttention::Values SimtAttention::loop(Value from, Value to, int64_t step, ValueRange init,
                                          llvm::function_ref<Values(Value, ValueRange)> body) {
  auto op = scf::ForOp::create(builder, loc, from, to, index(step), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.getBody());
  Values next = body(op.getInductionVar(), op.getRegionIterArgs());
  if (!init.empty()) {
    scf::YieldOp::create(builder, loc, next);
  }
  return Values(op.getResults());
}

/// A factor in the type of the sums.
Value SimtAttention::widen(Value value) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  if (isa<FloatType>(value.getType()) && from < type.getWidth()) {
    return arith::ExtFOp::create(builder, loc, type, value);
  }
  return value;
}

void SimtAttention::emit(int64_t tiles) {
  Team team{SimtAttentionPlan::team, 1};
  queryStage = tile.stageAlloc(builder, type, plan.queryTile() * depth);
  keyStage = tile.stageAlloc(builder, type, plan.keyTile() * plan.stageColumns);
  weightStage = tile.stageAlloc(builder, type, plan.queryTile() * plan.keyTile());
  group = tile.teamIndex(builder, team);
  member = tile.member(builder, team);
  tile.tileLoop(builder, tiles, [&](OpBuilder &, Value at, Value isActive) {
    active = isActive;
    emitTile(at);
  });
}

void SimtAttention::emitTile(Value at) {
  VectorExpr::Scope scope(expr);
  auto split = [&](Value value, int64_t by) {
    return std::pair(builder.createOrFold<arith::DivUIOp>(loc, value, index(by)),
                     builder.createOrFold<arith::RemUIOp>(loc, value, index(by)));
  };
  auto [batch, queryTile] = split(at, llvm::divideCeil(queries, plan.queryTile()));
  for (unsigned axis : llvm::reverse(roles.batch)) {
    auto [outer, inner] = split(batch, table.extent(axis));
    expr.assign(axis, inner);
    batch = outer;
  }
  firstRow = mul(queryTile, plan.queryTile());
  stage(roles.q.value, roles.query, firstRow, queries, plan.queryTile(), roles.depth, depth,
        queryStage);
  // Per row: maximum, sum, outputs.
  Values state;
  for (int64_t row = 0; row < plan.rows; ++row) {
    state.push_back(constant(type.isF64() ? -DBL_MAX : -FLT_MAX));
    state.append(1 + outputsOfRow(), constant(0));
  }
  Values last = loop(index(0), index(keys), plan.keyTile(), state,
                     [&](Value key, ValueRange now) { return emitKeyTile(key, now); });
  emitEpilogue(last);
}

void SimtAttention::stage(Value body, std::optional<unsigned> rowAxis, Value first, int64_t extent,
                          int64_t rows, unsigned columnAxis, int64_t columns, Stage to) {
  Value thread = tile.thread(builder);
  loop(thread, index(rows * columns), plan.threads(), {}, [&](Value at, ValueRange) -> Values {
    VectorExpr::Scope scope(expr);
    Value row = arith::DivUIOp::create(builder, loc, at, index(columns));
    Value column = arith::RemUIOp::create(builder, loc, at, index(columns));
    if (rowAxis) {
      expr.assign(*rowAxis, inside(add(first, row), extent, rows));
    }
    expr.assign(columnAxis, column);
    storeTo(to, widen(expr.evaluate(builder, body)), at);
    return {};
  });
}

SimtAttention::Values SimtAttention::emitKeyTile(Value firstKey, ValueRange state) {
  int64_t perRow = 2 + outputsOfRow();
  stage(roles.k.value, roles.key, firstKey, keys, plan.keyTile(), roles.depth, depth, keyStage);
  tile.barrier(builder);
  Values scores = emitScores();
  emitLogits(scores, firstKey);
  Values next;
  Values outputs;
  for (unsigned row = 0; row < plan.rows; ++row) {
    Value maximum = state[row * perRow];
    Value sum = state[row * perRow + 1];
    Value factor = emitWeights(
        row, MutableArrayRef<Value>(scores).slice(row * plan.keys, plan.keys), maximum, sum);
    next.append({maximum, sum});
    next.append(outputsOfRow(), Value());
    for (Value output : state.slice(row * perRow + 2, outputsOfRow())) {
      outputs.push_back(fmul(output, factor));
    }
  }
  // Keys are no longer read, weights are there.
  tile.barrier(builder);
  if (width > 0) {
    stage(roles.v.value, roles.key, firstKey, keys, plan.keyTile(), *roles.width, width, keyStage);
    tile.barrier(builder);
    emitOutputs(outputs);
    tile.barrier(builder);
  }
  for (unsigned row = 0; row < plan.rows; ++row) {
    for (int64_t i = 0; i < outputsOfRow(); ++i) {
      next[row * perRow + 2 + i] = outputs[row * outputsOfRow() + i];
    }
  }
  return next;
}

SimtAttention::Values SimtAttention::emitScores() {
  Values zero(plan.rows * plan.keys, constant(0));
  return loop(index(0), index(depth), 1, zero, [&](Value at, ValueRange sums) -> Values {
    Values a;
    Values b;
    for (unsigned row = 0; row < plan.rows; ++row) {
      a.push_back(loadOf(queryStage, add(mul(rowOf(row), depth), at)));
    }
    for (unsigned key = 0; key < plan.keys; ++key) {
      Value own = add(member, SimtAttentionPlan::team * key);
      b.push_back(loadOf(keyStage, add(mul(own, depth), at)));
    }
    Values next;
    for (unsigned i = 0; i < sums.size(); ++i) {
      next.push_back(fma(a[i / plan.keys], b[i % plan.keys], sums[i]));
    }
    return next;
  });
}

Value SimtAttention::insideDomain(Value key) {
  Value holds;
  auto also = [&](Value condition) {
    holds = holds ? arith::AndIOp::create(builder, loc, holds, condition).getResult() : condition;
  };
  if (keys % plan.keyTile() != 0) {
    also(less(key, keys));
  }
  if (!domain) {
    return holds;
  }
  LaneIndexEmitter indices(builder, loc, 1);
  SmallVector<LaneIndex> axes(table.numAxes());
  AxisSet used = axesIn(*domain, table.numAxes());
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (contains(used, axis)) {
      axes[axis] = LaneIndex::uniform(expr.coordinateValue(builder, loc, axis));
    }
  }
  for (unsigned i = 0; i < domain->getNumConstraints(); ++i) {
    LaneIndex value = indices.evaluate(domain->getConstraint(i), axes);
    also(indices.holds(value, domain->isEq(i), /*narrow=*/false));
  }
  return holds;
}

/// The scores as logits; -inf outside of the domain.
void SimtAttention::emitLogits(MutableArrayRef<Value> scores, Value firstKey) {
  Value none = constant(-std::numeric_limits<double>::infinity());
  for (unsigned row = 0; row < plan.rows; ++row) {
    VectorExpr::Scope rowScope(expr);
    if (roles.query) {
      expr.assign(*roles.query, inside(add(firstRow, rowOf(row)), queries, plan.queryTile()));
    }
    for (unsigned i = 0; i < plan.keys; ++i) {
      VectorExpr::Scope scope(expr);
      Value key = add(firstKey, add(member, SimtAttentionPlan::team * i));
      expr.assign(roles.key, inside(key, keys, plan.keyTile()));
      Value &score = scores[row * plan.keys + i];
      expr.bind(roles.scores, score);
      Value holds = insideDomain(key);
      if (!holds) {
        score = expr.evaluate(builder, roles.logits);
        continue;
      }
      // Loads of the logits may rely on the domain.
      auto branch = scf::IfOp::create(builder, loc, type, holds, true, true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(builder, loc, expr.evaluate(builder, roles.logits));
      builder.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(builder, loc, none);
      score = branch.getResult(0);
    }
  }
}

/// Stores the weights of a row; updates its maximum and this thread's part of its sum. Returns the
/// factor of what was summed before.
Value SimtAttention::emitWeights(unsigned row, MutableArrayRef<Value> logits, Value &maximum,
                                 Value &sum) {
  Value largest = logits.front();
  for (Value logit : logits.drop_front()) {
    largest = fmax(largest, logit);
  }
  auto combine = [&](OpBuilder &at, ValueRange a, ValueRange b) -> Values {
    return {arith::MaxNumFOp::create(at, loc, a.front(), b.front())};
  };
  largest = tile.fragReduce(builder, {SimtAttentionPlan::team, 1}, largest, combine).front();
  largest = fmax(largest, maximum);
  Value factor = exp(fsub(maximum, largest));
  sum = fmul(sum, factor);
  for (auto [i, logit] : llvm::enumerate(logits)) {
    Value weight = exp(fsub(logit, largest));
    sum = fadd(sum, weight);
    Value column = add(member, SimtAttentionPlan::team * static_cast<int64_t>(i));
    storeTo(weightStage, weight, add(mul(rowOf(row), plan.keyTile()), column));
  }
  maximum = largest;
  return factor;
}

void SimtAttention::emitOutputs(MutableArrayRef<Value> outputs) {
  Values sums(outputs);
  Values last = loop(index(0), index(plan.keyTile()), 1, sums, [&](Value key, ValueRange now) {
    Values values;
    for (int64_t i = 0; i < outputsOfRow(); ++i) {
      Value column =
          inside(add(member, SimtAttentionPlan::team * i), width, SimtAttentionPlan::team);
      values.push_back(loadOf(keyStage, add(mul(key, width), column)));
    }
    Values next;
    for (unsigned row = 0; row < plan.rows; ++row) {
      Value weight = loadOf(weightStage, add(mul(rowOf(row), plan.keyTile()), key));
      for (int64_t i = 0; i < outputsOfRow(); ++i) {
        next.push_back(fma(weight, values[i], now[row * outputsOfRow() + i]));
      }
    }
    return next;
  });
  llvm::copy(last, outputs.begin());
}

void SimtAttention::emitEpilogue(ValueRange state) {
  int64_t perRow = 2 + outputsOfRow();
  auto combine = [&](OpBuilder &at, ValueRange a, ValueRange b) -> Values {
    return {arith::AddFOp::create(at, loc, a.front(), b.front())};
  };
  for (unsigned row = 0; row < plan.rows; ++row) {
    Value sum =
        tile.fragReduce(builder, {SimtAttentionPlan::team, 1}, state[row * perRow + 1], combine)
            .front();
    // A row that saw no logit but -inf.
    Value empty = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, sum, constant(0));
    Value none = constant(-std::numeric_limits<double>::infinity());
    Value maximum = arith::SelectOp::create(builder, loc, empty, none, state[row * perRow]);
    Value stored = less(add(firstRow, rowOf(row)), queries);
    if (active) {
      stored = arith::AndIOp::create(builder, loc, stored, active);
    }
    auto branch = scf::IfOp::create(builder, loc, stored, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    emitRow(row, maximum, sum, state.slice(row * perRow + 2, outputsOfRow()));
  }
}

void SimtAttention::emitRow(unsigned row, Value maximum, Value sum, ValueRange outputs) {
  VectorExpr::Scope rowScope(expr);
  if (roles.query) {
    expr.assign(*roles.query, add(firstRow, rowOf(row)));
  }
  expr.bind(roles.maximum, maximum);
  if (roles.sum) {
    expr.bind(roles.sum, sum);
  }
  auto storeIf = [&](Value condition, bool wide) {
    VectorExpr::Scope scope(expr);
    scf::IfOp branch;
    OpBuilder::InsertionGuard guard(builder);
    if (condition) {
      branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    for (StoreOp store : roles.stores) {
      if (wide == (roles.width && contains(table.domainOf(store), *roles.width))) {
        expr.emitStore(builder, store);
      }
    }
  };
  storeIf(less(member, 1), /*wide=*/false);
  for (auto [i, output] : llvm::enumerate(outputs)) {
    VectorExpr::Scope scope(expr);
    int64_t first = SimtAttentionPlan::team * static_cast<int64_t>(i);
    Value column = add(member, first);
    expr.assign(*roles.width, column);
    expr.bind(roles.output, output);
    bool whole = first + SimtAttentionPlan::team <= width;
    storeIf(whole ? Value() : less(column, width), /*wide=*/true);
  }
}

void emitSimtAttention(const AccessTable &table, const AttentionRoles &roles,
                       std::optional<IntegerSet> domain, const SimtAttentionPlan &plan,
                       const Target &target) {
  GpuModule module(table.kernel(), target);
  int64_t queries = roles.query ? table.extent(*roles.query) : 1;
  int64_t tiles = llvm::divideCeil(queries, plan.queryTile());
  for (unsigned axis : roles.batch) {
    tiles *= table.extent(axis);
  }
  GpuLaunch launch = module.addLaunch(std::max<int64_t>(tiles, 1), plan.threads());
  // Else ptxas spills for more workgroups than are worth it.
  constexpr int64_t workgroupsWanted = 4;
  launch.function->setAttr(minBlocksAttrName,
                           OpBuilder(table.kernel()).getI64IntegerAttr(workgroupsWanted));
  if (tiles > 0) {
    SimtAttention(table, roles, domain, plan, launch, target).emit(tiles);
  }
}

} // namespace zyxc
