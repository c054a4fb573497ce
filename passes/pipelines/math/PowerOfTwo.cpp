#include "passes/pipelines/math/PowerOfTwo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace zyxc {

/// A float at least 2^23 and below 2^24 has its integer in its low bits.
static constexpr float roundToInteger = 0x1.8p23F;

RoundedInteger::RoundedInteger(const FloatMath &math, Value x, float factor) : math(math) {
  Value magic = math.constant(roundToInteger);
  rounded = factor == 1 ? math.add(x, magic) : math.fma(x, factor, magic);
  n = math.sub(rounded, magic);
}

Value RoundedInteger::power(bool halved) const {
  // What stands above the integer is shifted out.
  Value exponent = math.shiftLeft(math.bits(rounded), 23);
  return math.fromBits(math.addBits(exponent, math.integer((halved ? 126 : 127) << 23)));
}

bool Avx512::fits(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getShape() == ArrayRef<int64_t>{16};
}

Value Avx512::call(StringRef name, ArrayRef<Value> operands) const {
  return LLVM::CallIntrinsicOp::create(rewriter, loc, operands[0].getType(),
                                       rewriter.getStringAttr(name), ValueRange(operands))
      .getResult(0);
}

Value Avx512::integer(IntegerAttr value) const {
  return arith::ConstantOp::create(rewriter, loc, value);
}

static constexpr int currentRounding = 4; ///< as the control register says
static constexpr int allLanes = -1;

Value Avx512::scale(Value x, Value n) const {
  return call("llvm.x86.avx512.mask.scalef.ps.512",
              {x, n, x, integer(rewriter.getI16IntegerAttr(allLanes)),
               integer(rewriter.getI32IntegerAttr(currentRounding))});
}

Value Avx512::fraction(Value x) const {
  constexpr int downToInteger = 9; // rounds down, raises no exception
  return call("llvm.x86.avx512.mask.reduce.ps.512",
              {x, integer(rewriter.getI32IntegerAttr(downToInteger)), x,
               integer(rewriter.getI16IntegerAttr(allLanes)),
               integer(rewriter.getI32IntegerAttr(currentRounding))});
}

} // namespace zyxc
