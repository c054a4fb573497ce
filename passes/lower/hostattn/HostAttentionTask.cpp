#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/LowerMove.h"
#include "passes/lower/contract/RegisterTile.h"
#include "passes/lower/emit/ContractAxes.h"
#include "passes/lower/hostattn/HostAttentionEmitter.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;

namespace zyxc {

/// Side of the square blocks in which queries are transposed.
static int64_t blockSide(int64_t lanes) {
  return std::min<int64_t>(lanes, 8);
}

HostAttentionEmitter::HostAttentionEmitter(OpBuilder &builder, const AccessTable &table,
                                           const HostAttentionProblem &problem,
                                           const HostAttentionPlan &plan)
    : builder(builder), loc(zyxk::KernelOp(table.kernel()).getLoc()), table(table),
      problem(problem), roles(problem.roles), plan(plan), math(builder, loc),
      queries(roles.query ? table.extent(*roles.query) : 1), keys(table.extent(roles.key)),
      depth(table.extent(roles.depth)), width(roles.width ? table.extent(*roles.width) : 0),
      element(cast<FloatType>(roles.logits.getType())),
      vectorType(VectorType::get(plan.lanes, element)) {}

/// An odd number of vectors.
int64_t HostAttentionEmitter::keyPitch() const {
  return (llvm::divideCeil(depth, plan.lanes) | 1) * plan.lanes;
}

int64_t HostAttentionEmitter::transposedDepth() const {
  return static_cast<int64_t>(llvm::alignTo(depth, blockSide(plan.lanes)));
}

//===- Functions -----------------------------------------------------------------------------===//

void HostAttentionEmitter::createKernel() {
  int64_t panels = plan.panelsPerTask;
  int64_t panel = plan.panel();
  int64_t rows = plan.keyRows + plan.keyBlock;
  std::pair<Value Scratch::*, int64_t> parts[] = {
      {&Scratch::queries, panels * panel * transposedDepth()},
      {&Scratch::queryRows, panel * keyPitch()},
      {&Scratch::scores, rows * plan.scorePitch()},
      {&Scratch::outputs, width ? panels * panel * plan.columns : 0},
      {&Scratch::maxima, panels * panel},
      {&Scratch::sums, panels * panel},
      {&Scratch::factors, plan.lanes},
      {&Scratch::keys, problem.keysInPlace ? 0 : rows * keyPitch()},
      {&Scratch::values, width && !problem.valuesInPlace ? plan.keyBlock * plan.columns : 0},
  };
  auto bytesOf = [&](int64_t elements) {
    return static_cast<int64_t>(llvm::alignTo(elements * (element.getWidth() / 8), 64));
  };
  int64_t bytes = 0;
  for (auto [part, elements] : parts) {
    bytes += bytesOf(elements);
  }
  host = HostKernel::create(builder, table.kernel(), plan.tasks, bytes);
  builder.setInsertionPointToEnd(&host.function.getBody().front());
  int64_t offset = 0;
  for (auto [part, elements] : parts) {
    if (elements > 0) {
      scratch.*part = memref::ViewOp::create(builder, loc, MemRefType::get(elements, element),
                                             host.scratch, math.constant(offset), ValueRange());
    }
    offset += bytesOf(elements);
  }
}

void HostAttentionEmitter::emitTileFunctions() {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(host.function);
  auto create = [&](StringRef suffix, const RegisterTile &tile, Value rows, Value columns,
                    Value sums) {
    Type index = builder.getIndexType();
    Type types[] = {rows.getType(), index, columns.getType(),  index, sums.getType(),
                    index,          index, builder.getI1Type()};
    std::string name = (host.function.getSymName() + suffix).str();
    return emitRegisterTile(builder, loc, name, tile, types);
  };
  RegisterTile tile;
  tile.mr = plan.keyRows;
  tile.nv = plan.queryVectors;
  tile.lanes = plan.lanes;
  tile.rowPitch = problem.keysInPlace ? strideAlong(roles.k, roles.key) : keyPitch();
  tile.stepPitch = problem.keysInPlace ? strideAlong(roles.k, roles.depth) : 1;
  tile.columnPitch = plan.groupQueries();
  tile.sumPitch = plan.scorePitch();
  Value keyMemory = problem.keysInPlace ? host.ports[roles.k.port] : scratch.keys;
  scoreTile = create("_scores", tile, keyMemory, scratch.queries, scratch.scores);
  if (!width) {
    return;
  }
  tile.mr = plan.queryRows;
  tile.nv = plan.widthVectors;
  tile.rowPitch = 1;
  tile.stepPitch = plan.scorePitch();
  tile.columnPitch = problem.valuesInPlace ? strideAlong(roles.v, roles.key) : plan.columns;
  tile.sumPitch = plan.columns;
  tile.start = RegisterTile::Start::Memory;
  Value valueMemory = problem.valuesInPlace ? host.ports[roles.v.port] : scratch.values;
  outputTile = create("_outputs", tile, scratch.scores, valueMemory, scratch.outputs);
}

void HostAttentionEmitter::emit() {
  OpBuilder::InsertionGuard guard(builder);
  createKernel();
  emitTileFunctions();
  expr.emplace(table, host.ports, plan.lanes);
  loop(host.firstTask, host.endTask, 1, [&](Value task) { emitTask(task); });
  func::ReturnOp::create(builder, loc);
}

//===- Tasks ---------------------------------------------------------------------------------===//

int64_t HostAttentionEmitter::strideAlong(const AttentionOperand &operand, unsigned axis) const {
  return *strideOf(table, operand.load, axis);
}

Value HostAttentionEmitter::portOffset(const AttentionOperand &operand) {
  AffineExpr linear = table.accessOf(operand.load).linear;
  zyxk::AxisSet used = zyxk::axesIn(linear, table.numAxes());
  SmallVector<LaneIndex> at(table.numAxes());
  for (unsigned axis : roles.batch) {
    if (zyxk::contains(used, axis)) {
      at[axis] = LaneIndex::uniform(expr->coordinateValue(builder, loc, axis));
    }
  }
  LaneIndexEmitter indices(builder, loc, plan.lanes);
  return indices.first(indices.evaluate(linear, at));
}

HostAttentionEmitter::Panel HostAttentionEmitter::panelAt(Value index) {
  Panel panel;
  panel.index = index;
  Value first = math.mul(index, plan.panel());
  panel.firstQuery = math.add(firstQuery, first);
  panel.count = math.min(math.sub(numQueries, first), plan.panel());
  return panel;
}

/// A task is a block of queries of one point of the batch. Blocks are taken from both ends in turn:
/// where a window makes their cost grow, threads with neighbouring tasks get equal shares.
void HostAttentionEmitter::emitTask(Value task) {
  VectorExpr::Scope scope(*expr);
  SmallVector<int64_t> extents;
  for (unsigned axis : roles.batch) {
    extents.push_back(table.extent(axis));
  }
  extents.push_back(plan.queryBlocks);
  SmallVector<Value> at = math.delinearize(task, extents);
  for (auto [axis, coordinate] : llvm::zip(roles.batch, at)) {
    expr->assign(axis, coordinate);
  }
  Value block = at.back();
  if (problem.window.first || problem.window.last) {
    Value half = math.div(block, 2);
    Value isOdd = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, math.rem(block, 2),
                                        math.constant(0));
    Value fromEnd = math.sub(math.constant(plan.queryBlocks - 1), half);
    block = arith::SelectOp::create(builder, loc, isOdd, fromEnd, half);
  }
  int64_t most = plan.panelsPerTask * plan.panel();
  firstQuery = math.mul(block, most);
  numQueries = math.min(math.sub(math.constant(queries), firstQuery), most);
  Value numPanels = math.div(add(numQueries, plan.panel() - 1), plan.panel());
  keyOffset = problem.keysInPlace ? portOffset(roles.k) : Value();
  valueOffset = problem.valuesInPlace ? portOffset(roles.v) : Value();
  loop(math.constant(0), numPanels, 1, [&](Value index) {
    Panel panel = panelAt(index);
    emitQueries(panel);
    emitInitial(panel);
  });
  Value lo = math.constant(0);
  Value hi = math.constant(keys);
  if (problem.window.first) {
    Value first = greater(add(firstQuery, *problem.window.first), lo);
    lo = math.mul(math.div(first, plan.keyBlock), plan.keyBlock);
  }
  if (problem.window.last) {
    hi = lesser(add(math.add(firstQuery, numQueries), *problem.window.last), hi);
  }
  loop(lo, hi, plan.keyBlock, [&](Value firstKey) {
    emitKeyBlock(firstKey);
    loop(math.constant(0), numPanels, 1,
         [&](Value index) { emitPanelBlock(panelAt(index), firstKey); });
  });
  loop(math.constant(0), numPanels, 1, [&](Value index) { emitEpilogue(panelAt(index)); });
}

