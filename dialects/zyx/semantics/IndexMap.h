// Quasi-affine index arithmetic in canonical form: what a movement op, a view node and a kernel's
// load map are made of. Values are immutable; equal functions built the same way compare equal.
// Coefficients, constants, divisors and extents are sizes: numbers or expressions over the
// variables of a graph (runtime/core/Dim.h).
#pragma once
#include "runtime/core/Shape.h"
#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace zyxc {

class IndexExpr;

/// An atom of a linear form: a dim, or floordiv/mod of a linear form by a positive size.
struct IndexAtom {
  enum class Kind : uint8_t { Dim, FloorDiv, Mod };
  Kind kind = Kind::Dim;
  int64_t value = 0;                         ///< the dim number, or the divisor
  std::shared_ptr<const IndexExpr> argument; ///< for FloorDiv and Mod
};

/// A sum of coefficient * atom, plus a constant. Terms are sorted, coefficients nonzero.
class IndexExpr {
public:
  struct Term {
    int64_t coefficient;
    IndexAtom atom;
  };

  IndexExpr() = default;
  IndexExpr(int64_t constant) : constantPart(constant) {}
  static IndexExpr dim(int64_t number);
  static IndexExpr fromTerm(Term term);

  const std::vector<Term> &terms() const { return linear; }
  int64_t constant() const { return constantPart; }
  bool isConstant() const { return linear.empty(); }
  /// The dim number, if the expression is exactly one dim; else -1.
  int64_t asDim() const;
  /// Coefficient of the plain dim; 0 when it does not occur outside floordiv and mod.
  int64_t coefficientOf(int64_t dim) const;
  /// True if the dim occurs anywhere, floordiv and mod included.
  bool uses(int64_t dim) const;
  /// True if no floordiv or mod occurs.
  bool isLinear() const;
  /// True if a coefficient, constant or divisor is no number.
  bool hasSymbolicSizes() const;

  friend IndexExpr operator+(const IndexExpr &a, const IndexExpr &b);
  friend IndexExpr operator*(const IndexExpr &a, int64_t factor);
  friend IndexExpr operator-(const IndexExpr &a, const IndexExpr &b) { return a + b * -1; }
  friend std::strong_ordering operator<=>(const IndexExpr &a, const IndexExpr &b);
  friend bool operator==(const IndexExpr &a, const IndexExpr &b) { return (a <=> b) == 0; }

  /// Of an expression whose sizes are numbers.
  int64_t evaluate(std::span<const int64_t> dims) const;
  /// Smallest and largest value, by interval arithmetic, when dim i runs over [0, extents[i]).
  /// Extents must be positive. Sizes: compare them by dim::provablyLess. What has no bound, or one
  /// beyond it, is -2^58 or 2^58.
  std::pair<int64_t, int64_t> range(std::span<const int64_t> extents) const;
  std::string toString() const; ///< "d0 * 6 + d1 floordiv 2 + 1"

private:
  std::vector<Term> linear;
  int64_t constantPart = 0;
};

/// floor(a / divisor) and a - divisor * floor(a / divisor), simplified with the dims' extents
/// (divisor > 0 wherever a point exists; an empty `extents` means that nothing is known but that
/// dims are >= 0).
IndexExpr floorDiv(const IndexExpr &a, int64_t divisor, std::span<const int64_t> extents);
IndexExpr mod(const IndexExpr &a, int64_t divisor, std::span<const int64_t> extents);
/// `a` with dim i replaced by replacements[i], simplified for the replacements' dims' extents.
IndexExpr substitute(const IndexExpr &a, std::span<const IndexExpr> replacements,
                     std::span<const int64_t> extents);

/// A map from coordinates of a domain (numDims of them) to one expression per axis of a tensor.
struct IndexMap {
  int64_t numDims = 0;
  std::vector<IndexExpr> results;

  friend bool operator==(const IndexMap &a, const IndexMap &b) = default;
  static IndexMap identity(int64_t rank);
  bool isIdentity() const;
  /// True if the map sends every coordinate of `shape` to itself (0 will do on axes of extent 1).
  bool isIdentityOn(std::span<const int64_t> shape) const;
  bool hasSymbolicSizes() const;
  uint64_t hash() const;
  std::string toString() const; ///< "(d0, d1) -> (d1, d0)"
};

/// inner after outer: coordinates of a domain with `extents` go through outer, then inner.
IndexMap compose(const IndexMap &inner, const IndexMap &outer, std::span<const int64_t> extents);
/// The map of a reshape: coordinates of `to` into coordinates of `from` (equal element counts).
IndexMap reshapeMap(std::span<const int64_t> from, std::span<const int64_t> to);
/// Row-major linear offset of coordinates into a shape.
IndexExpr linearize(std::span<const IndexExpr> coordinates, std::span<const int64_t> shape);

} // namespace zyxc
