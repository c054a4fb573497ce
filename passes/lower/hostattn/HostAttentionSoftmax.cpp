// The online softmax of a panel of queries over a block of keys, and the epilogue.
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/hostattn/HostAttentionEmitter.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;

namespace zyxc {

//===- Values --------------------------------------------------------------------------------===//

Value HostAttentionEmitter::lesser(Value a, Value b) {
  return builder.createOrFold<arith::MinSIOp>(loc, a, b);
}

Value HostAttentionEmitter::greater(Value a, Value b) {
  return builder.createOrFold<arith::MaxSIOp>(loc, a, b);
}

Value HostAttentionEmitter::load(Value memory, Value at) {
  return vector::LoadOp::create(builder, loc, vectorType, memory, at);
}

void HostAttentionEmitter::store(Value value, Value memory, Value at) {
  vector::StoreOp::create(builder, loc, value, memory, at);
}

Value HostAttentionEmitter::splat(Value scalar) {
  return vector::BroadcastOp::create(builder, loc, vectorType, scalar);
}

Value HostAttentionEmitter::constant(double value) {
  return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(element, value));
}

Value HostAttentionEmitter::fadd(Value a, Value b) {
  return arith::AddFOp::create(builder, loc, a, b);
}

Value HostAttentionEmitter::fsub(Value a, Value b) {
  return arith::SubFOp::create(builder, loc, a, b);
}

Value HostAttentionEmitter::fmul(Value a, Value b) {
  return arith::MulFOp::create(builder, loc, a, b);
}

/// One instruction; a NaN in `a` gives b.
Value HostAttentionEmitter::fmax(Value a, Value b) {
  Value larger = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, a, b);
  return arith::SelectOp::create(builder, loc, larger, a, b);
}

Value HostAttentionEmitter::weight(Value a, Value b) {
  double scale = llvm::numbers::log2e * roles.scale.value_or(1.0);
  Value exponent = fmul(fsub(a, b), splat(constant(scale)));
  return math::Exp2Op::create(builder, loc, exponent);
}

Value HostAttentionEmitter::widen(Value value) {
  unsigned from = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  if (from == element.getWidth()) {
    return value;
  }
  return from < element.getWidth()
             ? arith::ExtFOp::create(builder, loc, vectorType, value).getResult()
             : arith::TruncFOp::create(builder, loc, vectorType, value).getResult();
}

Value HostAttentionEmitter::lanesBelow(Value first, int64_t limit, int64_t unit) {
  if (limit % unit == 0) {
    return {};
  }
  LaneIndexEmitter indices(builder, loc, plan.lanes);
  LaneIndex left =
      indices.add(LaneIndex::constant(limit - 1), indices.scale(LaneIndex::strided(first, 1), -1));
  return indices.holds(left, /*equality=*/false, /*narrow=*/limit < INT32_MAX / 2);
}

SmallVector<Value> HostAttentionEmitter::carry(
    Value lo, Value hi, int64_t step, ArrayRef<Value> init,
    llvm::function_ref<SmallVector<Value>(Value at, ValueRange values)> body) {
  auto op = scf::ForOp::create(builder, loc, lo, hi, math.constant(step), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.getBody());
  SmallVector<Value> next = body(op.getInductionVar(), op.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, next);
  return SmallVector<Value>(op.getResults());
}

//===- Softmax -------------------------------------------------------------------------------===//

void HostAttentionEmitter::emitSoftmax(const Panel &panel, Value firstKey) {
  loop(math.constant(0), panel.count, plan.lanes,
       [&](Value column) { emitSoftmaxVector(panel, firstKey, column); });
}

/// The lanes of `column`: logits and their maximum, rescaling, weights.
void HostAttentionEmitter::emitSoftmaxVector(const Panel &panel, Value firstKey, Value column) {
  Value stateAt = math.add(math.mul(panel.index, plan.panel()), column);
  Value old = load(scratch.maxima, stateAt);
  Value sum = load(scratch.sums, stateAt);
  Value largest =
      isScaled() ? emitScaledLogits(panel, firstKey, column) : emitLogits(panel, firstKey, column);
  Value maximum = fmax(largest, old);
  sum = emitRescale(panel, stateAt, old, maximum, sum);
  sum = emitWeights(panel, firstKey, column, maximum, sum);
  store(maximum, scratch.maxima, stateAt);
  store(sum, scratch.sums, stateAt);
}