//===- Packing -------------------------------------------------------------------------------===//

/// Row r of `memory` is the operand at row `firstRow` + r; the last row is repeated.
void HostAttentionEmitter::emitQueries(const Panel &panel) {
  loop(math.constant(0), math.constant(plan.panel()), 1, [&](Value row) {
    VectorExpr::Scope scope(*expr);
    if (roles.query) {
      expr->assign(*roles.query,
                   lesser(math.add(panel.firstQuery, row), math.constant(queries - 1)));
    }
    Value rowAt = math.mul(row, keyPitch());
    loop(math.constant(0), math.constant(depth), plan.lanes, [&](Value at) {
      VectorExpr::Scope inner(*expr);
      expr->assignLanes(roles.depth, at);
      if (Value mask = lanesBelow(at, depth, plan.lanes)) {
        expr->setLaneMask(mask);
      }
      store(widen(expr->evaluateVector(builder, roles.q.value)), scratch.queryRows,
            math.add(rowAt, at));
    });
  });
  emitTransposed(panel);
}

/// Lanes become queries.
void HostAttentionEmitter::emitTransposed(const Panel &panel) {
  int64_t side = blockSide(plan.lanes);
  int64_t group = plan.groupQueries();
  auto type = VectorType::get(side, element);
  loop(math.constant(0), math.constant(plan.groups), 1, [&](Value g) {
    Value number = math.add(math.mul(panel.index, plan.groups), g);
    Value groupAt = math.mul(number, group * transposedDepth());
    loop(math.constant(0), math.constant(group), side, [&](Value row) {
      Value rowAt = math.mul(math.add(math.mul(g, group), row), keyPitch());
      loop(math.constant(0), math.constant(depth), side, [&](Value step) {
        SmallVector<Value> rows;
        for (int64_t i = 0; i < side; ++i) {
          Value at = add(math.add(rowAt, step), i * keyPitch());
          rows.push_back(vector::LoadOp::create(builder, loc, type, scratch.queryRows, at));
        }
        Value to = math.add(math.add(groupAt, math.mul(step, group)), row);
        for (auto [i, column] : llvm::enumerate(transposeBlocks(builder, loc, rows, side))) {
          store(column, scratch.queries, add(to, static_cast<int64_t>(i) * group));
        }
      });
    });
  });
}

