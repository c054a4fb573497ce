// Inside of runtime/core/Dim*.cpp: polynomials and where they are interned.
#pragma once
#include "runtime/core/Dim.h"

namespace zyxc::dim {

/// A place among the interned factors.
using FactorId = uint32_t;

/// Coefficient times a product of factors, sorted by text; none: the constant.
struct Monomial {
  int64_t coefficient = 0;
  std::vector<FactorId> factors;
};
/// A sum in canonical order: by falling degree, then by text. No coefficient is 0, no two monomials
/// have the same factors.
using Polynomial = std::vector<Monomial>;

/// Factors and their text live as long as the process.
const Factor &factorOf(FactorId id);
const std::string &textOf(FactorId id);
FactorId internFactor(Factor factor);

/// The monomials of a size; of `invalid` none.
Polynomial polynomialOf(int64_t size);
/// Sorts, adds up and interns. `invalid` if a coefficient is over the limit, or the text too long.
int64_t sizeOf(Polynomial polynomial);
/// The size of one factor.
int64_t sizeOf(FactorId factor);

std::string textOf(const Polynomial &polynomial,
                   const std::function<std::string(const std::string &)> &rename);

} // namespace zyxc::dim
