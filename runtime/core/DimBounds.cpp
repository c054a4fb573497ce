// Bounds of sizes for all values >= 0 of their variables: interval arithmetic, and the replacement
// of min, max and floordiv by something that is not larger.
#include "runtime/core/DimStore.h"
#include <algorithm>
#include <mutex>
#include <numeric>
#include <unordered_map>

namespace zyxc::dim {

/// Replacements inside each other, and bounds that may be formed for one question: sums of many
/// min and max have many combinations.
static constexpr int maxDepth = 3;
static constexpr int maxWork = 200;

namespace {

/// How far the search for a bound has come.
struct Search {
  int &work; ///< bounds that may still be formed
  int depth = 0;
  Search deeper() const { return {work, depth + 1}; }
};

} // namespace

static std::optional<int64_t> lower(int64_t size, Search search);
static std::optional<int64_t> upper(int64_t size, Search search);

static std::optional<int64_t> largest(std::optional<int64_t> a, std::optional<int64_t> b) {
  return a && b ? std::max(*a, *b) : a ? a : b;
}

static std::optional<int64_t> lowerOfFactor(const Factor &factor, Search search) {
  if (factor.kind == Factor::Kind::Variable) {
    return 0;
  }
  std::optional<int64_t> a = lower(factor.a, search.deeper());
  std::optional<int64_t> b = lower(factor.b, search.deeper());
  switch (factor.kind) {
  case Factor::Kind::Variable: break;
  case Factor::Kind::FloorDiv:
    if (!isSymbolic(factor.b)) {
      return a ? std::optional(floorDiv(*a, factor.b)) : std::nullopt;
    }
    return a && *a >= 0 ? std::optional<int64_t>(0) : std::nullopt;
  case Factor::Kind::Min: return a && b ? std::optional(std::min(*a, *b)) : std::nullopt;
  case Factor::Kind::Max: return largest(a, b);
  }
  return std::nullopt;
}

static std::optional<int64_t> upperOfFactor(const Factor &factor, Search search) {
  if (factor.kind == Factor::Kind::Variable) {
    return std::nullopt;
  }
  std::optional<int64_t> a = upper(factor.a, search.deeper());
  std::optional<int64_t> b = upper(factor.b, search.deeper());
  switch (factor.kind) {
  case Factor::Kind::Variable: break;
  case Factor::Kind::FloorDiv:
    if (!isSymbolic(factor.b)) {
      return a ? std::optional(floorDiv(*a, factor.b)) : std::nullopt;
    }
    return a && *a >= 0 ? a : std::nullopt;
  case Factor::Kind::Min: return a && b ? std::optional(std::min(*a, *b)) : a ? a : b;
  case Factor::Kind::Max: return a && b ? std::optional(std::max(*a, *b)) : std::nullopt;
  }
  return std::nullopt;
}

/// The bound of coefficient * product of the factors from below.
static std::optional<int64_t> lowerOfTerm(const Term &term, Search search) {
  bool wantsUpper = term.coefficient < 0;
  int64_t product = term.coefficient;
  for (const Factor &factor : term.factors) {
    std::optional<int64_t> least = lowerOfFactor(factor, search);
    std::optional<int64_t> bound = wantsUpper ? upperOfFactor(factor, search) : least;
    if (!least || *least < 0 || !bound) {
      // One factor that may be negative is bounded as well as several that may not.
      if (term.factors.size() > 1 || !bound) {
        return std::nullopt;
      }
    }
    product = mul(product, *bound);
    if (product == invalid) {
      return std::nullopt;
    }
  }
  return product;
}

static std::optional<int64_t> lowerBySums(int64_t size, Search search) {
  int64_t sum = 0;
  for (const Term &term : terms(size)) {
    std::optional<int64_t> part = lowerOfTerm(term, search);
    if (!part) {
      return std::nullopt;
    }
    sum = add(sum, *part);
  }
  return sum == invalid ? std::nullopt : std::optional(sum);
}

/// Sizes that coefficient * factor is never below.
static std::vector<int64_t> notLarger(int64_t coefficient, const Factor &factor, Search search) {
  switch (factor.kind) {
  case Factor::Kind::Variable: break;
  case Factor::Kind::Min:
    return coefficient < 0 ? std::vector{mul(coefficient, factor.a), mul(coefficient, factor.b)}
                           : std::vector<int64_t>();
  case Factor::Kind::Max:
    return coefficient > 0 ? std::vector{mul(coefficient, factor.a), mul(coefficient, factor.b)}
                           : std::vector<int64_t>();
  case Factor::Kind::FloorDiv: {
    std::vector<int64_t> result;
    if (!isSymbolic(factor.b) && factor.b > 0 && coefficient % factor.b == 0) {
      // b * floordiv(a, b) lies in [a - b + 1, a].
      int64_t times = coefficient / factor.b;
      int64_t end = coefficient < 0 ? factor.a : sub(factor.a, factor.b - 1);
      result.push_back(mul(times, end));
    }
    std::optional<int64_t> least = lower(factor.a, search.deeper());
    if (coefficient < 0 && least && *least >= 0) {
      result.push_back(mul(coefficient, factor.a)); // floordiv(a, b) <= a
    }
    return result;
  }
  }
  return {};
}

/// The least of what coefficient * factor can be, where it is one of two sizes.
static std::vector<int64_t> alternatives(int64_t coefficient, const Factor &factor) {
  bool splits = (factor.kind == Factor::Kind::Min && coefficient > 0) ||
                (factor.kind == Factor::Kind::Max && coefficient < 0);
  return splits ? std::vector{mul(coefficient, factor.a), mul(coefficient, factor.b)}
                : std::vector<int64_t>();
}

static std::optional<int64_t> lower(int64_t size, Search search) {
  if (!isSymbolic(size)) {
    return size == invalid ? std::nullopt : std::optional(size);
  }
  if (search.depth > maxDepth || --search.work < 0) {
    return std::nullopt;
  }
  std::optional<int64_t> best = lowerBySums(size, search);
  std::vector<Term> all = terms(size);
  for (const Term &term : all) {
    for (size_t i = 0; i < term.factors.size(); ++i) {
      int64_t rest = 1;
      bool positive = true;
      int64_t whole = term.coefficient;
      for (size_t other = 0; other < term.factors.size(); ++other) {
        const Factor &factor = term.factors[other];
        int64_t value = sizeOf(factor);
        whole = mul(whole, value);
        if (other != i) {
          std::optional<int64_t> least = lowerOfFactor(factor, search);
          positive &= least && *least >= 0;
          rest = mul(rest, value);
        }
      }
      if (!positive) {
        continue;
      }
      for (int64_t part : notLarger(term.coefficient, term.factors[i], search)) {
        best = largest(best, lower(add(sub(size, whole), mul(part, rest)), search.deeper()));
      }
      std::optional<int64_t> least;
      bool bounded = true;
      for (int64_t part : alternatives(term.coefficient, term.factors[i])) {
        std::optional<int64_t> one =
            bounded ? lower(add(sub(size, whole), mul(part, rest)), search.deeper()) : std::nullopt;
        bounded &= one.has_value();
        least = least && one ? std::min(*least, *one) : one;
      }
      best = bounded ? largest(best, least) : best;
    }
  }
  return best;
}

/// The least multiple of the divisors of quotients among a size's terms; 1 for divisors that are
/// not small numbers. That often, floordiv(a, b) + floordiv(c, b) is about a + c.
static int64_t commonDivisor(int64_t size) {
  constexpr int64_t most = 64;
  int64_t multiple = 1;
  for (const Term &term : terms(size)) {
    for (const Factor &factor : term.factors) {
      bool isSmall = factor.kind == Factor::Kind::FloorDiv && !isSymbolic(factor.b) &&
                     factor.b > 0 && factor.b <= most;
      multiple = isSmall ? std::min(std::lcm(multiple, factor.b), most + 1) : multiple;
    }
  }
  return multiple <= most ? multiple : 1;
}

/// lower(), and the bound that a multiple of the size has.
static std::optional<int64_t> lowerByMultiple(int64_t size) {
  int work = maxWork;
  std::optional<int64_t> bound = lower(size, {work});
  int64_t times = commonDivisor(size);
  if (times == 1) {
    return bound;
  }
  work = maxWork;
  std::optional<int64_t> multiple = lower(mul(size, times), {work});
  return largest(bound, multiple ? std::optional(ceilDiv(*multiple, times)) : std::nullopt);
}

static std::optional<int64_t> upper(int64_t size, Search search) {
  std::optional<int64_t> negated = lower(mul(size, -1), search);
  return negated ? std::optional(-*negated) : std::nullopt;
}

std::optional<int64_t> lowerBound(int64_t size) {
  if (!isSymbolic(size)) {
    return size == invalid ? std::nullopt : std::optional(size);
  }
  // Sizes never change, so what was found once holds.
  static std::mutex mutex;
  static auto *known = new std::unordered_map<int64_t, std::optional<int64_t>>;
  {
    std::lock_guard lock(mutex);
    if (auto at = known->find(size); at != known->end()) {
      return at->second;
    }
  }
  std::optional<int64_t> bound = lowerByMultiple(size);
  std::lock_guard lock(mutex);
  known->emplace(size, bound);
  return bound;
}

std::optional<int64_t> upperBound(int64_t size) {
  std::optional<int64_t> negated = lowerBound(mul(size, -1));
  return negated ? std::optional(-*negated) : std::nullopt;
}

bool provablyAtMost(int64_t a, int64_t b) {
  if (a == invalid || b == invalid) {
    return false;
  }
  if (!isSymbolic(a) && !isSymbolic(b)) {
    return a <= b;
  }
  std::optional<int64_t> least = lowerBound(sub(b, a));
  return least && *least >= 0;
}

bool provablyLess(int64_t a, int64_t b) {
  if (!isSymbolic(a) && !isSymbolic(b)) {
    return a != invalid && b != invalid && a < b;
  }
  return provablyAtMost(add(a, 1), b);
}

} // namespace zyxc::dim
