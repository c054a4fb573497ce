// The online softmax on fragments, and the epilogue.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/attention/AttentionFragments.h"
#include <limits>

using namespace mlir;

namespace zyxc {

/// The half (rows 0-7 or 8-15 of a warp) to which element x of a fragment belongs.
static unsigned halfOf(unsigned x) {
  return (x >> 1) & 1;
}

/// Its column, without the part of the lane.
static int64_t columnOf(unsigned x) {
  return int64_t(x / 4) * 8 + (x & 1);
}

/// The elements of one half, in order.
static SmallVector<unsigned> elementsOf(unsigned half, size_t count) {
  SmallVector<unsigned> elements;
  for (unsigned x = 0; x < count; ++x) {
    if (halfOf(x) == half) {
      elements.push_back(x);
    }
  }
  return elements;
}

AttentionFragments::Values AttentionFragments::emitSoftmax(const Share &share, Fragment scores,
                                                           Value turn, State &state) {
  Fragment logits = emitMask(share, emitLogits(share, scores, turn), turn);
  Fragment weights = emitWeights(logits, state);
  Values packed;
  for (size_t x = 0; x < weights.size(); x += 2) {
    packed.push_back(ptx.pack(plan.element, weights[x], weights[x + 1]));
  }
  return packed;
}

//===- Logits --------------------------------------------------------------------------------===//

AttentionFragments::Fragment AttentionFragments::emitLogits(const Share &share, Fragment scores,
                                                            Value turn) {
  if (roles.scale) {
    return scores; // the exponent takes the factor
  }
  Value ownKey = math.add(firstKey(share, turn), laneColumn());
  // Elements outside of the axes are masked or not stored; their coordinates stay inside.
  auto inside = [&](Value coordinate, int64_t extent, int64_t tile) {
    if (extent % tile != 0) {
      coordinate = arith::MinSIOp::create(builder, loc, coordinate, math.constant(extent - 1));
    }
    return math.toIndex(coordinate);
  };
  Fragment logits(scores.size());
  for (unsigned half = 0; half < 2; ++half) {
    VectorExpr::Scope rowScope(expr);
    expr.assign(*roles.query, inside(rowOf(share, half), plan.queries, plan.queryTile()));
    prepareLogits();
    for (unsigned x : elementsOf(half, scores.size())) {
      VectorExpr::Scope scope(expr);
      expr.assign(roles.key, inside(math.add(ownKey, columnOf(x)), plan.keys, plan.keyTile));
      expr.bind(roles.scores, scores[x]);
      logits[x] = expr.evaluate(builder, roles.logits);
    }
  }
  return logits;
}

Value AttentionFragments::firstKey(const Share &share, Value turn) {
  return math.mul(math.sub(turn, share.base), plan.keyTile);
}

bool AttentionFragments::limitsKeys() const {
  bool windowDoes = plan.window.last && plan.queries + *plan.window.last <= plan.keys;
  return plan.keys % plan.keyTile != 0 && !windowDoes;
}

Value AttentionFragments::needsMask(const Share &share, Value turn) {
  using enum arith::CmpIPredicate;
  Value needed;
  auto either = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    Value condition = arith::CmpIOp::create(builder, loc, predicate, a, b);
    needed = needed ? arith::OrIOp::create(builder, loc, needed, condition).getResult() : condition;
  };
  if (plan.window.last) {
    Value last = math.add(share.diagonal, *plan.window.last - (plan.keyTile - 1));
    either(sgt, math.mul(turn, plan.keyTile), last);
  }
  if (plan.window.first) {
    Value first = math.add(share.diagonal, *plan.window.first + 63);
    either(slt, math.mul(turn, plan.keyTile), first);
  }
  if (limitsKeys()) {
    Value last = math.constant(plan.keys - plan.keyTile);
    either(sgt, firstKey(share, turn), last);
  }
  return needed;
}

