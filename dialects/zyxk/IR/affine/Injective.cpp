#include "dialects/zyxk/IR/affine/Injective.h"
#include "dialects/zyxk/IR/Ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

using namespace mlir;

namespace zyxc::zyxk {

/// Points that are tried one by one, and steps of the search for a difference of zero.
static constexpr int64_t mostPoints = int64_t(1) << 20;
static constexpr int64_t mostSteps = int64_t(1) << 20;

namespace {

/// A digit of a dim: (dim floordiv weight) mod count.
struct Digit {
  unsigned dim;
  int64_t weight;
  int64_t count;
};

/// A sum of digits times numbers. Values are below 2^63, the kernel's verifier sees to that.
struct Sum {
  int64_t constant = 0;
  std::map<unsigned, int64_t> terms; ///< factor of each digit
};

/// Dims as digits, so that quotients and remainders of the expression are sums of digits, too.
class Digits {
public:
  Digits(AffineExpr expr, ArrayRef<int64_t> extents);

  std::optional<Sum> sumOf(AffineExpr expr) const;

  std::vector<Digit> digits;
  bool isExact = true; ///< every choice of digits is a point of the box

private:
  std::optional<Sum> divide(const Sum &dividend, int64_t divisor, bool remainder) const;
};

} // namespace

/// Adds the numbers at which quotients and remainders cut dims into digits.
static void collectCuts(AffineExpr expr, std::vector<std::vector<int64_t>> &cuts) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    return;
  }
  collectCuts(binary.getLHS(), cuts);
  collectCuts(binary.getRHS(), cuts);
  auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  bool divides =
      expr.getKind() == AffineExprKind::FloorDiv || expr.getKind() == AffineExprKind::Mod;
  if (!divides || !divisor || divisor.getValue() <= 1) {
    return;
  }
  // A dim with factor a in the dividend is cut at divisor / a.
  SmallVector<AffineExpr> addends = {binary.getLHS()};
  while (!addends.empty()) {
    AffineExpr addend = addends.pop_back_val();
    auto part = dyn_cast<AffineBinaryOpExpr>(addend);
    if (part && addend.getKind() == AffineExprKind::Add) {
      addends.append({part.getLHS(), part.getRHS()});
      continue;
    }
    int64_t factor = 1;
    if (part && addend.getKind() == AffineExprKind::Mul && isa<AffineConstantExpr>(part.getRHS())) {
      factor = cast<AffineConstantExpr>(part.getRHS()).getValue();
      addend = part.getLHS();
    }
    auto dim = dyn_cast<AffineDimExpr>(addend);
    if (dim && dim.getPosition() < cuts.size() && factor > 0 && divisor.getValue() % factor == 0) {
      cuts[dim.getPosition()].push_back(divisor.getValue() / factor);
    }
  }
}

Digits::Digits(AffineExpr expr, ArrayRef<int64_t> extents) {
  std::vector<std::vector<int64_t>> cuts(extents.size());
  collectCuts(expr, cuts);
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    std::vector<int64_t> &own = cuts[dim];
    std::sort(own.begin(), own.end());
    int64_t weight = 1;
    for (int64_t cut : own) {
      if (cut % weight == 0 && cut > weight && cut < extent) {
        digits.push_back({static_cast<unsigned>(dim), weight, cut / weight});
        isExact &= extent % cut == 0;
        weight = cut;
      }
    }
    digits.push_back({static_cast<unsigned>(dim), weight,
                      static_cast<int64_t>(llvm::divideCeil(extent, weight))});
  }
}

/// The quotient or the remainder, if the terms that are no multiple of the divisor stay below it.
std::optional<Sum> Digits::divide(const Sum &dividend, int64_t divisor, bool remainder) const {
  Sum multiple;
  Sum rest;
  rest.constant = dividend.constant - llvm::divideFloorSigned(dividend.constant, divisor) * divisor;
  multiple.constant = llvm::divideFloorSigned(dividend.constant, divisor);
  int64_t least = rest.constant;
  int64_t most = rest.constant;
  for (auto [digit, factor] : dividend.terms) {
    if (factor % divisor == 0) {
      multiple.terms[digit] = factor / divisor;
      continue;
    }
    rest.terms[digit] = factor;
    int64_t reach = 0;
    if (__builtin_mul_overflow(factor, digits[digit].count - 1, &reach) ||
        __builtin_add_overflow(reach > 0 ? most : least, reach, reach > 0 ? &most : &least)) {
      return std::nullopt;
    }
  }
  if (least < 0 || most >= divisor) {
    return std::nullopt;
  }
  return remainder ? rest : multiple;
}

std::optional<Sum> Digits::sumOf(AffineExpr expr) const {
  Sum sum;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    sum.constant = constant.getValue();
    return sum;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    for (auto [i, digit] : llvm::enumerate(digits)) {
      if (digit.dim == dim.getPosition()) {
        sum.terms[i] = digit.weight;
      }
    }
    return sum;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  std::optional<Sum> left = binary ? sumOf(binary.getLHS()) : std::nullopt;
  std::optional<Sum> right = left ? sumOf(binary.getRHS()) : std::nullopt;
  if (!right) {
    return std::nullopt;
  }
  if (expr.getKind() == AffineExprKind::Add) {
    left->constant += right->constant;
    for (auto [digit, factor] : right->terms) {
      left->terms[digit] += factor;
    }
    return left;
  }
  if (!right->terms.empty()) {
    return std::nullopt;
  }
  switch (expr.getKind()) {
  case AffineExprKind::Mul:
    left->constant *= right->constant;
    for (auto &term : left->terms) {
      term.second *= right->constant;
    }
    return left;
  case AffineExprKind::FloorDiv:
  case AffineExprKind::Mod:
    return right->constant > 0
               ? divide(*left, right->constant, expr.getKind() == AffineExprKind::Mod)
               : std::nullopt;
  default: return std::nullopt;
  }
}

