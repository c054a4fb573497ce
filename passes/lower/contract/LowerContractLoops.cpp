#include "passes/lower/contract/LowerContractLoops.h"

using namespace mlir;

namespace zyxc {

std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    return constant.getSExtValue();
  }
  return std::nullopt;
}

Value IndexMath::constant(int64_t value) const {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value IndexMath::add(Value x, Value y) const {
  return builder.createOrFold<arith::AddIOp>(loc, x, y);
}

Value IndexMath::sub(Value x, Value y) const {
  return builder.createOrFold<arith::SubIOp>(loc, x, y);
}

Value IndexMath::mul(Value x, int64_t factor) const {
  return builder.createOrFold<arith::MulIOp>(loc, x, constant(factor));
}

Value IndexMath::div(Value x, int64_t divisor) const {
  return builder.createOrFold<arith::DivUIOp>(loc, x, constant(divisor));
}

Value IndexMath::rem(Value x, int64_t divisor) const {
  return builder.createOrFold<arith::RemUIOp>(loc, x, constant(divisor));
}

Value IndexMath::min(Value x, int64_t limit) const {
  return min(x, constant(limit));
}

Value IndexMath::min(Value x, Value y) const {
  return builder.createOrFold<arith::MinUIOp>(loc, x, y);
}

SmallVector<Value> IndexMath::delinearize(Value index, ArrayRef<int64_t> extents) const {
  SmallVector<Value> coordinates(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    coordinates[i] = i == 0 ? index : rem(index, extents[i]);
    index = i == 0 ? index : div(index, extents[i]);
  }
  return coordinates;
}

Value IndexMath::linearize(ArrayRef<Value> coordinates, ArrayRef<int64_t> extents) const {
  Value index = constant(0);
  for (size_t i = 0; i < extents.size(); ++i) {
    index = add(mul(index, extents[i]), coordinates[i]);
  }
  return index;
}

void emitLoop(OpBuilder &builder, Location loc, Value lo, Value hi, int64_t step,
              llvm::function_ref<void(Value)> body) {
  std::optional<int64_t> first = constantOf(lo);
  std::optional<int64_t> last = constantOf(hi);
  if (first && last && *first >= *last) {
    return;
  }
  if (first && last && *first + step >= *last) {
    body(lo);
    return;
  }
  Value stepValue = arith::ConstantIndexOp::create(builder, loc, step);
  auto loop = scf::ForOp::create(builder, loc, lo, hi, stepValue);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

} // namespace zyxc