AttentionFragments::Fragment AttentionFragments::emitMask(const Share &share, Fragment logits,
                                                          Value turn) {
  Value needed = needsMask(share, turn);
  if (!needed) {
    return logits;
  }
  auto masked = [&]() -> Values {
    using enum arith::CmpIPredicate;
    Value none = constantF32(-std::numeric_limits<float>::infinity());
    Values result(logits);
    // Keeps the columns of a half that stand in this relation to `limit`, in the lane's numbering.
    auto keep = [&](unsigned half, arith::CmpIPredicate predicate, Value limit) {
      for (unsigned x : elementsOf(half, logits.size())) {
        Value inside =
            arith::CmpIOp::create(builder, loc, predicate, math.constant(columnOf(x)), limit);
        result[x] = arith::SelectOp::create(builder, loc, inside, result[x], none);
      }
    };
    for (unsigned half = 0; half < 2; ++half) {
      // This thread's row less the first key of the tile and the lane's column.
      Value row = math.sub(math.add(share.diagonal, math.sub(rowIn(half), laneColumn())),
                           math.mul(turn, plan.keyTile));
      if (plan.window.last) {
        keep(half, sle, math.add(row, *plan.window.last));
      }
      if (plan.window.first) {
        keep(half, sge, math.add(row, *plan.window.first));
      }
      if (limitsKeys()) {
        Value own = math.add(firstKey(share, turn), laneColumn());
        keep(half, sle, math.sub(math.constant(plan.keys - 1), own));
      }
    }
    return result;
  };
  return choose(needed, masked, logits);
}

//===- Weights -------------------------------------------------------------------------------===//

// The sums keep their scale until a maximum has grown by more than plan.rescale (log2) anywhere in
// the warp: then all of them are rescaled, which is rare after the first tiles.
void AttentionFragments::rescale(State &state, ArrayRef<Value> maximum) {
  Value scale = constantF32(exponentScale);
  Values growth;
  for (unsigned half = 0; half < 2; ++half) {
    growth.push_back(fmul(fsub(maximum[half], state.maximum[half]), scale));
  }
  Value grew = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                     fmax(growth[0], growth[1]), constantF32(plan.rescale));
  Values kept = state.output;
  llvm::append_range(kept, state.sum);
  llvm::append_range(kept, state.maximum);
  Values chosen = choose(
      ptx.voteAny(grew),
      [&]() -> Values {
        Values factors;
        for (Value part : growth) {
          factors.push_back(ptx.exp2(arith::NegFOp::create(builder, loc, part)));
        }
        Values result;
        for (auto [x, value] : llvm::enumerate(state.output)) {
          result.push_back(fmul(value, factors[halfOf(x)]));
        }
        for (auto [sum, factor] : llvm::zip_equal(state.sum, factors)) {
          result.push_back(fmul(sum, factor));
        }
        llvm::append_range(result, maximum);
        return result;
      },
      kept);
  size_t count = state.output.size();
  state.output.assign(chosen.begin(), chosen.begin() + count);
  state.sum.assign(chosen.begin() + count, chosen.begin() + count + 2);
  state.maximum.assign(chosen.begin() + count + 2, chosen.end());
}

/// Combines values in two chains, which are joined at the end.
static Value twoChains(ArrayRef<Value> values, llvm::function_ref<Value(Value, Value)> combine) {
  Value even = values[0];
  Value odd = values[1];
  for (size_t i = 2; i < values.size(); ++i) {
    Value &chain = i % 2 == 0 ? even : odd;
    chain = combine(chain, values[i]);
  }
  return combine(even, odd);
}

