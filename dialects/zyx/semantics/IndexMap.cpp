#include "dialects/zyx/semantics/IndexMap.h"
#include "runtime/core/Dim.h"
#include "runtime/support/Hash.h"
#include <algorithm>
#include <cassert>
#include <fmt/core.h>
#include <functional>
#include <numeric>

namespace zyxc {

static int64_t floorDivInt(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q * b > a ? q - 1 : q;
}

static std::strong_ordering compareAtoms(const IndexAtom &a, const IndexAtom &b) {
  if (auto order = a.kind <=> b.kind; order != 0) {
    return order;
  }
  if (auto order = a.value <=> b.value; order != 0) {
    return order;
  }
  if (a.kind == IndexAtom::Kind::Dim) {
    return std::strong_ordering::equal;
  }
  return *a.argument <=> *b.argument;
}

std::strong_ordering operator<=>(const IndexExpr &a, const IndexExpr &b) {
  if (auto order = a.linear.size() <=> b.linear.size(); order != 0) {
    return order;
  }
  for (size_t i = 0; i < a.linear.size(); ++i) {
    if (auto order = compareAtoms(a.linear[i].atom, b.linear[i].atom); order != 0) {
      return order;
    }
    if (auto order = a.linear[i].coefficient <=> b.linear[i].coefficient; order != 0) {
      return order;
    }
  }
  return a.constantPart <=> b.constantPart;
}

IndexExpr IndexExpr::dim(int64_t number) {
  IndexExpr expr;
  expr.linear.push_back({1, {IndexAtom::Kind::Dim, number, nullptr}});
  return expr;
}

int64_t IndexExpr::asDim() const {
  if (constantPart != 0 || linear.size() != 1 || linear[0].coefficient != 1 ||
      linear[0].atom.kind != IndexAtom::Kind::Dim) {
    return -1;
  }
  return linear[0].atom.value;
}

int64_t IndexExpr::coefficientOf(int64_t dim) const {
  for (const Term &term : linear) {
    if (term.atom.kind == IndexAtom::Kind::Dim && term.atom.value == dim) {
      return term.coefficient;
    }
  }
  return 0;
}

bool IndexExpr::uses(int64_t dim) const {
  return std::any_of(linear.begin(), linear.end(), [&](const Term &term) {
    return term.atom.kind == IndexAtom::Kind::Dim ? term.atom.value == dim
                                                  : term.atom.argument->uses(dim);
  });
}

bool IndexExpr::isLinear() const {
  return std::all_of(linear.begin(), linear.end(),
                     [](const Term &term) { return term.atom.kind == IndexAtom::Kind::Dim; });
}

bool IndexExpr::hasSymbolicSizes() const {
  return dim::isSymbolic(constantPart) ||
         std::any_of(linear.begin(), linear.end(), [](const Term &term) {
           bool isDim = term.atom.kind == IndexAtom::Kind::Dim;
           return dim::isSymbolic(term.coefficient) ||
                  (!isDim &&
                   (dim::isSymbolic(term.atom.value) || term.atom.argument->hasSymbolicSizes()));
         });
}

IndexExpr operator*(const IndexExpr &a, int64_t factor) {
  if (factor == 0) {
    return {};
  }
  IndexExpr result = a;
  if (factor == 1) {
    return result;
  }
  for (IndexExpr::Term &term : result.linear) {
    term.coefficient = dim::mul(term.coefficient, factor);
  }
  result.constantPart = dim::mul(result.constantPart, factor);
  return result;
}

static bool isMod(const IndexExpr::Term &term) {
  return term.atom.kind == IndexAtom::Kind::Mod;
}

/// Replaces c*k*floordiv(e, k) + c*mod(e, k) by c*e; returns true if it did.
static bool recombine(std::vector<IndexExpr::Term> &terms, IndexExpr &recombined) {
  for (size_t m = 0; m < terms.size(); ++m) {
    if (!isMod(terms[m])) {
      continue;
    }
    // The quotient may have another form, such as floordiv(e, 36) for floordiv(e floordiv 6, 6).
    const IndexExpr &argument = *terms[m].atom.argument;
    IndexExpr quotient = floorDiv(argument, terms[m].atom.value, {});
    if (quotient.constant() != 0 || quotient.terms().size() != 1) {
      continue;
    }
    int64_t coefficient = dim::mul(dim::mul(terms[m].coefficient, terms[m].atom.value),
                                   quotient.terms()[0].coefficient);
    for (size_t d = 0; d < terms.size(); ++d) {
      if (d != m && terms[d].coefficient == coefficient &&
          compareAtoms(terms[d].atom, quotient.terms()[0].atom) == 0) {
        recombined = argument * terms[m].coefficient;
        terms.erase(terms.begin() + static_cast<int64_t>(std::max(m, d)));
        terms.erase(terms.begin() + static_cast<int64_t>(std::min(m, d)));
        return true;
      }
    }
  }
  return false;
}

IndexExpr operator+(const IndexExpr &a, const IndexExpr &b) {
  if (a.isConstant() || b.isConstant()) { // nothing meets
    IndexExpr sum = a.isConstant() ? b : a;
    sum.constantPart = dim::add(a.constantPart, b.constantPart);
    return sum;
  }
  IndexExpr sum;
  sum.constantPart = dim::add(a.constantPart, b.constantPart);
  sum.linear.reserve(a.linear.size() + b.linear.size());
  auto left = a.linear.begin();
  auto right = b.linear.begin();
  while (left != a.linear.end() || right != b.linear.end()) {
    std::strong_ordering order = left == a.linear.end()    ? std::strong_ordering::greater
                                 : right == b.linear.end() ? std::strong_ordering::less
                                                           : compareAtoms(left->atom, right->atom);
    if (order < 0) {
      sum.linear.push_back(*left++);
    } else if (order > 0) {
      sum.linear.push_back(*right++);
    } else {
      if (int64_t coefficient = dim::add(left->coefficient, right->coefficient)) {
        sum.linear.push_back({coefficient, left->atom});
      }
      ++left;
      ++right;
    }
  }
  IndexExpr recombined;
  if (recombine(sum.linear, recombined)) {
    return sum + recombined;
  }
  return sum;
}

int64_t IndexExpr::evaluate(std::span<const int64_t> dims) const {
  int64_t value = constantPart;
  for (const Term &term : linear) {
    int64_t atom;
    if (term.atom.kind == IndexAtom::Kind::Dim) {
      atom = dims[term.atom.value];
    } else {
      int64_t argument = term.atom.argument->evaluate(dims);
      int64_t quotient = floorDivInt(argument, term.atom.value);
      atom = term.atom.kind == IndexAtom::Kind::FloorDiv ? quotient
                                                         : argument - quotient * term.atom.value;
    }
    value += term.coefficient * atom;
  }
  return value;
}

//===- Ranges ---------------------------------------------------------------------------------===//

/// Stands for no bound.
static constexpr int64_t unbounded = dim::limit;

static bool isUnbounded(int64_t bound) {
  return !dim::isSymbolic(bound) && (bound >= unbounded || bound <= -unbounded);
}

/// a + b; `otherwise` if one of them is no bound or the sum is too large.
static int64_t addBounds(int64_t a, int64_t b, int64_t otherwise) {
  int64_t sum = isUnbounded(a) || isUnbounded(b) ? otherwise : dim::add(a, b);
  return sum == dim::invalid ? otherwise : sum;
}

/// coefficient * bound, for a coefficient of a known sign.
static int64_t scaleBound(int64_t coefficient, int64_t bound, int64_t otherwise) {
  int64_t product = isUnbounded(bound) ? otherwise : dim::mul(coefficient, bound);
  return product == dim::invalid ? otherwise : product;
}

using Range = std::pair<int64_t, int64_t>;

static Range rangeOfAtom(const IndexAtom &atom, std::span<const int64_t> extents) {
  switch (atom.kind) {
  case IndexAtom::Kind::Dim: {
    if (static_cast<size_t>(atom.value) >= extents.size()) {
      return {0, unbounded};
    }
    int64_t extent = extents[atom.value];
    return {0, dim::isSymbolic(extent) ? dim::sub(extent, 1) : std::max<int64_t>(extent - 1, 0)};
  }
  case IndexAtom::Kind::Mod: return {0, dim::sub(atom.value, 1)};
  case IndexAtom::Kind::FloorDiv: break;
  }
  auto [low, high] = atom.argument->range(extents);
  return {isUnbounded(low) ? low : dim::floorDiv(low, atom.value),
          isUnbounded(high) ? high : dim::floorDiv(high, atom.value)};
}

Range IndexExpr::range(std::span<const int64_t> extents) const {
  Range total = {constantPart, constantPart};
  for (const Term &term : linear) {
    auto [low, high] = rangeOfAtom(term.atom, extents);
    bool isPositive = dim::provablyAtMost(0, term.coefficient);
    if (!isPositive && !dim::provablyAtMost(term.coefficient, 0)) {
      return {-unbounded, unbounded};
    }
    int64_t least = scaleBound(term.coefficient, isPositive ? low : high, -unbounded);
    int64_t most = scaleBound(term.coefficient, isPositive ? high : low, unbounded);
    total.first = addBounds(total.first, least, -unbounded);
    total.second = addBounds(total.second, most, unbounded);
  }
  return total;
}

/// 0 <= value < bound at every point.
static bool liesWithin(const IndexExpr &value, int64_t bound, std::span<const int64_t> extents) {
  auto [low, high] = value.range(extents);
  return dim::provablyAtMost(0, low) && !isUnbounded(high) && dim::provablyLess(high, bound);
}

/// floordiv(value, divisor), if it is the same at every point.
static std::optional<int64_t> constantQuotient(const IndexExpr &value, int64_t divisor,
                                               std::span<const int64_t> extents) {
  if (liesWithin(value, divisor, extents)) {
    return 0;
  }
  auto [low, high] = value.range(extents);
  if (dim::isSymbolic(low) || dim::isSymbolic(high) || dim::isSymbolic(divisor) ||
      floorDivInt(low, divisor) != floorDivInt(high, divisor)) {
    return std::nullopt;
  }
  return floorDivInt(low, divisor);
}

//===- Division -------------------------------------------------------------------------------===//

/// Splits `a` into divisor * quotient + rest, moving every divisible term into the quotient.
static void splitDivisible(const IndexExpr &a, int64_t divisor, IndexExpr &quotient,
                           IndexExpr &rest) {
  quotient = {};
  rest = {};
  for (const IndexExpr::Term &term : a.terms()) {
    std::optional<int64_t> exact = dim::exactQuotient(term.coefficient, divisor);
    IndexExpr &part = exact ? quotient : rest;
    part = part + IndexExpr::fromTerm({exact.value_or(term.coefficient), term.atom});
  }
  int64_t whole = dim::exactQuotient(a.constant(), divisor).value_or(0);
  if (!dim::isSymbolic(a.constant()) && !dim::isSymbolic(divisor)) {
    whole = floorDivInt(a.constant(), divisor);
  }
  quotient = quotient + IndexExpr(whole);
  rest = rest + IndexExpr(dim::sub(a.constant(), dim::mul(whole, divisor)));
}

/// floordiv(floordiv(e, m), n) = floordiv(e, m * n), when `a` is exactly one such quotient.
static const IndexAtom *asSingleQuotient(const IndexExpr &a) {
  if (a.constant() == 0 && a.terms().size() == 1 && a.terms()[0].coefficient == 1 &&
      a.terms()[0].atom.kind == IndexAtom::Kind::FloorDiv) {
    return &a.terms()[0].atom;
  }
  return nullptr;
}

/// A factor that a coefficient and a divisor share: the greatest of two numbers, else the
/// coefficient if it divides the divisor.
static int64_t commonFactor(int64_t coefficient, int64_t divisor) {
  if (!dim::isSymbolic(coefficient) && !dim::isSymbolic(divisor)) {
    return std::gcd(coefficient, divisor);
  }
  return dim::exactQuotient(divisor, coefficient) ? coefficient : 1;
}

/// Writes `a` as factor * high + low with low always in [0, factor), for the largest such factor
/// > 1 of the divisor. Returns the factor, or 1 if there is none.
static int64_t splitAtFactor(const IndexExpr &a, int64_t divisor, std::span<const int64_t> extents,
                             IndexExpr &high, IndexExpr &low) {
  std::vector<int64_t> factors;
  for (const IndexExpr::Term &term : a.terms()) {
    factors.push_back(commonFactor(term.coefficient, divisor));
  }
  std::sort(factors.begin(), factors.end(),
            [](int64_t x, int64_t y) { return dim::estimate(x) > dim::estimate(y); });
  for (int64_t factor : factors) {
    if (factor <= 1) {
      continue;
    }
    splitDivisible(a, factor, high, low);
    if (liesWithin(low, factor, extents)) {
      return factor;
    }
  }
  return 1;
}

IndexExpr floorDiv(const IndexExpr &a, int64_t divisor, std::span<const int64_t> extents) {
  assert(divisor > 0 && "a divisor is positive");
  if (divisor == 1) {
    return a;
  }
  IndexExpr quotient;
  IndexExpr rest;
  splitDivisible(a, divisor, quotient, rest);
  if (std::optional<int64_t> constant = constantQuotient(rest, divisor, extents)) {
    return quotient + IndexExpr(*constant);
  }
  IndexExpr highPart;
  IndexExpr lowPart;
  if (int64_t factor = splitAtFactor(rest, divisor, extents, highPart, lowPart); factor > 1) {
    // floor((f*e + l) / (f*n)) = floor(e / n) for integers and 0 <= l < f.
    return quotient + floorDiv(highPart, *dim::exactQuotient(divisor, factor), extents);
  }
  if (const IndexAtom *inner = asSingleQuotient(rest)) {
    return quotient + floorDiv(*inner->argument, dim::mul(inner->value, divisor), extents);
  }
  return quotient +
         IndexExpr::fromTerm(
             {1, {IndexAtom::Kind::FloorDiv, divisor, std::make_shared<const IndexExpr>(rest)}});
}

IndexExpr mod(const IndexExpr &a, int64_t divisor, std::span<const int64_t> extents) {
  assert(divisor > 0 && "a divisor is positive");
  if (divisor == 1) {
    return {};
  }
  IndexExpr quotient;
  IndexExpr rest;
  splitDivisible(a, divisor, quotient, rest);
  if (std::optional<int64_t> constant = constantQuotient(rest, divisor, extents)) {
    return rest - IndexExpr(dim::mul(*constant, divisor));
  }
  // mod(mod(e, k * n), n) = mod(e, n)
  if (rest.constant() == 0 && rest.terms().size() == 1 && rest.terms()[0].coefficient == 1 &&
      isMod(rest.terms()[0]) && dim::exactQuotient(rest.terms()[0].atom.value, divisor)) {
    return mod(*rest.terms()[0].atom.argument, divisor, extents);
  }
  IndexExpr highPart;
  IndexExpr lowPart;
  if (int64_t factor = splitAtFactor(rest, divisor, extents, highPart, lowPart); factor > 1) {
    // mod(f*e + l, f*n) = f * mod(e, n) + l for integers and 0 <= l < f.
    return mod(highPart, *dim::exactQuotient(divisor, factor), extents) * factor + lowPart;
  }
  return IndexExpr::fromTerm(
      {1, {IndexAtom::Kind::Mod, divisor, std::make_shared<const IndexExpr>(rest)}});
}

IndexExpr substitute(const IndexExpr &a, std::span<const IndexExpr> replacements,
                     std::span<const int64_t> extents) {
  if (int64_t dim = a.asDim(); dim >= 0) {
    return replacements[dim];
  }
  IndexExpr result(a.constant());
  for (const IndexExpr::Term &term : a.terms()) {
    IndexExpr atom;
    if (term.atom.kind == IndexAtom::Kind::Dim) {
      assert(term.atom.value < static_cast<int64_t>(replacements.size()));
      atom = replacements[term.atom.value];
    } else {
      IndexExpr argument = substitute(*term.atom.argument, replacements, extents);
      atom = term.atom.kind == IndexAtom::Kind::FloorDiv
                 ? floorDiv(argument, term.atom.value, extents)
                 : mod(argument, term.atom.value, extents);
    }
    result = result + atom * term.coefficient;
  }
  return result;
}

IndexExpr IndexExpr::fromTerm(Term term) {
  IndexExpr expr;
  if (term.coefficient != 0) {
    expr.linear.push_back(std::move(term));
  }
  return expr;
}

/// A size in a product.
static std::string factorText(int64_t size) {
  std::string text = dim::toString(size);
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

std::string IndexExpr::toString() const {
  std::string text;
  for (const Term &term : linear) {
    text += text.empty() ? "" : " + ";
    switch (term.atom.kind) {
    case IndexAtom::Kind::Dim: text += fmt::format("d{}", term.atom.value); break;
    case IndexAtom::Kind::FloorDiv:
      text += fmt::format("(({}) floordiv {})", term.atom.argument->toString(),
                          factorText(term.atom.value));
      break;
    case IndexAtom::Kind::Mod:
      text +=
          fmt::format("(({}) mod {})", term.atom.argument->toString(), factorText(term.atom.value));
      break;
    }
    if (term.coefficient != 1) {
      text += " * " + factorText(term.coefficient);
    }
  }
  if (constantPart != 0 || text.empty()) {
    text += text.empty() ? dim::toString(constantPart) : " + " + dim::toString(constantPart);
  }
  return text;
}

IndexMap IndexMap::identity(int64_t rank) {
  IndexMap map;
  map.numDims = rank;
  for (int64_t i = 0; i < rank; ++i) {
    map.results.push_back(IndexExpr::dim(i));
  }
  return map;
}

bool IndexMap::isIdentity() const {
  return *this == identity(numDims);
}

bool IndexMap::isIdentityOn(std::span<const int64_t> shape) const {
  if (numDims != static_cast<int64_t>(shape.size()) || results.size() != shape.size()) {
    return false;
  }
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    bool zero = shape[axis] <= 1 && results[axis] == IndexExpr(0);
    if (!zero && results[axis].asDim() != static_cast<int64_t>(axis)) {
      return false;
    }
  }
  return true;
}

bool IndexMap::hasSymbolicSizes() const {
  return std::any_of(results.begin(), results.end(),
                     [](const IndexExpr &expr) { return expr.hasSymbolicSizes(); });
}

static uint64_t hashExpr(const IndexExpr &expr, uint64_t hash) {
  hash = hashMix(hash, static_cast<uint64_t>(expr.constant()));
  for (const IndexExpr::Term &term : expr.terms()) {
    hash = hashMix(hash, static_cast<uint64_t>(term.coefficient));
    hash = hashMix(hash, static_cast<uint64_t>(term.atom.kind) << 56 ^
                             static_cast<uint64_t>(term.atom.value));
    if (term.atom.argument) {
      hash = hashExpr(*term.atom.argument, hash);
    }
  }
  return hashMix(hash, expr.terms().size());
}

uint64_t IndexMap::hash() const {
  uint64_t hash = hashMix(static_cast<uint64_t>(numDims), results.size());
  for (const IndexExpr &expr : results) {
    hash = hashExpr(expr, hash);
  }
  return hash;
}

std::string IndexMap::toString() const {
  std::string text = "(";
  for (int64_t i = 0; i < numDims; ++i) {
    text += fmt::format("{}d{}", i ? ", " : "", i);
  }
  text += ") -> (";
  for (size_t i = 0; i < results.size(); ++i) {
    text += (i ? ", " : "") + results[i].toString();
  }
  return text + ")";
}

IndexMap compose(const IndexMap &inner, const IndexMap &outer, std::span<const int64_t> extents) {
  assert(inner.numDims == static_cast<int64_t>(outer.results.size()));
  IndexMap map;
  map.numDims = outer.numDims;
  for (const IndexExpr &expr : inner.results) {
    map.results.push_back(substitute(expr, outer.results, extents));
  }
  return map;
}

IndexExpr linearize(std::span<const IndexExpr> coordinates, std::span<const int64_t> shape) {
  Shape strides = rowMajorStrides(shape);
  IndexExpr offset;
  for (size_t i = 0; i < coordinates.size(); ++i) {
    offset = offset + coordinates[i] * strides[i];
  }
  return offset;
}

IndexMap reshapeMap(std::span<const int64_t> from, std::span<const int64_t> to) {
  IndexMap map = IndexMap::identity(static_cast<int64_t>(to.size()));
  for (size_t i = 0; i < to.size(); ++i) {
    map.results[i] = to[i] <= 1 ? IndexExpr(0) : map.results[i];
  }
  IndexExpr offset = linearize(map.results, to);
  map.results.clear();
  Shape strides = rowMajorStrides(from);
  bool empty = numElements(from) == 0; // no coordinate exists: any map will do
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] <= 1 || empty) {
      map.results.emplace_back(0);
      continue;
    }
    IndexExpr quotient = floorDiv(offset, strides[i], to);
    map.results.push_back(i == 0 ? quotient : mod(quotient, from[i], to));
  }
  return map;
}

} // namespace zyxc