Value HostAttentionEmitter::needsMask(const Panel &panel, Value column) {
  Value first = math.add(panel.firstQuery, column);
  Value needed;
  auto either = [&](Value a, Value b) {
    Value less = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, a, b);
    needed = needed ? arith::OrIOp::create(builder, loc, needed, less).getResult() : less;
  };
  if (problem.window.last) {
    either(add(first, *problem.window.last + 1), panel.hi);
  }
  if (problem.window.first) {
    either(panel.lo, add(first, *problem.window.first + plan.lanes - 1));
  }
  return needed;
}

Value HostAttentionEmitter::visible(const Panel &panel, Value column, Value key) {
  LaneIndexEmitter indices(builder, loc, plan.lanes);
  Value seen;
  bool narrow = queries + keys < INT32_MAX / 4;
  auto also = [&](const LaneIndex &difference, int64_t limit) {
    narrow &= std::abs(limit) < INT32_MAX / 4;
    LaneIndex left = indices.add(difference, LaneIndex::constant(limit));
    Value holds = indices.holds(left, /*equality=*/false, narrow);
    seen = seen ? arith::AndIOp::create(builder, loc, seen, holds).getResult() : holds;
  };
  // query - key at each lane
  LaneIndex query = LaneIndex::strided(math.sub(math.add(panel.firstQuery, column), key), 1);
  if (problem.window.last) {
    also(query, *problem.window.last);
  }
  if (problem.window.first) {
    also(indices.scale(query, -1), -*problem.window.first);
  }
  return seen;
}

/// Masks, if need be, and finds the maxima: several at a time, which do not wait for each other.
Value HostAttentionEmitter::emitMaxima(const Panel &panel, Value firstKey, Value column,
                                       bool masked) {
  constexpr int64_t chains = 4;
  Value none = splat(constant(-std::numeric_limits<double>::infinity()));
  auto step = [&](Value key, Value largest) {
    Value at = math.add(scoreRow(key, firstKey), column);
    Value score = load(scratch.scores, at);
    if (masked) {
      score = arith::SelectOp::create(builder, loc, visible(panel, column, key), score, none);
      store(score, scratch.scores, at);
    }
    return fmax(score, largest);
  };
  int64_t unit = masked ? 1 : chains;
  Value turns = math.div(math.sub(panel.hi, panel.lo), unit);
  Value whole = math.add(panel.lo, math.mul(turns, unit));
  SmallVector<Value> init(unit, none);
  SmallVector<Value> largest =
      carry(panel.lo, whole, unit, init, [&](Value key, ValueRange values) {
        SmallVector<Value> next;
        for (auto [i, value] : llvm::enumerate(values)) {
          next.push_back(step(add(key, static_cast<int64_t>(i)), value));
        }
        return next;
      });
  Value joined = largest.front();
  for (Value value : ArrayRef(largest).drop_front()) {
    joined = fmax(value, joined);
  }
  if (unit == 1) {
    return joined;
  }
  return carry(whole, panel.hi, 1, joined, [&](Value key, ValueRange values) {
    return SmallVector<Value>{step(key, values[0])};
  })[0];
}

Value HostAttentionEmitter::emitScaledLogits(const Panel &panel, Value firstKey, Value column) {
  Value needed = needsMask(panel, column);
  if (!needed) {
    return emitMaxima(panel, firstKey, column, /*masked=*/false);
  }
  auto branch = scf::IfOp::create(builder, loc, vectorType, needed, true, true);
  OpBuilder::InsertionGuard guard(builder);
  for (bool masked : {true, false}) {
    builder.setInsertionPointToStart(masked ? branch.thenBlock() : branch.elseBlock());
    scf::YieldOp::create(builder, loc, emitMaxima(panel, firstKey, column, masked));
  }
  return branch.getResult(0);
}

/// Logits that are any function of the scores. Lanes that are no query or do not see the key load
/// nothing: what they would load may not exist.
Value HostAttentionEmitter::emitLogits(const Panel &panel, Value firstKey, Value column) {
  Value none = splat(constant(-std::numeric_limits<double>::infinity()));
  VectorExpr::Scope columnScope(*expr);
  Value first = math.add(panel.firstQuery, column);
  if (roles.query) {
    expr->assignLanes(*roles.query, first);
  }
  Value inside = lanesBelow(first, queries, plan.lanes);
  if (keys > 1) { // else nothing tells the scores, which are not bound yet, from what is known
    expr->prepare(builder, roles.logits);
  }
  return carry(panel.lo, panel.hi, 1, none, [&](Value key, ValueRange largest) {
    VectorExpr::Scope scope(*expr);
    Value at = math.add(scoreRow(key, firstKey), column);
    expr->assign(roles.key, key);
    expr->bind(roles.scores, load(scratch.scores, at));
    Value mask = visible(panel, column, key);
    Value on = inside && mask ? arith::AndIOp::create(builder, loc, inside, mask).getResult()
               : mask         ? mask
                              : inside;
    if (on) {
      expr->setLaneMask(on);
    }
    Value logit = expr->evaluateVector(builder, roles.logits);
    if (mask) {
      logit = arith::SelectOp::create(builder, loc, mask, logit, none);
    }
    store(logit, scratch.scores, at);
    return SmallVector<Value>{fmax(logit, largest[0])};
  })[0];
}