AttentionFragments::Fragment AttentionFragments::emitWeights(ArrayRef<Value> logits, State &state) {
  Values maximum;
  auto larger = [&](Value a, Value b) {
    return fmax(a, b);
  };
  auto sumOf = [&](Value a, Value b) {
    return fadd(a, b);
  };
  auto valuesOf = [&](unsigned half, Value first, ArrayRef<Value> fragment) {
    Values values = {first};
    for (unsigned x : elementsOf(half, fragment.size())) {
      values.push_back(fragment[x]);
    }
    return values;
  };
  for (unsigned half = 0; half < 2; ++half) {
    Value largest = twoChains(valuesOf(half, state.maximum[half], logits), larger);
    for (int64_t mask : {1, 2}) {
      largest = fmax(largest, shuffle(largest, mask));
    }
    maximum.push_back(largest);
  }
  rescale(state, maximum);

  Value scale = constantF32(exponentScale);
  Fragment weights;
  Values shift;
  for (Value part : state.maximum) {
    shift.push_back(fmul(part, constantF32(-exponentScale)));
  }
  for (auto [x, logit] : llvm::enumerate(logits)) {
    // With other logits than a scale, a maximum may be so large that the product overflows.
    Value exponent = roles.scale ? fma(logit, scale, shift[halfOf(x)])
                                 : fmul(fsub(logit, state.maximum[halfOf(x)]), scale);
    weights.push_back(ptx.exp2(exponent));
  }
  for (unsigned half = 0; half < 2; ++half) {
    state.sum[half] = twoChains(valuesOf(half, state.sum[half], weights), sumOf);
  }
  return weights;
}

//===- Epilogue ------------------------------------------------------------------------------===//

void AttentionFragments::emitEpilogue(const Share &share, State state) {
  for (unsigned half = 0; half < 2; ++half) {
    for (int64_t mask : {1, 2}) {
      state.sum[half] = fadd(state.sum[half], shuffle(state.sum[half], mask));
    }
    if (roles.scale) {
      state.maximum[half] = fmul(state.maximum[half], constantF32(*roles.scale));
    }
    // Rows that saw no logit but -inf.
    Value empty = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, state.sum[half],
                                        constantF32(0));
    Value none = constantF32(-std::numeric_limits<float>::infinity());
    state.maximum[half] = arith::SelectOp::create(builder, loc, empty, none, state.maximum[half]);
  }
  for (unsigned half = 0; half < 2; ++half) {
    if (plan.queries % plan.queryTile() == 0) {
      emitRow(share, half, state);
      continue;
    }
    ifThen(math.less(rowOf(share, half), plan.queries), [&] { emitRow(share, half, state); });
  }
}

void AttentionFragments::emitRow(const Share &share, unsigned half, const State &state) {
  VectorExpr::Scope rowScope(expr);
  expr.assign(*roles.query, math.toIndex(rowOf(share, half)));
  expr.bind(roles.maximum, state.maximum[half]);
  if (roles.sum) {
    expr.bind(roles.sum, state.sum[half]);
  }
  SmallVector<zyxk::StoreOp> ofRows;
  SmallVector<zyxk::StoreOp> ofElements;
  for (zyxk::StoreOp store : roles.stores) {
    bool wide = zyxk::contains(table.domainOf(store), *roles.width);
    (wide ? ofElements : ofRows).push_back(store);
    expr.prepare(builder, store.getValue());
  }
  if (!ofRows.empty()) {
    ifThen(math.equal(math.bitAnd(ptx.threadId(), 3), 0), [&] {
      VectorExpr::Scope scope(expr);
      for (zyxk::StoreOp store : ofRows) {
        expr.emitStore(builder, store);
      }
    });
  }
  Value firstColumn = math.toIndex(laneColumn());
  auto pair = VectorType::get({2}, builder.getF32Type());
  for (unsigned x : elementsOf(half, state.output.size())) {
    if (x & 1) {
      continue;
    }
    VectorExpr::Scope scope(expr);
    Value offset = arith::ConstantIndexOp::create(builder, loc, columnOf(x));
    expr.assignLanes(*roles.width, arith::AddIOp::create(builder, loc, firstColumn, offset),
                     /*step=*/1, /*divisor=*/2);
    Value values = vector::FromElementsOp::create(builder, loc, pair,
                                                  ValueRange{state.output[x], state.output[x + 1]});
    expr.bind(roles.output, values);
    for (zyxk::StoreOp store : ofElements) {
      expr.emitStore(builder, store);
    }
  }
}

} // namespace zyxc
