#include "passes/lower/tile/PointSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

PointSpace::PointSpace(const AccessTable &table, AxisSet axes, std::optional<unsigned> lane,
                       int64_t width)
    : set(axes), laneAxis(lane), width(width) {
  auto add = [&](unsigned axis, int64_t count) {
    digits.push_back({axis, count});
    if (__builtin_mul_overflow(chunks, count, &chunks)) {
      chunks = INT64_MAX;
    }
  };
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (contains(axes, axis) && axis != lane) {
      add(axis, table.extent(axis));
    }
  }
  // Neighbouring chunks are neighbours along the lane axis.
  if (lane) {
    add(*lane, table.extent(*lane) / width);
  }
}

SmallVector<std::pair<unsigned, int64_t>> PointSpace::strides() const {
  SmallVector<std::pair<unsigned, int64_t>> result;
  int64_t stride = 1;
  for (auto [axis, count] : llvm::reverse(digits)) {
    result.push_back({axis, stride});
    stride *= axis == laneAxis ? count * width : count;
  }
  return result;
}

std::pair<Value, Value> splitIndex(OpBuilder &builder, Location loc, Value index, int64_t by,
                                   int64_t end) {
  auto constant = [&](Type type, int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  };
  Type type = index.getType();
  if (llvm::isPowerOf2_64(by)) {
    return {builder.createOrFold<arith::ShRUIOp>(loc, index, constant(type, llvm::Log2_64(by))),
            builder.createOrFold<arith::AndIOp>(loc, index, constant(type, by - 1))};
  }
  bool narrow = end <= INT32_MAX;
  Type i32 = builder.getI32Type();
  if (narrow) {
    index = arith::IndexCastUIOp::create(builder, loc, i32, index);
  }
  Value divisor = constant(index.getType(), by);
  Value quotient = arith::DivUIOp::create(builder, loc, index, divisor);
  Value whole = arith::MulIOp::create(builder, loc, quotient, divisor);
  Value rest = arith::SubIOp::create(builder, loc, index, whole);
  if (narrow) {
    quotient = arith::IndexCastUIOp::create(builder, loc, type, quotient);
    rest = arith::IndexCastUIOp::create(builder, loc, type, rest);
  }
  return {quotient, rest};
}

void PointSpace::assign(OpBuilder &builder, VectorExpr &expr, Value chunk) const {
  Location loc = expr.table().kernel().getLoc();
  Value rest = chunk;
  int64_t end = chunks;
  for (size_t i = digits.size(); i-- > 0;) {
    auto [axis, count] = digits[i];
    Value digit = rest;
    if (i > 0) {
      std::tie(rest, digit) = splitIndex(builder, loc, rest, count, end);
      end = llvm::divideCeil(end, std::max<int64_t>(count, 1));
    }
    if (axis != laneAxis) {
      expr.assign(axis, digit);
      continue;
    }
    Value by = arith::ConstantIndexOp::create(builder, loc, width);
    expr.assignLanes(axis, builder.createOrFold<arith::MulIOp>(loc, digit, by), 1, width);
  }
}

} // namespace zyxc
