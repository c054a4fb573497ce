#include "passes/pipelines/math/PowerOfTwo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/bit.h"
#include <cmath>

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

bool TablePower::fits(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getShape() == ArrayRef<int64_t>{8};
}

TablePower::TablePower(PatternRewriter &rewriter, Location loc, Value x) {
  // x = k / 8 + r: adding a number from 2^20 to 2^21 leaves k in the low bits. What k's lowest bits
  // will add to the mantissa is taken off the table of 2^(k / 8 - 1) beforehand.
  constexpr float roundToEighth = 0x1.8p20F;
  constexpr int mantissaBits = 23, indexBits = 3;
  constexpr float terms[] = {2.0F, 2 * 0x1.62e432p-1F, 2 * 0x1.ec0c68p-3F, 2 * 0x1.c67d5ep-5F};
  FloatMath math(rewriter, loc, x.getType());
  Value rounded = math.add(x, roundToEighth);
  Value r = math.sub(x, math.add(rounded, -roundToEighth));
  Value k = math.bits(rounded);
  SmallVector<float> table;
  for (uint32_t i = 0; i < 1 << indexBits; ++i) {
    auto power = static_cast<float>(std::exp2(i / 8.0 - 1));
    table.push_back(
        llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(power) - (i << (mantissaBits - indexBits))));
  }
  auto type = cast<VectorType>(x.getType());
  Value entries = arith::ConstantOp::create(rewriter, loc,
                                            DenseElementsAttr::get(type, ArrayRef<float>(table)));
  Value entry = LLVM::CallIntrinsicOp::create(rewriter, loc, type,
                                              rewriter.getStringAttr("llvm.x86.avx2.permps"),
                                              ValueRange{entries, k})
                    .getResult(0);
  Value exponent = math.shiftLeft(k, mantissaBits - indexBits);
  q = math.fromBits(math.addBits(math.bits(entry), exponent));
  p = math.polynomial(r, terms); // exp2-8th
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

Value Avx512::scale(Value x, Value n, float least) const {
  FloatMath math(rewriter, loc, x.getType());
  Value isScaled = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UGE, n,
                                         math.constant(least)); // NaN, too
  Value mask = LLVM::BitcastOp::create(rewriter, loc, rewriter.getI16Type(), isScaled);
  return call("llvm.x86.avx512.mask.scalef.ps.512",
              {x, n, math.constant(0), mask, integer(rewriter.getI32IntegerAttr(currentRounding))});
}

Value Avx512::fraction(Value x) const {
  constexpr int downToInteger = 9; // rounds down, raises no exception
  return call("llvm.x86.avx512.mask.reduce.ps.512",
              {x, integer(rewriter.getI32IntegerAttr(downToInteger)), x,
               integer(rewriter.getI16IntegerAttr(allLanes)),
               integer(rewriter.getI32IntegerAttr(currentRounding))});
}

} // namespace zyxc
