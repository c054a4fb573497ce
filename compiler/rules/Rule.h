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

/// A compiled rule: pattern => result, where all conditions are proved.
struct Rule {
  std::string name;
  Numerics level = Numerics::Exact;
  Stratum stratum = Stratum::Simplify;
  std::string reason;
  std::string text;          ///< as it is written
  std::string file;          ///< "tensor.rules"
  Position at;               ///< in the file
  std::vector<Term> pattern; ///< [0] is the root
  std::vector<Term> result;  ///< [0] is the root
  std::vector<Expression> conditions;
  std::vector<std::string> slotNames;
  std::vector<ValueKind> slotKinds;
};

/// Rules of a text, checked: ops, attributes, functions, variables. An Input error starts with
/// "FILE:LINE:COLUMN: ".
Expected<std::vector<Rule>> compileRules(std::string_view text, std::string_view file);

/// Calls `found` for each way in which `node` matches the pattern of a rule; false ends the search.
/// The graph must not change meanwhile, and be clean (rebuild).
void matchRule(const TensorGraph &graph, const Rule &rule, NodeId node,
               const std::function<bool(const Bindings &)> &found);

/// Kinds that the root of a rule's pattern can have.
std::vector<OpKind> rootKinds(const Rule &rule);

/// Builds the result of a rule for bindings, as a class of the type of `root`. Nothing if a
/// condition is not proved, a function has no value or the term has another type.
std::optional<ClassId> buildResult(TensorGraph &graph, const Rule &rule, const Bindings &bindings,
                                   ClassId root);

} // namespace zyxc::rules
