// Compiled rewrite rules: a pattern over the tensor e-graph, conditions, and a term to build.
#pragma once
#include "compiler/graph/TensorGraph.h"
#include "compiler/rules/RuleText.h"
#include <functional>
#include <variant>

namespace zyxc::rules {

using graph::ClassId;
using graph::NodeId;
using graph::TensorGraph;

/// What a variable of a rule stands for, or what a function gets as argument.
struct ClassValue {
  ClassId id;
};
/// What an op variable is bound to.
struct OpValue {
  NodeId node; ///< its kind and attributes are meant
};
using Value = std::variant<std::monostate, ClassValue, std::vector<ClassId>, OpValue, AttrValue>;
using Bindings = std::vector<Value>; ///< by slot

/// What a slot of a rule holds.
enum class ValueKind : uint8_t { Class, Sequence, Op, Attr };

/// What a class variable accepts: a kind of dtype, one dtype, or what is known of the value.
struct Constraint {
  enum class Kind : uint8_t { Any, Dtype, Float, Int, Signed, Bool, Splat, Parameter };
  Kind kind = Kind::Any;
  DType dtype = DType::F32; ///< for Kind::Dtype

  bool accepts(const TensorGraph &graph, ClassId cls) const;
};

/// A pure function of attributes and of the types of classes. Nothing: it has no value here, so the
/// rule does not apply; for a condition: it is not proved.
struct PayloadFunction {
  std::string_view name;
  /// A letter per argument: c class, s sequence, and attributes: i integer, l list of integers, d
  /// dtype, m map, a any.
  std::string_view signature;
  AttrType result;
  std::optional<AttrValue> (*call)(const TensorGraph &graph, std::span<const Value> arguments);
};
/// A function that builds a class where a plain term cannot say it.
struct TermFunction {
  std::string_view name;
  std::string_view signature;
  std::optional<ClassId> (*call)(TensorGraph &graph, std::span<const Value> arguments);
};
const PayloadFunction *findPayloadFunction(std::string_view name);
const TermFunction *findTermFunction(std::string_view name);

/// An attribute value: a variable, a literal, or a function of such.
struct Expression {
  enum class Kind : uint8_t { Slot, Literal, Call };
  Kind kind = Kind::Literal;
  uint32_t slot = 0;
  AttrValue literal;
  const PayloadFunction *function = nullptr;
  std::vector<Expression> operands;
};

/// One place of a pattern or of the term to build; operands are indices into the same list.
struct Term {
  enum class Kind : uint8_t {
    Variable, ///< the class in `slot`
    Sequence, ///< the classes in `slot`, among the operands of an op
    Number,   ///< a splat of this number
    Op,       ///< an op of kind `op`
    Family,   ///< an op of a family, held in `slot`
    Function, ///< built by `function` (never in a pattern)
  };
  Kind kind = Kind::Variable;
  uint32_t slot = 0;
  Constraint constraint;
  double number = 0;
  bool isInteger = false;
  OpKind op = OpKind::Constant;
  OpFamily family = OpFamily::Unary;
  const TermFunction *function = nullptr;
  std::vector<uint32_t> operands;
  std::vector<std::pair<std::string, Expression>> attrs; ///< sorted by name
  std::vector<Expression> arguments;                     ///< of a function
};

/// A pattern that must match for a rule to apply, and how its matches are found once those of the
/// premises before it are known: by the users of a class that both share.
struct Premise {
  uint32_t root = 0;            ///< in Rule::pattern
  std::optional<uint32_t> name; ///< the slot of the class that matched: `as ?p`
  uint32_t shared = 0;          ///< a slot that a premise before it binds; not of the first
  /// Terms above that variable, the innermost first, the root last; empty if it is `name`.
  std::vector<uint32_t> aboveIt;
};

/// A term that is equal to what a premise matched.
struct Conclusion {
  uint32_t premise = 0; ///< in Rule::premises
  uint32_t root = 0;    ///< in Rule::result
};

/// A compiled rule: premises => conclusions, where all conditions are proved.
struct Rule {
  std::string name;
  Numerics level = Numerics::Exact;
  Stratum stratum = Stratum::Simplify;
  std::string reason;
  std::string text;              ///< as it is written
  std::string file;              ///< "tensor.rules"
  Position at;                   ///< in the file
  std::vector<Term> pattern;     ///< of all premises
  std::vector<Term> result;      ///< of all conclusions
  std::vector<Premise> premises; ///< each joined with those before it
  std::vector<Conclusion> conclusions;
  std::vector<Expression> conditions;
  std::vector<std::string> slotNames;
  std::vector<ValueKind> slotKinds;
};

/// Rules of a text, checked: ops, attributes, functions, variables. An Input error starts with
/// "FILE:LINE:COLUMN: ".
Expected<std::vector<Rule>> compileRules(std::string_view text, std::string_view file);

/// One way in which the premises of a rule match.
struct Match {
  std::vector<NodeId> roots; ///< by premise
  Bindings bindings;
};

/// Calls `found` for each match of a rule, in an order that depends on the graph alone; false ends
/// the search. Classes whose value is constant are no roots of premises. The graph must not change
/// meanwhile, and be clean (rebuild).
void matchRule(const TensorGraph &graph, const Rule &rule,
               const std::function<bool(const Match &)> &found);

/// Builds what the conclusions of a rule say, in their order, each of the type of its premise.
/// Nothing if a condition is not proved, a function has no value or a term has another type.
std::optional<std::vector<ClassId>> buildResults(TensorGraph &graph, const Rule &rule,
                                                 const Match &match);

} // namespace zyxc::rules
