#include "passes/pipelines/spirv/IntegerBounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/lower/tile/GpuFunction.h"
#include <algorithm>

using namespace mlir;

namespace zyxc {

namespace {

class Query {
public:
  IntegerBounds of(Value value);

private:
  IntegerBounds ofOp(Operation *op, Type type);
  IntegerBounds ofArithmetic(Operation *op, Type type);
  IntegerBounds ofArgument(BlockArgument argument);
  IntegerBounds join(ValueRange values);

  int steps = 128; ///< values that are still looked at
};

} // namespace

/// What a signed number of the type can be.
static IntegerBounds boundsOfType(Type type) {
  Type element = getElementTypeOrSelf(type);
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (width >= 64) {
    return {};
  }
  int64_t limit = int64_t(1) << (width - 1);
  return {-limit, limit - 1};
}

static IntegerBounds unite(IntegerBounds a, IntegerBounds b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

/// The bounds, or those of the type where they are beyond it: the operation may wrap around.
static IntegerBounds unlessBeyond(IntegerBounds bounds, Type type) {
  IntegerBounds all = boundsOfType(type);
  return bounds.within(all.least, all.most) ? bounds : all;
}

static IntegerBounds sum(IntegerBounds a, IntegerBounds b, Type type) {
  IntegerBounds result;
  bool wraps = __builtin_add_overflow(a.least, b.least, &result.least) ||
               __builtin_add_overflow(a.most, b.most, &result.most);
  return wraps ? boundsOfType(type) : unlessBeyond(result, type);
}

static IntegerBounds difference(IntegerBounds a, IntegerBounds b, Type type) {
  IntegerBounds result;
  bool wraps = __builtin_sub_overflow(a.least, b.most, &result.least) ||
               __builtin_sub_overflow(a.most, b.least, &result.most);
  return wraps ? boundsOfType(type) : unlessBeyond(result, type);
}

static IntegerBounds product(IntegerBounds a, IntegerBounds b, Type type) {
  IntegerBounds result{INT64_MAX, INT64_MIN};
  for (int64_t x : {a.least, a.most}) {
    for (int64_t y : {b.least, b.most}) {
      int64_t value;
      if (__builtin_mul_overflow(x, y, &value)) {
        return boundsOfType(type);
      }
      result = unite(result, {value, value});
    }
  }
  return unlessBeyond(result, type);
}

/// The number of threads of a block, or blocks of the grid, in a dimension; 2^31 where it is not
/// known.
static int64_t extentOf(Operation *op, gpu::Dimension dimension, bool ofBlock) {
  constexpr int64_t most = int64_t(1) << 31;
  auto function = op->getParentOfType<gpu::GPUFuncOp>();
  auto at = static_cast<unsigned>(dimension);
  if (ofBlock) {
    auto sizes = function ? function.getKnownBlockSizeAttr() : DenseI32ArrayAttr();
    return sizes ? sizes[at] : most;
  }
  auto sizes =
      function ? function->getAttrOfType<DenseI64ArrayAttr>(gridAttrName) : DenseI64ArrayAttr();
  return sizes ? std::min(sizes[at], most) : most;
}

IntegerBounds Query::join(ValueRange values) {
  IntegerBounds result = of(values.front());
  for (Value value : values.drop_front()) {
    result = unite(result, of(value));
  }
  return result;
}

/// Operations on numbers, lane by lane.
IntegerBounds Query::ofArithmetic(Operation *op, Type type) {
  IntegerBounds a = of(op->getOperand(0));
  IntegerBounds b = op->getNumOperands() > 1 ? of(op->getOperand(1)) : IntegerBounds();
  if (isa<arith::AddIOp>(op)) {
    return sum(a, b, type);
  }
  if (isa<arith::SubIOp>(op)) {
    return difference(a, b, type);
  }
  if (isa<arith::MulIOp>(op)) {
    return product(a, b, type);
  }
  if (isa<arith::MaxSIOp>(op)) {
    return {std::max(a.least, b.least), std::max(a.most, b.most)};
  }
  if (isa<arith::MinSIOp>(op)) {
    return {std::min(a.least, b.least), std::min(a.most, b.most)};
  }
  if (isa<arith::MinUIOp, arith::AndIOp>(op) && (a.least >= 0 || b.least >= 0)) {
    return {0, std::min(a.least >= 0 ? a.most : INT64_MAX, b.least >= 0 ? b.most : INT64_MAX)};
  }
  if (isa<arith::DivUIOp, arith::DivSIOp>(op) && a.least >= 0 && b.least >= 1) {
    return {a.least / b.most, a.most / b.least};
  }
  if (isa<arith::RemUIOp, arith::RemSIOp>(op) && a.least >= 0 && b.least >= 1) {
    return {0, std::min(a.most, b.most - 1)};
  }
  bool shifts = isa<arith::ShRSIOp>(op) || (isa<arith::ShRUIOp>(op) && a.least >= 0);
  if (shifts && b.least == b.most && b.within(0, 63)) {
    return {a.least >> b.least, a.most >> b.least};
  }
  return boundsOfType(type);
}

IntegerBounds Query::ofOp(Operation *op, Type type) {
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op)) {
    return {0, extentOf(op, id.getDimension(), /*ofBlock=*/true) - 1};
  }
  if (auto id = dyn_cast<gpu::BlockIdOp>(op)) {
    return {0, extentOf(op, id.getDimension(), /*ofBlock=*/false) - 1};
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp, vector::BroadcastOp, vector::ExtractOp,
          vector::ShapeCastOp, vector::ExtractStridedSliceOp>(op)) {
    return unlessBeyond(of(op->getOperand(0)), type);
  }
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op)) {
    // A negative number becomes a large one.
    IntegerBounds bounds = of(op->getOperand(0));
    IntegerBounds all = boundsOfType(op->getOperand(0).getType());
    if (bounds.least < 0) {
      bounds = all.most == INT64_MAX ? all : IntegerBounds{0, 2 * all.most + 1};
    }
    return unlessBeyond(bounds, type);
  }
  if (isa<arith::SelectOp>(op)) {
    return join(op->getOperands().drop_front());
  }
  if (isa<vector::FromElementsOp>(op)) {
    return join(op->getOperands());
  }
  return isa<arith::ArithDialect>(op->getDialect()) && op->getNumOperands() > 0
             ? ofArithmetic(op, type)
             : boundsOfType(type);
}