/// Sums and outputs keep their scale unless a maximum grew. Returns the sums.
Value HostAttentionEmitter::emitRescale(const Panel &panel, Value stateAt, Value old, Value maximum,
                                        Value sum) {
  Value grew = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, maximum, old);
  Value any = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, grew);
  auto branch = scf::IfOp::create(builder, loc, vectorType, any, true, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, sum);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value factor = weight(old, maximum);
  if (width) {
    store(factor, scratch.factors, math.constant(0));
    loop(math.constant(0), math.constant(plan.lanes), 1, [&](Value lane) {
      Value own = splat(memref::LoadOp::create(builder, loc, scratch.factors, lane));
      Value rowAt = math.mul(math.add(stateAt, lane), plan.columns);
      loop(math.constant(0), math.constant(plan.columns), plan.lanes, [&](Value at) {
        Value to = math.add(rowAt, at);
        store(fmul(load(scratch.outputs, to), own), scratch.outputs, to);
      });
    });
  }
  scf::YieldOp::create(builder, loc, fmul(sum, factor));
  return branch.getResult(0);
}

/// The logits become weights; returns the sums with them.
Value HostAttentionEmitter::emitWeights(const Panel &panel, Value firstKey, Value column,
                                        Value maximum, Value sum) {
  return carry(panel.lo, panel.hi, 1, sum, [&](Value key, ValueRange sums) {
    Value at = math.add(scoreRow(key, firstKey), column);
    Value own = weight(load(scratch.scores, at), maximum);
    store(own, scratch.scores, at);
    return SmallVector<Value>{fadd(sums[0], own)};
  })[0];
}

//===- Epilogue ------------------------------------------------------------------------------===//

void HostAttentionEmitter::emitEpilogue(const Panel &panel) {
  loop(math.constant(0), panel.count, 1, [&](Value row) { emitRow(panel, row); });
}

void HostAttentionEmitter::emitRow(const Panel &panel, Value row) {
  VectorExpr::Scope rowScope(*expr);
  if (roles.query) {
    expr->assign(*roles.query, math.add(panel.firstQuery, row));
  }
  Value stateAt = math.add(math.mul(panel.index, plan.panel()), row);
  Value sum = memref::LoadOp::create(builder, loc, scratch.sums, stateAt);
  Value maximum = memref::LoadOp::create(builder, loc, scratch.maxima, stateAt);
  maximum = fmul(maximum, constant(roles.scale.value_or(1.0)));
  // A row that saw no logit but -inf.
  Value empty = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, sum, constant(0));
  Value none = constant(-std::numeric_limits<double>::infinity());
  expr->bind(roles.maximum, arith::SelectOp::create(builder, loc, empty, none, maximum));
  if (roles.sum) {
    expr->bind(roles.sum, sum);
  }
  Value outputsAt = math.mul(stateAt, plan.columns);
  bool isWide = width > 1;
  if (width == 1) {
    expr->bind(roles.output, memref::LoadOp::create(builder, loc, scratch.outputs, outputsAt));
  }
  SmallVector<zyxk::StoreOp> wide;
  for (zyxk::StoreOp store : roles.stores) {
    if (isWide && zyxk::contains(table.domainOf(store), *roles.width)) {
      wide.push_back(store);
      expr->prepare(builder, store.getValue());
    } else {
      expr->emitStore(builder, store);
    }
  }
  if (wide.empty()) {
    return;
  }
  loop(math.constant(0), math.constant(width), plan.lanes, [&](Value at) {
    VectorExpr::Scope scope(*expr);
    expr->assignLanes(*roles.width, at);
    if (Value mask = lanesBelow(at, width, plan.lanes)) {
      expr->setLaneMask(mask);
    }
    expr->bind(roles.output, load(scratch.outputs, math.add(outputsAt, at)));
    for (zyxk::StoreOp store : wide) {
      expr->emitStore(builder, store);
    }
  });
}

} // namespace zyxc
