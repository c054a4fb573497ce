// Index arithmetic at several lanes at once: affine expressions whose dims have one coordinate per
// lane. Uniform parts stay scalars and constant steps stay constants for as long as possible,
// because they decide whether an access is contiguous, strided or a gather.
#pragma once
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "passes/lower/emit/sizes/RuntimeSizes.h"
#include <numeric>

namespace zyxc {

/// A coordinate at each lane: base + offset + step * lane, plus lanes[lane] if `lanes` is set.
struct LaneIndex {
  mlir::Value base;    ///< index; null stands for 0
  int64_t offset = 0;  ///< the constant part
  int64_t step = 0;    ///< 0: the same at every lane (unless `lanes` is set)
  mlir::Value lanes;   ///< vector<width x index> or null
  int64_t divisor = 1; ///< `base` is a multiple of it

  bool isUniform() const { return step == 0 && !lanes; }
  bool isConstant() const { return isUniform() && !base; }
  /// A number that divides base + offset; 0 if that is 0.
  int64_t firstDivisor() const { return std::gcd(base ? divisor : 0, offset); }
  static LaneIndex uniform(mlir::Value base, int64_t divisor = 1) {
    return {base, 0, 0, mlir::Value(), divisor};
  }
  static LaneIndex strided(mlir::Value base, int64_t step, int64_t divisor = 1) {
    return {base, 0, step, mlir::Value(), divisor};
  }
  static LaneIndex perLane(mlir::Value lanes) { return {mlir::Value(), 0, 0, lanes}; }
  static LaneIndex constant(int64_t value) { return {mlir::Value(), value, 0, mlir::Value()}; }
};

/// Builds index arithmetic at the insertion point of a builder. Width 0: one lane, whose
/// coordinates are scalars. `sizes`: what symbols are; null where none occurs.
class LaneIndexEmitter {
public:
  LaneIndexEmitter(mlir::OpBuilder &builder, mlir::Location loc, int64_t width,
                   RuntimeSizes *sizes = nullptr)
      : builder(builder), loc(loc), width(width), sizes(sizes) {}

  LaneIndex add(LaneIndex a, LaneIndex b);
  LaneIndex scale(LaneIndex a, int64_t factor);
  /// Rounded toward minus infinity, and the remainder in [0, divisor); divisor > 0.
  LaneIndex floorDiv(LaneIndex a, int64_t divisor);
  LaneIndex mod(LaneIndex a, int64_t divisor);
  // The same with values of type index.
  LaneIndex scale(LaneIndex a, mlir::Value factor);
  LaneIndex floorDiv(LaneIndex a, mlir::Value divisor);
  LaneIndex mod(LaneIndex a, mlir::Value divisor);
  /// Limited to [0, size - 1].
  LaneIndex clamp(LaneIndex a, int64_t size);
  /// Limited to [0, size - 1]; to 0 if the size is 0.
  LaneIndex clamp(LaneIndex a, mlir::Value size);
  /// `expr` with dim i at dims[i].
  LaneIndex evaluate(mlir::AffineExpr expr, llvm::ArrayRef<LaneIndex> dims);

  /// base + offset: a uniform coordinate, or the first lane without `lanes`.
  mlir::Value first(const LaneIndex &a);
  /// The coordinate at every lane: vector<width x index>.
  mlir::Value vector(const LaneIndex &a);
  /// a >= 0, or a == 0 for `equality`: i1 if uniform, else vector<width x i1>. `narrow`: every
  /// value fits in 32 bits.
  mlir::Value holds(const LaneIndex &a, bool equality, bool narrow);
  /// The same of values that may need more bits, in 32 bits all the same where the lanes are a
  /// constant step apart.
  mlir::Value holdsWide(const LaneIndex &a, bool equality);
  mlir::VectorType vectorType(mlir::Type element) {
    return mlir::VectorType::get({width}, element);
  }

private:
  mlir::Value scalarConstant(int64_t value);
  mlir::Value splat(mlir::Value scalar);
  mlir::Value splatConstant(int64_t value);
  /// 0, step, 2 * step, ... as a constant vector of an integer or index type.
  mlir::Value steps(int64_t step, mlir::Type element);
  /// floordiv (or mod) of a scalar or a vector.
  mlir::Value divide(mlir::Value a, int64_t divisor, bool remainder);
  mlir::Value divide(mlir::Value a, mlir::Value by, bool remainder);
  mlir::Value compareSteps(mlir::Value least, int64_t step, bool equality);
  LaneIndex evaluateSized(mlir::AffineBinaryOpExpr expr, llvm::ArrayRef<LaneIndex> dims);
  mlir::Value constantLike(mlir::Value like, int64_t value);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  int64_t width;
  RuntimeSizes *sizes;
};

} // namespace zyxc