/// The counter of a loop is between its first and its last value.
IntegerBounds Query::ofArgument(BlockArgument argument) {
  auto loop = dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument != loop.getInductionVar()) {
    return boundsOfType(argument.getType());
  }
  IntegerBounds first = of(loop.getLowerBound());
  IntegerBounds end = of(loop.getUpperBound());
  return {first.least, std::max(first.least, end.most == INT64_MIN ? end.most : end.most - 1)};
}

IntegerBounds Query::of(Value value) {
  Type type = value.getType();
  if (!getElementTypeOrSelf(type).isIntOrIndex()) {
    return {};
  }
  if (DenseIntElementsAttr many; matchPattern(value, m_Constant(&many))) {
    IntegerBounds result{INT64_MAX, INT64_MIN};
    for (const APInt &element : many.getValues<APInt>()) {
      result = unite(result, {element.getSExtValue(), element.getSExtValue()});
    }
    return result;
  }
  if (APInt one; matchPattern(value, m_ConstantInt(&one))) {
    return {one.getSExtValue(), one.getSExtValue()};
  }
  if (--steps < 0) {
    return boundsOfType(type);
  }
  Operation *op = value.getDefiningOp();
  return op ? ofOp(op, type) : ofArgument(cast<BlockArgument>(value));
}

IntegerBounds boundsOf(Value value) {
  return Query().of(value);
}

} // namespace zyxc
