#include "passes/lower/tile/OnlineFold.h"
#include "dialects/zyxk/scalar/ScalarEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

static constexpr double lowest = -std::numeric_limits<double>::infinity();

//===- Pieces --------------------------------------------------------------------------------===//

Value OnlineFold::constant(OpBuilder &builder, Type type, double value) const {
  TypedAttr attr = builder.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type)) {
    attr = DenseElementsAttr::get(vector, attr);
  }
  return arith::ConstantOp::create(builder, loc, attr);
}

Value OnlineFold::splat(OpBuilder &builder, Value value, Type like) const {
  auto vector = dyn_cast<VectorType>(like);
  if (!vector || isa<VectorType>(value.getType())) {
    return value;
  }
  auto type = VectorType::get(vector.getShape(), value.getType());
  return vector::BroadcastOp::create(builder, loc, type, value);
}

Value OnlineFold::join(OpBuilder &builder, Join kind, Value a, Value b) const {
  return kind == Join::Max ? emitFloatExtreme(builder, loc, /*largest=*/true, b, a)
                           : arith::AddFOp::create(builder, loc, a, b).getResult();
}

Value OnlineFold::lanesAs(OpBuilder &builder, Join kind, Value value, Type like) const {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector || isa<VectorType>(like)) {
    return value;
  }
  for (int64_t half = vector.getNumElements() / 2; half > 0; half /= 2) {
    SmallVector<int64_t> low(half), high(half);
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), half);
    value = join(builder, kind, vector::ShuffleOp::create(builder, loc, value, value, low),
                 vector::ShuffleOp::create(builder, loc, value, value, high));
  }
  return vector::ExtractOp::create(builder, loc, value, 0);
}

Value OnlineFold::select(OpBuilder &builder, Value condition, Value yes, double no) const {
  if (!condition) {
    return yes;
  }
  Type type = yes.getType();
  return arith::SelectOp::create(builder, loc, splat(builder, condition, type), yes,
                                 constant(builder, type, no));
}

Value OnlineFold::baseOf(OpBuilder &builder, Value maximum) const {
  Type type = maximum.getType();
  Value isLowest = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, maximum,
                                         constant(builder, type, lowest));
  return arith::SelectOp::create(builder, loc, isLowest, constant(builder, type, 0), maximum);
}

Value OnlineFold::expLess(OpBuilder &builder, Value value, Value base) const {
  Value less = arith::SubFOp::create(builder, loc, value, splat(builder, base, value.getType()));
  return math::ExpOp::create(builder, loc, less);
}

Value OnlineFold::meanOf(OpBuilder &builder, Value sum, Value count) const {
  Value one = constant(builder, count.getType(), 1);
  return arith::DivFOp::create(builder, loc, sum,
                               emitFloatExtreme(builder, loc, /*largest=*/true, count, one));
}

OnlineFold::Values OnlineFold::identity(OpBuilder &builder, int64_t lanes) const {
  Type type = op->getOperand(0).getType();
  if (lanes > 0) {
    type = VectorType::get({lanes}, type);
  }
  Value zero = constant(builder, type, 0);
  auto expsum = dyn_cast<ExpsumOp>(op);
  if (!expsum) {
    return {zero, zero, zero};
  }
  Values values(1 + expsum.getNumSums(), zero);
  values.front() = constant(builder, type, lowest);
  return values;
}

//===- Groups of points ----------------------------------------------------------------------===//

OnlineFold::Values OnlineFold::addExpsum(OpBuilder &builder, ValueRange carried,
                                         ArrayRef<OnlinePoint> points) const {
  Type type = carried[0].getType();
  Values values;
  Value highest;
  for (const OnlinePoint &point : points) {
    values.push_back(select(builder, point.active, point.value, lowest));
    highest = highest ? join(builder, Join::Max, highest, values.back()) : values.back();
  }
  Values next = {join(builder, Join::Max, carried[0], lanesAs(builder, Join::Max, highest, type))};
  Value base = baseOf(builder, next[0]);
  Value scale = expLess(builder, carried[0], base);
  for (Value &value : values) {
    value = expLess(builder, value, base);
  }
  for (size_t sum = 0; sum + 1 < carried.size(); ++sum) {
    Value total;
    for (auto [point, exponential] : llvm::zip(points, values)) {
      Value term = exponential;
      if (Value weight = point.weights[sum]) {
        Type both = isa<VectorType>(weight.getType()) ? weight.getType() : term.getType();
        term = arith::MulFOp::create(builder, loc, splat(builder, term, both),
                                     splat(builder, weight, both));
        term = select(builder, point.active, term, 0);
      }
      total = total ? join(builder, Join::Add, total, term) : term;
    }
    Value scaled = arith::MulFOp::create(builder, loc, carried[sum + 1], scale);
    next.push_back(join(builder, Join::Add, scaled, lanesAs(builder, Join::Add, total, type)));
  }
  return next;
}