void HostAttentionEmitter::emitInitial(const Panel &panel) {
  Value first = math.mul(panel.index, plan.panel());
  Value zero = splat(constant(0));
  Value lowest = splat(constant(element.isF64() ? -std::numeric_limits<double>::max()
                                                : -std::numeric_limits<float>::max()));
  loop(math.constant(0), math.constant(plan.panel()), plan.lanes, [&](Value at) {
    store(lowest, scratch.maxima, math.add(first, at));
    store(zero, scratch.sums, math.add(first, at));
  });
  if (width) {
    loop(math.constant(0), math.constant(plan.panel() * plan.columns), plan.lanes, [&](Value at) {
      store(zero, scratch.outputs, math.add(math.mul(first, plan.columns), at));
    });
  }
}

/// Rows of an operand along the keys, from row `firstRow` of `memory` on.
void HostAttentionEmitter::emitPack(const AttentionOperand &operand, unsigned column,
                                    Value firstKey, Value memory, int64_t firstRow, int64_t pitch) {
  int64_t columns = table.extent(column);
  Value count = math.min(math.sub(math.constant(keys), firstKey), plan.keyBlock);
  loop(math.constant(0), count, 1, [&](Value row) {
    VectorExpr::Scope scope(*expr);
    expr->assign(roles.key, math.add(firstKey, row));
    expr->prepare(builder, operand.value);
    Value rowAt = math.mul(add(row, firstRow), pitch);
    loop(math.constant(0), math.constant(columns), plan.lanes, [&](Value at) {
      VectorExpr::Scope inner(*expr);
      expr->assignLanes(column, at);
      if (Value mask = lanesBelow(at, columns, plan.lanes)) {
        expr->setLaneMask(mask);
      }
      store(widen(expr->evaluateVector(builder, operand.value)), memory, math.add(rowAt, at));
    });
    for (int64_t at = llvm::alignTo(columns, plan.lanes); memory == scratch.values && at < pitch;
         at += plan.lanes) {
      store(splat(constant(0)), memory, add(rowAt, at));
    }
  });
}

