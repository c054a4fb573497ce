#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/contract/LowerContractEmitter.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace zyxc {

/// Operands are extended to the compute type while they are packed; integers are signed, as
/// contract says.
Value ContractEmitter::toCompute(Value value) {
  auto type = cast<VectorType>(value.getType());
  Type from = type.getElementType();
  if (from == element) {
    return value;
  }
  VectorType to = type.clone(element);
  unsigned width = element.getIntOrFloatBitWidth();
  if (isa<FloatType>(from)) {
    return from.getIntOrFloatBitWidth() < width
               ? arith::ExtFOp::create(builder, loc, to, value).getResult()
               : arith::TruncFOp::create(builder, loc, to, value).getResult();
  }
  if (from.getIntOrFloatBitWidth() > width) {
    return arith::TruncIOp::create(builder, loc, to, value);
  }
  return from.isInteger(1) ? arith::ExtUIOp::create(builder, loc, to, value).getResult()
                           : arith::ExtSIOp::create(builder, loc, to, value).getResult();
}

/// The lanes whose index first + lane is below `limit`.
Value ContractEmitter::laneMask(Value first, Value limit, int64_t lanes) {
  auto type = VectorType::get(lanes, builder.getI32Type());
  SmallVector<int32_t> numbers(lanes);
  for (int64_t i = 0; i < lanes; ++i) {
    numbers[i] = static_cast<int32_t>(i);
  }
  Value lane =
      arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef(numbers)));
  Value left = math.sub(limit, first);
  left = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), left);
  left = vector::BroadcastOp::create(builder, loc, type, left);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, lane, left);
}

/// Coordinates of the axes that a task fixes. A coordinate may be null if the value does not use
/// it.
void ContractEmitter::assignTask(VectorExpr &expr, const TaskBlock &task, bool withOuter) const {
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (table.extent(axis) == 1) {
      expr.assign(axis, math.constant(0));
    }
  }
  for (auto [axis, coordinate] : llvm::zip_equal(roles.batch, task.batch)) {
    if (coordinate) {
      expr.assign(axis, coordinate);
    }
  }
  if (withOuter) {
    for (auto [axis, coordinate] : llvm::zip_equal(roles.outer, task.outer)) {
      expr.assign(axis, coordinate);
    }
  }
}

void ContractEmitter::emitSumLoops(ArrayRef<VectorExpr *> exprs, Value bodyValue,
                                   const SumBlock &sum, int64_t lastStep,
                                   llvm::function_ref<void(Value, Value)> body) {
  auto assign = [&](unsigned axis, Value coordinate) {
    for (VectorExpr *expr : exprs) {
      expr->assign(axis, coordinate);
    }
  };
  if (roles.k.empty()) {
    body(math.constant(0), Value());
    return;
  }
  for (auto [i, coordinate] : llvm::enumerate(sum.outer)) {
    assign(roles.k[i], coordinate);
  }
  auto nest = [&](auto &&self, unsigned level, Value steps) -> void {
    for (VectorExpr *expr : exprs) {
      expr->prepare(builder, bodyValue);
    }
    bool isSplit = level == plan.splitAxis;
    bool isLast = level + 1 == roles.k.size();
    int64_t extent = table.extent(roles.k[level]);
    Value lo = isSplit ? sum.splitLo : math.constant(0);
    Value hi = isSplit ? sum.splitHi : math.constant(extent);
    emitLoop(builder, loc, lo, hi, isLast ? lastStep : 1, [&](Value at) {
      Value step = math.add(math.mul(steps, extent), math.sub(at, lo));
      SmallVector<std::unique_ptr<VectorExpr::Scope>> scopes;
      for (VectorExpr *expr : exprs) {
        scopes.push_back(std::make_unique<VectorExpr::Scope>(*expr));
      }
      if (isLast) {
        body(step, at);
        return;
      }
      assign(roles.k[level], at);
      self(self, level + 1, step);
    });
  };
  nest(nest, plan.splitAxis, math.constant(0));
}

void ContractEmitter::emitPackRows(const TaskBlock &task, const SumBlock &sum, Value tile,
                                   Value memory, Value offset) {
  Value firstRow = math.mul(tile, plan.mr);
  if (roles.rowsAlongSum) {
    emitPackRowsAlongSum(task, sum, tile, memory, offset);
  } else {
    emitPackRowsByLane(task, sum, firstRow, memory, offset);
  }
}

/// Lanes are rows: one vector for each step of the sum.
void ContractEmitter::emitPackRowsByLane(const TaskBlock &task, const SumBlock &sum, Value firstRow,
                                         Value memory, Value offset) {
  int64_t lanes = llvm::PowerOf2Ceil(plan.mr);
  VectorExpr expr(table, ports, lanes);
  VectorExpr::Scope scope(expr);
  assignTask(expr, task, /*withOuter=*/false);
  expr.assignFlattened(builder, roles.m, firstRow);
  if (!hasWholeTiles() || lanes != plan.mr) {
    expr.setLaneMask(laneMask(firstRow, numRows(), lanes));
  }
  Value inTile =
      lanes == plan.mr ? Value() : laneMask(math.constant(0), math.constant(plan.mr), lanes);
  emitSumLoops(&expr, roles.a.value, sum, 1, [&](Value step, Value last) {
    if (last) {
      expr.assign(roles.k.back(), last);
    }
    Value value = toCompute(expr.evaluateVector(builder, roles.a.value));
    Value at = math.add(offset, math.mul(step, plan.mr));
    if (inTile) {
      vector::MaskedStoreOp::create(builder, loc, memory, at, inTile, value);
    } else {
      storeVector(value, memory, at);
    }
  });
}