OnlineFold::Values OnlineFold::addWelford(OpBuilder &builder, ValueRange carried,
                                          ArrayRef<OnlinePoint> points) const {
  Type type = carried[0].getType();
  Value count, sum;
  for (const OnlinePoint &point : points) {
    auto vector = dyn_cast<VectorType>(point.value.getType());
    bool joins = vector && !isa<VectorType>(type);
    double lanes = joins ? static_cast<double>(vector.getNumElements()) : 1;
    Value mine = select(builder, point.active, constant(builder, type, lanes), 0);
    count = count ? builder.createOrFold<arith::AddFOp>(loc, count, mine) : mine;
    Value value = select(builder, point.active, point.value, 0);
    sum = sum ? join(builder, Join::Add, sum, value) : value;
  }
  sum = lanesAs(builder, Join::Add, sum, type);
  Value mean = meanOf(builder, sum, count);
  Value squares;
  for (const OnlinePoint &point : points) {
    Value deviation = arith::SubFOp::create(builder, loc, point.value,
                                            splat(builder, mean, point.value.getType()));
    Value square = arith::MulFOp::create(builder, loc, deviation, deviation);
    square = select(builder, point.active, square, 0);
    squares = squares ? join(builder, Join::Add, squares, square) : square;
  }
  squares = lanesAs(builder, Join::Add, squares, type);
  return combine(builder, carried, {count, sum, squares});
}

OnlineFold::Values OnlineFold::add(OpBuilder &builder, ValueRange carried,
                                   ArrayRef<OnlinePoint> points) const {
  return isExpsum() ? addExpsum(builder, carried, points) : addWelford(builder, carried, points);
}

//===- Combinations --------------------------------------------------------------------------===//

OnlineFold::Values OnlineFold::combine(OpBuilder &builder, ValueRange a, ValueRange b) const {
  auto add = [&](Value x, Value y) {
    return join(builder, Join::Add, x, y);
  };
  auto mul = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(builder, loc, x, y);
  };
  if (isExpsum()) {
    Values next = {join(builder, Join::Max, a[0], b[0])};
    Value base = baseOf(builder, next[0]);
    Value scaleA = expLess(builder, a[0], base), scaleB = expLess(builder, b[0], base);
    for (size_t i = 1; i < a.size(); ++i) {
      next.push_back(add(mul(a[i], scaleA), mul(b[i], scaleB)));
    }
    return next;
  }
  // The squares about the common mean: each part's, and those of the means' distance.
  Value count = add(a[0], b[0]);
  Value distance =
      arith::SubFOp::create(builder, loc, meanOf(builder, b[1], b[0]), meanOf(builder, a[1], a[0]));
  Value share = meanOf(builder, mul(a[0], b[0]), count);
  Value moved = mul(mul(distance, distance), share);
  return {count, add(a[1], b[1]), add(add(a[2], b[2]), moved)};
}

OnlineFold::Values OnlineFold::combineMembers(OpBuilder &builder, Tile &tile, const Team &team,
                                              ValueRange part) const {
  auto reduce = [&](Join kind, ValueRange mine) {
    return tile.fragReduce(builder, team, mine, [&](OpBuilder &b, ValueRange x, ValueRange y) {
      Values values;
      for (auto [one, other] : llvm::zip(x, y)) {
        values.push_back(join(b, kind, one, other));
      }
      return values;
    });
  };
  if (isExpsum()) {
    Values total = reduce(Join::Max, part.take_front());
    Value scale = expLess(builder, part[0], baseOf(builder, total[0]));
    Values scaled;
    for (Value sum : part.drop_front()) {
      scaled.push_back(arith::MulFOp::create(builder, loc, sum, scale));
    }
    llvm::append_range(total, reduce(Join::Add, scaled));
    return total;
  }
  Values total = reduce(Join::Add, part.take_front(2));
  Value distance = arith::SubFOp::create(builder, loc, meanOf(builder, part[1], part[0]),
                                         meanOf(builder, total[1], total[0]));
  Value square = arith::MulFOp::create(builder, loc, distance, distance);
  Value moved = arith::MulFOp::create(builder, loc, square, part[0]);
  llvm::append_range(total, reduce(Join::Add, join(builder, Join::Add, part[2], moved)));
  return total;
}

OnlineFold::Values OnlineFold::finish(OpBuilder &builder, ValueRange total) const {
  if (isExpsum()) {
    return Values(total);
  }
  return {meanOf(builder, total[1], total[0]), total[2]};
}

} // namespace zyxc
