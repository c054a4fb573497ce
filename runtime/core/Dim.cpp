#include "runtime/core/Dim.h"
#include "runtime/core/DimStore.h"
#include <algorithm>

namespace zyxc::dim {

bool anySymbolic(std::span<const int64_t> sizes) {
  return std::any_of(sizes.begin(), sizes.end(), isSymbolic);
}

static bool isNumber(int64_t a, int64_t b) {
  return !isSymbolic(a) && !isSymbolic(b);
}

static int64_t checked(__int128 number) {
  return number > limit || number < -limit ? invalid : static_cast<int64_t>(number);
}

bool isVariableName(std::string_view name) {
  auto isLetter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  auto isOther = [](char c) {
    return (c >= '0' && c <= '9') || c == '.';
  };
  return !name.empty() && isLetter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return isLetter(c) || isOther(c); });
}

int64_t variable(std::string_view name) {
  if (!isVariableName(name)) {
    return invalid;
  }
  return sizeOf(internFactor({Factor::Kind::Variable, std::string(name), 0, 0}));
}

//===- Sums and products ----------------------------------------------------------------------===//

int64_t add(int64_t a, int64_t b) {
  if (a == invalid || b == invalid) {
    return invalid;
  }
  if (isNumber(a, b)) {
    return checked(static_cast<__int128>(a) + b);
  }
  Polynomial sum = polynomialOf(a);
  Polynomial other = polynomialOf(b);
  sum.insert(sum.end(), other.begin(), other.end());
  return sizeOf(std::move(sum));
}

int64_t sub(int64_t a, int64_t b) {
  return add(a, mul(b, -1));
}

static bool multiply(const Monomial &a, const Monomial &b, Monomial &product) {
  product.factors = a.factors;
  product.factors.insert(product.factors.end(), b.factors.begin(), b.factors.end());
  return !__builtin_mul_overflow(a.coefficient, b.coefficient, &product.coefficient);
}

int64_t mul(int64_t a, int64_t b) {
  if (a == invalid || b == invalid) {
    return invalid;
  }
  if (isNumber(a, b)) {
    return checked(static_cast<__int128>(a) * b);
  }
  Polynomial left = polynomialOf(a);
  Polynomial right = polynomialOf(b);
  Polynomial result;
  for (const Monomial &x : left) {
    for (const Monomial &y : right) {
      Monomial monomial;
      if (!multiply(x, y, monomial)) {
        return invalid;
      }
      result.push_back(std::move(monomial));
    }
  }
  return sizeOf(std::move(result));
}

int64_t product(std::span<const int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes) {
    result = mul(result, size);
  }
  return result;
}

//===- Division -------------------------------------------------------------------------------===//

/// a / b, if every factor of b is one of a and the coefficients divide.
static std::optional<Monomial> quotient(const Monomial &a, const Monomial &b) {
  if (a.coefficient % b.coefficient != 0) {
    return std::nullopt;
  }
  Monomial result{a.coefficient / b.coefficient, a.factors};
  for (FactorId factor : b.factors) {
    auto at = std::find(result.factors.begin(), result.factors.end(), factor);
    if (at == result.factors.end()) {
      return std::nullopt;
    }
    result.factors.erase(at);
  }
  return result;
}

std::optional<int64_t> exactQuotient(int64_t a, int64_t b) {
  if (a == invalid || b == invalid || b == 0) {
    return std::nullopt;
  }
  if (isNumber(a, b)) {
    return a % b == 0 ? std::optional(a / b) : std::nullopt;
  }
  Polynomial divisor = polynomialOf(b);
  int64_t result = 0;
  // Division of polynomials by their first monomials; each step removes one of `a`.
  for (int step = 0; a != 0 && step < 256; ++step) {
    Polynomial rest = polynomialOf(a);
    std::optional<Monomial> part = rest.empty() ? std::nullopt : quotient(rest[0], divisor[0]);
    if (!part) {
      return std::nullopt;
    }
    int64_t partSize = sizeOf(Polynomial{*part});
    result = add(result, partSize);
    a = sub(a, mul(partSize, b));
  }
  return a == 0 && result != invalid ? std::optional(result) : std::nullopt;
}

