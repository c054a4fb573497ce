// Sizes that are known only at run time. A size is an int64_t that is either a number or stands for
// an expression over named variables, such as "N" or "2 * N + 1": a polynomial with integer
// coefficients whose factors are variables, and floordiv, min and max of polynomials. Expressions
// are kept in canonical form and interned for the life of the process, so equal ones are one
// int64_t. Shapes, attributes and index maps hold them where they hold sizes.
//
// Numbers and expressions must be combined by the functions below. Plain arithmetic on a size that
// stands for an expression gives a number that is, with all but certainty, no size (isValid).
#pragma once
#include "runtime/support/Status.h"
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zyxc::dim {

/// Magnitude that no number among sizes, coefficients and offsets exceeds.
inline constexpr int64_t limit = int64_t(1) << 58;
/// What an operation gives whose result no size can hold: it is negative, so shapes with it are
/// refused.
inline constexpr int64_t invalid = INT64_MIN;

/// True if the size stands for an expression with variables.
constexpr bool isSymbolic(int64_t size) {
  return (size >> 60) == 2 && (size & 0xffffff) == 0x5a5a5a;
}
bool anySymbolic(std::span<const int64_t> sizes);
/// A number whose magnitude is within the limit, or an expression that was made in this process.
bool isValid(int64_t size);

/// The variable of a name: a size >= 0 that is bound at run time. Names are letters, digits, '_'
/// and '.', and do not start with a digit or '.'; others give `invalid`.
int64_t variable(std::string_view name);
bool isVariableName(std::string_view name);

int64_t add(int64_t a, int64_t b);
int64_t sub(int64_t a, int64_t b);
int64_t mul(int64_t a, int64_t b);
/// Rounded toward minus infinity; `invalid` for a divisor of 0. A divisor that is an expression is
/// taken to be positive wherever the quotient matters: (N * K) floordiv N is K.
int64_t floorDiv(int64_t a, int64_t b);
int64_t ceilDiv(int64_t a, int64_t b);
/// a - b * floorDiv(a, b).
int64_t mod(int64_t a, int64_t b);
int64_t min(int64_t a, int64_t b);
int64_t max(int64_t a, int64_t b);
int64_t product(std::span<const int64_t> sizes);

/// The quotient if b divides a at every value of the variables, as polynomials; else nothing.
std::optional<int64_t> exactQuotient(int64_t a, int64_t b);

/// Bounds that hold for all values >= 0 of the variables; nothing where none was found.
std::optional<int64_t> lowerBound(int64_t size);
std::optional<int64_t> upperBound(int64_t size);
/// a <= b (a < b) was proved for all values >= 0 of the variables. Numbers compare as numbers.
bool provablyAtMost(int64_t a, int64_t b);
bool provablyLess(int64_t a, int64_t b);

/// Values of variables by name.
using Bindings = std::map<std::string, int64_t, std::less<>>;

/// The number that a size is under bindings. Usage errors: a variable has no value, a division by
/// zero, a number over the limit.
Expected<int64_t> evaluate(int64_t size, const Bindings &bindings);
/// The size with some variables replaced by sizes; the others stay.
int64_t substitute(int64_t size, const Bindings &replacements);
/// Names of the variables of a size.
std::set<std::string> variables(int64_t size);
/// A number for heuristics: the size where every variable is `typical`. Never for results.
int64_t estimate(int64_t size, int64_t typical = 64);

/// If a = b can be solved for a variable, as name := size, without division: that. Variables whose
/// name has a '.' (dims without a name in the model) are preferred, then the last in text order.
std::optional<std::pair<std::string, int64_t>> solve(int64_t a, int64_t b);

/// "12", "N", "2 * N + 1", "floordiv(N + 1, 2)". Canonical; parse() reads it.
std::string toString(int64_t size);
/// The same with the name of each variable replaced, for text whose readers know other names.
std::string toString(int64_t size, const std::function<std::string(const std::string &)> &rename);
/// Sums, differences and products, parentheses, floordiv, mod, min and max of two sizes. Input
/// errors say what is wrong and at which character.
Expected<int64_t> parse(std::string_view text);

/// A polynomial: what a size is made of, for code that writes it in another form.
struct Factor {
  enum class Kind : uint8_t { Variable, FloorDiv, Min, Max };
  Kind kind = Kind::Variable;
  std::string name; ///< Variable
  int64_t a = 0;    ///< the arguments of the others
  int64_t b = 0;
};
struct Term {
  int64_t coefficient = 0;
  std::vector<Factor> factors; ///< a power is repeated; none: the constant
};
/// The terms of a size; of a number one term without factors, of 0 none.
std::vector<Term> terms(int64_t size);
/// The size that is one factor.
int64_t sizeOf(const Factor &factor);

} // namespace zyxc::dim