/// Lanes are steps along the last summed axis: each row is a copy of its elements. Writes up to
/// lanes - 1 steps beyond the block.
void ContractEmitter::emitPackRowsAlongSum(const TaskBlock &task, const SumBlock &sum, Value tile,
                                           Value memory, Value offset) {
  int64_t lanes = plan.lanes;
  Value firstRow = math.mul(tile, plan.mr);
  SmallVector<int64_t> rowExtents;
  for (unsigned axis : roles.m) {
    rowExtents.push_back(table.extent(axis));
  }
  VectorExpr expr(table, ports, lanes);
  bool lastIsSplit = plan.splitAxis + 1 == roles.k.size();
  int64_t extent = table.extent(roles.k.back());
  bool whole = (lastIsSplit ? plan.chunk : extent) % lanes == 0 && extent % lanes == 0;
  Value count = math.constant(plan.mr);
  if (rowsInBlock) {
    count = arith::SelectOp::create(builder, loc, isOneRow(tile), math.constant(1), count);
  }
  emitLoop(builder, loc, math.constant(0), count, 1, [&](Value r) {
    VectorExpr::Scope scope(expr);
    assignTask(expr, task, /*withOuter=*/false);
    Value row = math.add(firstRow, r);
    row = hasWholeTiles() ? row : math.min(row, math.sub(numRows(), math.constant(1)));
    for (auto [axis, at] : llvm::zip_equal(roles.m, math.delinearize(row, rowExtents))) {
      expr.assign(axis, at);
    }
    Value rowOffset = math.add(offset, math.mul(r, rowPitch()));
    emitSumLoops(&expr, roles.a.value, sum, lanes, [&](Value step, Value last) {
      expr.assignLanes(roles.k.back(), last);
      if (!whole) {
        expr.setLaneMask(laneMask(last, math.constant(extent), lanes));
      }
      Value value = toCompute(expr.evaluateVector(builder, roles.a.value));
      storeVector(value, memory, math.add(rowOffset, step));
    });
  });
}

static constexpr int64_t lineBytes = 64;
/// Steps of the sum that are fetched ahead where they are far from each other.
static constexpr int64_t stepsAhead = 64;

static int64_t bytesOf(zyxk::LoadOp load) {
  return load ? load.getType().getIntOrFloatBitWidth() / 8 : 0;
}

/// The load of the columns, if it is one and its steps are so far from each other that no processor
/// fetches the next ones by itself; else null.
static zyxk::LoadOp farSteps(const AccessTable &table, const ContractRoles &roles) {
  constexpr int64_t farBytes = 1024;
  auto load = roles.b.value.getDefiningOp<zyxk::LoadOp>();
  if (!load || roles.k.empty() || !load.getCoords().empty() || table.accessOf(load).clamped) {
    return {};
  }
  std::optional<int64_t> stride = strideOf(table, load, roles.k.back());
  return stride && std::abs(*stride) * bytesOf(load) >= farBytes ? load : zyxk::LoadOp();
}

/// Lanes are columns: nr of them for each step of the sum. Neighbours are read together; what is
/// gathered or guarded is much code, which stands once, in a loop over the vectors.
void ContractEmitter::emitPackColumns(const TaskBlock &task, const SumBlock &sum, Value panel,
                                      Value memory, Value offset) {
  bool rolled = roles.gathersB || !roles.b.value.getDefiningOp<zyxk::LoadOp>();
  emitLoop(builder, loc, math.constant(0), math.constant(rolled ? plan.nv : 1), 1, [&](Value j) {
    Value first = math.add(math.mul(panel, plan.nr()), math.mul(j, plan.lanes));
    Value at = math.add(offset, math.mul(j, plan.lanes));
    emitPackVectors(task, sum, first, rolled ? 1 : plan.nv, memory, at);
  });
}

/// `count` vectors of columns from `firstColumn` on.
void ContractEmitter::emitPackVectors(const TaskBlock &task, const SumBlock &sum, Value firstColumn,
                                      int64_t count, Value memory, Value offset) {
  int64_t columns = productOf(table, roles.n);
  SmallVector<std::unique_ptr<VectorExpr>> owned;
  SmallVector<VectorExpr *> exprs;
  SmallVector<std::unique_ptr<VectorExpr::Scope>> scopes;
  for (int64_t j = 0; j < count; ++j) {
    owned.push_back(std::make_unique<VectorExpr>(table, ports, plan.lanes));
    exprs.push_back(owned.back().get());
    scopes.push_back(std::make_unique<VectorExpr::Scope>(*exprs.back()));
    assignTask(*exprs.back(), task, /*withOuter=*/true);
    Value first = math.add(firstColumn, math.constant(j * plan.lanes));
    exprs.back()->assignFlattened(builder, roles.n, first);
    if (columns % plan.nr() != 0) {
      exprs.back()->setLaneMask(laneMask(first, math.constant(columns), plan.lanes));
    }
  }
  zyxk::LoadOp far = farSteps(table, roles);
  emitSumLoops(exprs, roles.b.value, sum, 1, [&](Value step, Value last) {
    Value at = math.add(offset, math.mul(step, plan.nr()));
    for (auto [j, expr] : llvm::enumerate(exprs)) {
      if (last) {
        expr->assign(roles.k.back(), last);
      }
      Value value = toCompute(expr->evaluateVector(builder, roles.b.value));
      bool startsLine = static_cast<int64_t>(j) * plan.lanes * bytesOf(far) % lineBytes == 0;
      if (far && startsLine) {
        int64_t stride = *strideOf(table, far, roles.k.back());
        expr->emitPrefetch(builder, far, stride * stepsAhead, /*level=*/2);
      }
      storeVector(value, memory, math.add(at, math.constant(j * plan.lanes)));
    }
  });
}

} // namespace zyxc