static int64_t floorDivNumbers(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

int64_t floorDiv(int64_t a, int64_t b) {
  if (a == invalid || b == invalid || b == 0) {
    return invalid;
  }
  if (isNumber(a, b)) {
    return floorDivNumbers(a, b);
  }
  if (std::optional<int64_t> exact = exactQuotient(a, b)) {
    return *exact;
  }
  if (!isSymbolic(b) && b < 0) {
    return floorDiv(mul(a, -1), -b);
  }
  // a = b * whole + rest, with each monomial that b divides in `whole`.
  Polynomial divisor = polynomialOf(b);
  Polynomial whole;
  Polynomial rest;
  for (const Monomial &monomial : polynomialOf(a)) {
    std::optional<Monomial> part;
    if (divisor.size() == 1) {
      part = quotient(monomial, divisor[0]);
    }
    if (!part && monomial.factors.empty() && !isSymbolic(b)) {
      int64_t part = floorDivNumbers(monomial.coefficient, b);
      whole.push_back({part, {}});
      rest.push_back({monomial.coefficient - part * b, {}});
      continue;
    }
    (part ? whole : rest).push_back(part ? *part : monomial);
  }
  int64_t wholeSize = sizeOf(std::move(whole));
  int64_t restSize = sizeOf(std::move(rest));
  if (provablyAtMost(0, restSize) && provablyLess(restSize, b)) {
    return wholeSize;
  }
  Polynomial single = polynomialOf(restSize);
  if (!isSymbolic(b) && single.size() == 1 && single[0].coefficient == 1 &&
      single[0].factors.size() == 1) {
    Factor inner = factorOf(single[0].factors[0]);
    if (inner.kind == Factor::Kind::FloorDiv && !isSymbolic(inner.b)) {
      return add(wholeSize, floorDiv(inner.a, mul(inner.b, b)));
    }
  }
  return add(wholeSize, sizeOf(internFactor({Factor::Kind::FloorDiv, "", restSize, b})));
}

int64_t ceilDiv(int64_t a, int64_t b) {
  return floorDiv(add(a, sub(b, 1)), b);
}

int64_t mod(int64_t a, int64_t b) {
  return sub(a, mul(b, floorDiv(a, b)));
}

//===- Extremes -------------------------------------------------------------------------------===//

static int64_t extreme(Factor::Kind kind, int64_t a, int64_t b) {
  if (a == invalid || b == invalid) {
    return invalid;
  }
  bool isMin = kind == Factor::Kind::Min;
  if (provablyAtMost(a, b)) {
    return isMin ? a : b;
  }
  if (provablyAtMost(b, a)) {
    return isMin ? b : a;
  }
  if (toString(b) < toString(a)) {
    std::swap(a, b);
  }
  return sizeOf(internFactor({kind, "", a, b}));
}

int64_t min(int64_t a, int64_t b) {
  return extreme(Factor::Kind::Min, a, b);
}

int64_t max(int64_t a, int64_t b) {
  return extreme(Factor::Kind::Max, a, b);
}

//===- Values ---------------------------------------------------------------------------------===//

std::vector<Term> terms(int64_t size) {
  std::vector<Term> result;
  for (const Monomial &monomial : polynomialOf(size)) {
    Term term{monomial.coefficient, {}};
    for (FactorId factor : monomial.factors) {
      term.factors.push_back(factorOf(factor));
    }
    result.push_back(std::move(term));
  }
  return result;
}

int64_t sizeOf(const Factor &factor) {
  return sizeOf(internFactor(factor));
}

static void collectVariables(int64_t size, std::set<std::string> &names) {
  for (const Term &term : terms(size)) {
    for (const Factor &factor : term.factors) {
      if (factor.kind == Factor::Kind::Variable) {
        names.insert(factor.name);
      } else {
        collectVariables(factor.a, names);
        collectVariables(factor.b, names);
      }
    }
  }
}

std::set<std::string> variables(int64_t size) {
  std::set<std::string> names;
  collectVariables(size, names);
  return names;
}

static int64_t apply(const Factor &factor, int64_t a, int64_t b) {
  switch (factor.kind) {
  case Factor::Kind::Variable: break;
  case Factor::Kind::FloorDiv: return floorDiv(a, b);
  case Factor::Kind::Min: return min(a, b);
  case Factor::Kind::Max: return max(a, b);
  }
  return invalid;
}

int64_t substitute(int64_t size, const Bindings &replacements) {
  if (!isSymbolic(size)) {
    return size;
  }
  int64_t sum = 0;
  for (const Term &term : terms(size)) {
    int64_t part = term.coefficient;
    for (const Factor &factor : term.factors) {
      auto at = factor.kind == Factor::Kind::Variable ? replacements.find(factor.name)
                                                      : replacements.end();
      int64_t value = at != replacements.end() ? at->second
                      : factor.kind == Factor::Kind::Variable
                          ? variable(factor.name)
                          : apply(factor, substitute(factor.a, replacements),
                                  substitute(factor.b, replacements));
      part = mul(part, value);
    }
    sum = add(sum, part);
  }
  return sum;
}

Expected<int64_t> evaluate(int64_t size, const Bindings &bindings) {
  for (const std::string &name : variables(size)) {
    if (!bindings.contains(name)) {
      return makeError(ErrorCode::Usage, "size {} needs a value of {}", toString(size), name);
    }
  }
  int64_t value = substitute(size, bindings);
  if (value == invalid || isSymbolic(value)) {
    std::string values;
    for (const std::string &name : variables(size)) {
      values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", name,
                            toString(bindings.find(name)->second));
    }
    return makeError(ErrorCode::Usage, "size {} has no value, or one beyond 2^58, at {}",
                     toString(size), values);
  }
  return value;
}

int64_t estimate(int64_t size, int64_t typical) {
  if (!isSymbolic(size)) {
    return size;
  }
  Bindings bindings;
  for (const std::string &name : variables(size)) {
    bindings[name] = typical;
  }
  Expected<int64_t> value = evaluate(size, bindings);
  return value ? *value : typical;
}

std::optional<std::pair<std::string, int64_t>> solve(int64_t a, int64_t b) {
  int64_t difference = sub(a, b);
  std::vector<Term> all = terms(difference);
  std::optional<std::string> chosen;
  int64_t sign = 1;
  for (const Term &term : all) {
    if (std::abs(term.coefficient) != 1 || term.factors.size() != 1 ||
        term.factors[0].kind != Factor::Kind::Variable) {
      continue;
    }
    const std::string &name = term.factors[0].name;
    int64_t rest = sub(difference, mul(term.coefficient, variable(name)));
    if (variables(rest).contains(name)) {
      continue;
    }
    auto isNameless = [](const std::string &text) {
      return text.find('.') != std::string::npos;
    };
    if (!chosen || std::pair(isNameless(name), name) > std::pair(isNameless(*chosen), *chosen)) {
      chosen = name;
      sign = term.coefficient;
    }
  }
  if (!chosen) {
    return std::nullopt;
  }
  // difference = sign * name + rest = 0
  int64_t rest = sub(difference, mul(sign, variable(*chosen)));
  int64_t solution = mul(rest, -sign);
  return solution == invalid ? std::nullopt : std::optional(std::pair(*chosen, solution));
}

} // namespace zyxc::dim
