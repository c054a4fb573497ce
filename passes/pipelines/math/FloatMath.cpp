#include "passes/pipelines/math/FloatMath.h"
#include <limits>

using namespace mlir;

namespace zyxc {

Value FloatMath::polynomial(Value x, ArrayRef<float> coefficients) const {
  Value sum = constant(coefficients.back());
  for (float coefficient : llvm::reverse(coefficients.drop_back())) {
    sum = fma(sum, x, constant(coefficient));
  }
  return sum;
}

Value FloatMath::withSignOf(Value x, Value sign) const {
  Value signBit = andBits(bits(sign), std::numeric_limits<int32_t>::min());
  return fromBits(make<arith::OrIOp>(bits(x), signBit));
}

Type FloatMath::integerType() const {
  auto vector = dyn_cast<VectorType>(type);
  Type i32 = rewriter.getI32Type();
  return vector ? Type(vector.clone(i32)) : i32;
}

Value FloatMath::splat(TypedAttr attr) const {
  if (auto vector = dyn_cast<VectorType>(type)) {
    attr = DenseElementsAttr::get(vector.clone(attr.getType()), attr);
  }
  return make<arith::ConstantOp>(attr);
}

} // namespace zyxc