//===- Blocks --------------------------------------------------------------------------------===//

void HostAttentionEmitter::emitKeyBlock(Value firstKey) {
  if (!problem.keysInPlace) {
    emitPack(roles.k, roles.depth, firstKey, scratch.keys, plan.keyRows, keyPitch());
  }
  if (width && !problem.valuesInPlace) {
    emitPack(roles.v, *roles.width, firstKey, scratch.values, 0, plan.columns);
  }
}

void HostAttentionEmitter::emitPanelBlock(Panel panel, Value firstKey) {
  panel.lo = firstKey;
  panel.hi = lesser(add(firstKey, plan.keyBlock), math.constant(keys));
  if (problem.window.first) {
    panel.lo = greater(add(panel.firstQuery, *problem.window.first), panel.lo);
  }
  if (problem.window.last) {
    Value end = math.add(panel.firstQuery, panel.count);
    panel.hi = lesser(add(end, *problem.window.last), panel.hi);
  }
  auto emitAll = [&] {
    emitScores(panel, firstKey);
    emitSoftmax(panel, firstKey);
    if (width) {
      emitOutputs(panel, firstKey);
    }
  };
  if (!problem.window.first && !problem.window.last) {
    emitAll();
    return;
  }
  Value any = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, panel.lo, panel.hi);
  auto branch = scf::IfOp::create(builder, loc, any);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitAll();
}

Value HostAttentionEmitter::scoreRow(Value key, Value firstKey) {
  return math.mul(add(math.sub(key, firstKey), plan.keyRows), plan.scorePitch());
}

/// Scores of all keys that the panel sees, and of some beside them. The last tile of all keys
/// begins so early that it has all of its rows: it may compute some scores again.
void HostAttentionEmitter::emitScores(const Panel &panel, Value firstKey) {
  Value skipped = math.div(math.sub(panel.lo, firstKey), plan.keyRows);
  Value first = math.add(firstKey, math.mul(skipped, plan.keyRows));
  Value isFirst = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  loop(first, panel.hi, plan.keyRows, [&](Value key) {
    if (keys % plan.keyRows != 0) {
      key = lesser(key, math.constant(keys - plan.keyRows));
    }
    Value memory = problem.keysInPlace ? host.ports[roles.k.port] : scratch.keys;
    Value rowsAt = problem.keysInPlace
                       ? math.add(keyOffset, math.mul(key, strideAlong(roles.k, roles.key)))
                       : math.mul(add(math.sub(key, firstKey), plan.keyRows), keyPitch());
    Value sumsAt = scoreRow(key, firstKey);
    loop(math.constant(0), math.constant(plan.groups), 1, [&](Value g) {
      Value number = math.add(math.mul(panel.index, plan.groups), g);
      Value columnsAt = math.mul(number, plan.groupQueries() * transposedDepth());
      Value operands[] = {memory,
                          rowsAt,
                          scratch.queries,
                          columnsAt,
                          scratch.scores,
                          math.add(sumsAt, math.mul(g, plan.groupQueries())),
                          math.constant(depth),
                          isFirst};
      func::CallOp::create(builder, loc, scoreTile, operands);
    });
  });
}

/// Adds the values of all keys that the panel sees, by their weights.
void HostAttentionEmitter::emitOutputs(const Panel &panel, Value firstKey) {
  Value isFirst = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
  Value memory = problem.valuesInPlace ? host.ports[roles.v.port] : scratch.values;
  Value valuesAt = problem.valuesInPlace
                       ? math.add(valueOffset, math.mul(panel.lo, strideAlong(roles.v, roles.key)))
                       : math.mul(math.sub(panel.lo, firstKey), plan.columns);
  Value weightsAt = scoreRow(panel.lo, firstKey);
  Value count = math.sub(panel.hi, panel.lo);
  Value firstRow = math.mul(panel.index, plan.panel());
  loop(math.constant(0), panel.count, plan.queryRows, [&](Value row) {
    Value outputsAt = math.mul(math.add(firstRow, row), plan.columns);
    int64_t step = plan.widthVectors * plan.lanes;
    loop(math.constant(0), math.constant(plan.columns), step, [&](Value column) {
      Value operands[] = {
          scratch.scores,  math.add(weightsAt, row),    memory, math.add(valuesAt, column),
          scratch.outputs, math.add(outputsAt, column), count,  isFirst};
      func::CallOp::create(builder, loc, outputTile, operands);
    });
  });
}

} // namespace zyxc
