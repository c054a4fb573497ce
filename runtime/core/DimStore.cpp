#include "runtime/core/DimStore.h"
#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_map>

namespace zyxc::dim {

/// Sums of more terms, and products of more factors, are refused: they come from input alone.
static constexpr size_t maxTerms = 256;
static constexpr size_t maxFactors = 32;
static constexpr size_t maxText = 2048; ///< half of what is parsed

static constexpr int64_t firstHandle = (int64_t(2) << 60) + 0x5a5a5a;
static constexpr int handleShift = 24; // between handles: no sum or product of two is a handle
static constexpr size_t maxHandles = size_t(1) << 24;

namespace {

/// What is interned. Elements of a deque stay where they are while it grows.
struct Store {
  std::mutex mutex;
  std::deque<Factor> factors;
  std::deque<std::string> factorTexts;
  std::unordered_map<std::string, FactorId> factorIds;
  std::deque<Polynomial> polynomials;
  std::unordered_map<std::string, int64_t> sizes;
};

} // namespace

static Store &store() {
  static auto *instance = new Store; // never destroyed: sizes may be printed at exit
  return *instance;
}

const Factor &factorOf(FactorId id) {
  std::lock_guard lock(store().mutex);
  return store().factors[id];
}

const std::string &textOf(FactorId id) {
  std::lock_guard lock(store().mutex);
  return store().factorTexts[id];
}

static std::string_view functionName(Factor::Kind kind) {
  switch (kind) {
  case Factor::Kind::Variable: break;
  case Factor::Kind::FloorDiv: return "floordiv";
  case Factor::Kind::Min: return "min";
  case Factor::Kind::Max: return "max";
  }
  return "";
}

static std::string textOf(const Factor &factor,
                          const std::function<std::string(const std::string &)> &rename) {
  if (factor.kind == Factor::Kind::Variable) {
    return rename ? rename(factor.name) : factor.name;
  }
  return fmt::format("{}({}, {})", functionName(factor.kind), toString(factor.a, rename),
                     toString(factor.b, rename));
}

FactorId internFactor(Factor factor) {
  std::string text = textOf(factor, {});
  std::lock_guard lock(store().mutex);
  auto [at, isNew] =
      store().factorIds.try_emplace(text, static_cast<FactorId>(store().factors.size()));
  if (isNew) {
    store().factors.push_back(std::move(factor));
    store().factorTexts.push_back(std::move(text));
  }
  return at->second;
}

std::string textOf(const Polynomial &polynomial,
                   const std::function<std::string(const std::string &)> &rename) {
  std::string text;
  for (const Monomial &monomial : polynomial) {
    int64_t coefficient = monomial.coefficient;
    if (!text.empty()) {
      text += coefficient < 0 ? " - " : " + ";
      coefficient = std::abs(coefficient);
    }
    std::string product;
    for (FactorId factor : monomial.factors) {
      product += (product.empty() ? "" : " * ") + textOf(factorOf(factor), rename);
    }
    if (product.empty()) {
      text += std::to_string(coefficient);
    } else if (coefficient == 1) {
      text += product;
    } else if (coefficient == -1) {
      text += "-" + product;
    } else {
      text += std::to_string(coefficient) + " * " + product;
    }
  }
  return text.empty() ? "0" : text;
}

Polynomial polynomialOf(int64_t size) {
  if (!isSymbolic(size)) {
    return size == 0 || size == invalid ? Polynomial() : Polynomial{{size, {}}};
  }
  auto number = static_cast<size_t>((size - firstHandle) >> handleShift);
  std::lock_guard lock(store().mutex);
  return number < store().polynomials.size() ? store().polynomials[number] : Polynomial();
}

bool isValid(int64_t size) {
  if (!isSymbolic(size)) {
    return size >= -limit && size <= limit;
  }
  auto number = static_cast<size_t>((size - firstHandle) >> handleShift);
  std::lock_guard lock(store().mutex);
  return number < store().polynomials.size();
}

static bool lessFactors(const std::vector<FactorId> &a, const std::vector<FactorId> &b) {
  if (a.size() != b.size()) {
    return a.size() > b.size();
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) {
      return textOf(a[i]) < textOf(b[i]);
    }
  }
  return false;
}

int64_t sizeOf(Polynomial polynomial) {
  for (Monomial &monomial : polynomial) {
    std::sort(monomial.factors.begin(), monomial.factors.end(),
              [](FactorId a, FactorId b) { return a != b && textOf(a) < textOf(b); });
    if (monomial.factors.size() > maxFactors) {
      return invalid;
    }
  }
  std::sort(polynomial.begin(), polynomial.end(),
            [](const Monomial &a, const Monomial &b) { return lessFactors(a.factors, b.factors); });
  Polynomial sum;
  for (Monomial &monomial : polynomial) {
    if (sum.empty() || sum.back().factors != monomial.factors) {
      sum.push_back(std::move(monomial));
    } else if (__builtin_add_overflow(sum.back().coefficient, monomial.coefficient,
                                      &sum.back().coefficient)) {
      return invalid;
    }
  }
  std::erase_if(sum, [](const Monomial &monomial) { return monomial.coefficient == 0; });
  bool tooLarge = std::any_of(sum.begin(), sum.end(), [](const Monomial &monomial) {
    return monomial.coefficient > limit || monomial.coefficient < -limit;
  });
  if (tooLarge || sum.size() > maxTerms) {
    return invalid;
  }
  if (sum.empty() || sum.front().factors.empty()) {
    return sum.empty() ? 0 : sum.front().coefficient;
  }
  std::string text = textOf(sum, {});
  if (text.size() > maxText) {
    return invalid;
  }
  std::lock_guard lock(store().mutex);
  size_t number = store().polynomials.size();
  if (number >= maxHandles) {
    return invalid;
  }
  auto handle = firstHandle + (static_cast<int64_t>(number) << handleShift);
  auto [at, isNew] = store().sizes.try_emplace(std::move(text), handle);
  if (isNew) {
    store().polynomials.push_back(std::move(sum));
  }
  return at->second;
}

int64_t sizeOf(FactorId factor) {
  return sizeOf(Polynomial{{1, {factor}}});
}

} // namespace zyxc::dim
