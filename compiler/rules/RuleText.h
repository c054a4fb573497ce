// The text form of rewrite rules, and its parser. It knows no ops and no tensors: names are
// resolved by RuleCompiler. docs/rules.md describes the language.
#pragma once
#include "runtime/support/Status.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zyxc::rules {

/// What a rule may change in floating-point results. Each level includes those before it; integers
/// never change at any level but `algebra`.
enum class Numerics : uint8_t {
  Exact,   ///< nothing, NaN and signed zeros included (which NaN is not told apart)
  Reorder, ///< rounding, by the order of declared sums and products or wider intermediates
  Approx,  ///< functions within 2 units in the last place
  Algebra, ///< whatever holds for real numbers
};

/// When a rule runs.
enum class Stratum : uint8_t {
  Simplify, ///< first, to the end: the result is never worse
  Enable,   ///< then: brings about what kernels look for
  Explore,  ///< last: alternatives without a clear winner
};

/// The name in rule files: "reorder", "explore".
const char *toString(Numerics level);
const char *toString(Stratum stratum);
/// The level of this name ("reorder"), or a Usage error that lists the names.
Expected<Numerics> parseNumerics(std::string_view name);

/// A place in a rule file, both from 1.
struct Position {
  int line = 1;
  int column = 1;
};

struct NamedSyntax;

/// A term, pattern or attribute value as it is written.
struct Syntax {
  enum class Kind : uint8_t {
    Variable, ///< ?x or ?x:float
    Sequence, ///< ?xs...: any number of operands
    Number,   ///< 1, -0.0, inf
    Name,     ///< f32
    List,     ///< [a, b]
    Call,     ///< add(?x, ?y) or ?f:unary(?x): `text` starts with ? in the second form
  };
  Kind kind;
  Position at;
  std::string text;       ///< name of the variable (with ?), op, function or dtype
  std::string constraint; ///< after the colon
  double number = 0;
  bool isInteger = false;
  std::vector<Syntax> operands;   ///< of a call or list
  std::vector<NamedSyntax> named; ///< name=value of a call
};

/// name=value of a call.
struct NamedSyntax {
  std::string name;
  Syntax value;
};

/// PATTERN or PATTERN as ?p.
struct PremiseSyntax {
  Syntax pattern;
  std::string name; ///< "?p", or empty
  Position nameAt;
};

/// TERM or ?p = TERM: what is equal to a premise.
struct ConclusionSyntax {
  std::string premise; ///< "?p"; empty: the only one
  Position premiseAt;
  Syntax term;
};

/// One rule as it is written.
struct RuleSyntax {
  Position at;      ///< of the name
  std::string text; ///< from `rule` to its last character
  std::string name;
  Numerics level;
  Stratum stratum;
  std::string reason;                        ///< why it holds, in one line; may be empty
  std::vector<PremiseSyntax> premises;       ///< at least one
  std::vector<ConclusionSyntax> conclusions; ///< at least one
  std::vector<Syntax> conditions;
};

/// All rules of a text. An Input error starts with "FILE:LINE:COLUMN: ".
Expected<std::vector<RuleSyntax>> parseRules(std::string_view text, std::string_view file);

/// An Input error at a place of a rule file.
Status errorAt(std::string_view file, Position at, std::string_view message);

} // namespace zyxc::rules