//===- Differences ---------------------------------------------------------------------------===//

namespace {

/// A stride and the largest difference of its digit.
struct Stride {
  int64_t stride;
  int64_t reach;
};

/// Searches differences of digits, not all zero, whose sum is zero.
class DifferenceSearch {
public:
  explicit DifferenceSearch(std::vector<Stride> given) : strides(std::move(given)) {
    std::sort(strides.begin(), strides.end(),
              [](const Stride &a, const Stride &b) { return a.stride < b.stride; });
    below.push_back(0);
    for (const Stride &stride : strides) {
      int64_t reach = 0;
      if (__builtin_mul_overflow(stride.stride, stride.reach, &reach) ||
          __builtin_add_overflow(below.back(), reach, &reach)) {
        left = 0;
        return;
      }
      below.push_back(reach);
    }
  }

  /// Nothing if it takes too long.
  std::optional<bool> found() {
    bool result = left > 0 && search(strides.size(), 0, true);
    return left > 0 ? std::optional(result) : std::nullopt;
  }

private:
  /// Can the strides below `level` make `sum` zero? `allZero`: no difference was chosen yet.
  bool search(size_t level, int64_t sum, bool allZero) {
    if (--left <= 0 || std::abs(sum) > below[level]) {
      return false;
    }
    if (level == 0) {
      return !allZero;
    }
    auto [stride, reach] = strides[level - 1];
    // sum + stride * d must be within reach of the rest; of a difference and its negative one is
    // enough.
    int64_t low = std::max(-reach, llvm::divideCeilSigned(-below[level - 1] - sum, stride));
    int64_t high = std::min(reach, llvm::divideFloorSigned(below[level - 1] - sum, stride));
    for (int64_t d = allZero ? std::max<int64_t>(low, 0) : low; d <= high && left > 0; ++d) {
      if (search(level - 1, sum + stride * d, allZero && d == 0)) {
        return true;
      }
    }
    return false;
  }

  std::vector<Stride> strides; ///< the smallest first
  std::vector<int64_t> below;  ///< what all strides before this one reach together
  int64_t left = mostSteps;
};

} // namespace

//===- Points --------------------------------------------------------------------------------===//

static int64_t valueAt(AffineExpr expr, ArrayRef<int64_t> point) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    return constant.getValue();
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    return point[dim.getPosition()];
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t left = valueAt(binary.getLHS(), point);
  int64_t right = valueAt(binary.getRHS(), point);
  switch (expr.getKind()) {
  case AffineExprKind::Add: return left + right;
  case AffineExprKind::Mul: return left * right;
  case AffineExprKind::FloorDiv: return llvm::divideFloorSigned(left, right);
  case AffineExprKind::CeilDiv: return llvm::divideCeilSigned(left, right);
  default: return llvm::mod(left, right);
  }
}

/// Tries all points; nothing if there are too many.
static std::optional<bool> differsEverywhere(AffineExpr expr, ArrayRef<int64_t> extents) {
  int64_t points = 1;
  for (int64_t extent : extents) {
    if (__builtin_mul_overflow(points, extent, &points) || points > mostPoints) {
      return std::nullopt;
    }
  }
  if (!rangeOf(expr, extents)) {
    return std::nullopt; // symbols, or beyond 64 bits
  }
  std::vector<int64_t> values;
  values.reserve(points);
  SmallVector<int64_t> point(extents.size(), 0);
  for (int64_t i = 0; i < points; ++i) {
    values.push_back(valueAt(expr, point));
    for (size_t axis = extents.size(); axis-- > 0 && ++point[axis] == extents[axis];) {
      point[axis] = 0;
    }
  }
  std::sort(values.begin(), values.end());
  return std::adjacent_find(values.begin(), values.end()) == values.end();
}

std::optional<bool> isInjective(AffineExpr expr, ArrayRef<int64_t> extents) {
  if (llvm::any_of(extents, [](int64_t extent) { return extent <= 0; })) {
    return true;
  }
  Digits digits(expr, extents);
  if (std::optional<Sum> sum = rangeOf(expr, extents) ? digits.sumOf(expr) : std::nullopt) {
    std::vector<Stride> strides;
    bool missesDigit = false;
    for (auto [i, digit] : llvm::enumerate(digits.digits)) {
      auto term = sum->terms.find(i);
      int64_t stride = term == sum->terms.end() ? 0 : std::abs(term->second);
      if (digit.count > 1 && stride == 0) {
        missesDigit = true;
      } else if (digit.count > 1) {
        strides.push_back({stride, digit.count - 1});
      }
    }
    std::optional<bool> found = missesDigit ? true : DifferenceSearch(std::move(strides)).found();
    // Digits beyond the end of a dim may be what meets.
    if (found && (!*found || digits.isExact)) {
      return !*found;
    }
  }
  return differsEverywhere(expr, extents);
}

} // namespace zyxc::zyxk
