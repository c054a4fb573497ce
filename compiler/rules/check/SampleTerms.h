// Random small instances of a rule's pattern, to test the rule on.
#pragma once
#include "compiler/rules/check/SampleNumbers.h"
#include <functional>

namespace zyxc::rules {

/// Builds the premises of a rule over random leaves and constants. Nothing: the random choices did
/// not fit together; try again with another graph.
class SampleTerms {
public:
  SampleTerms(TensorGraph &graph, const Rule &rule, SampleNumbers &numbers)
      : graph(graph), rule(rule), numbers(numbers), bindings(rule.slotNames.size()),
        hasSpecials(rule.level == Numerics::Exact || rule.level == Numerics::Approx) {}

  /// Builds all premises; the class of the first.
  std::optional<ClassId> build();

private:
  std::optional<ClassId> buildTerm(uint32_t place, const TensorType *wanted);
  std::optional<ClassId> buildVariable(const Term &term, const TensorType *wanted);
  std::optional<ClassId> buildNumber(const Term &term, const TensorType &type);
  std::optional<ClassId> buildOp(const Term &term, OpKind kind, const TensorType *wanted);
  std::optional<ClassId> buildElementwise(const Term &term, OpKind kind, const TensorType *wanted);
  std::optional<ClassId> buildView(const Term &term);
  std::optional<ClassId> buildConcat(const Term &term, const TensorType *wanted);
  std::optional<ClassId> buildContract(const Term &term);
  std::optional<ClassId> buildOther(const Term &term, OpKind kind, const TensorType *result);
  std::optional<TensorType> typeBelowPad(const Term &term, const TensorType *padded) const;
  std::vector<ClassId> buildSequence(uint32_t slot, const TensorType &like, int64_t axis);

  /// Kinds of a family that the arithmetic knows.
  std::vector<OpKind> kindsOf(OpFamily family) const;
  /// The attribute as the pattern fixes it, or `random()`, which is then bound.
  AttrValue attr(const Term &term, std::string_view name, const std::function<AttrValue()> &random);
  std::optional<ClassId> add(OpKind kind, std::span<const ClassId> operands, const Attrs &attrs);
  /// An input that is named after a variable.
  ClassId leaf(const TensorType &type, uint32_t slot);
  ClassId constant(const TensorType &type);
  /// A tensor of this type that repeats a smaller one along some axes; `make` makes that one.
  ClassId repeated(const TensorType &type, const std::function<ClassId(const TensorType &)> &make);
  ClassId randomMovement(ClassId source);
  AttrValue randomAttr(OpKind kind, const AttrInfo &attr, ClassId operand);

  TensorGraph &graph;
  const Rule &rule;
  SampleNumbers &numbers;
  Bindings bindings;
  bool hasSpecials;
  TensorType viewedType; ///< of the operand of the last view

  /// The labels of a contraction, and how long their axes are.
  struct ContractLabels {
    std::vector<int64_t> extents;
    std::vector<int64_t> sides[2];
    std::vector<int64_t> out;
    DType dtype = DType::F32; ///< of the operands
    DType accumulate = DType::F32;
    DType result = DType::F32;
  };
  /// `constraint` is that of the first operand.
  ContractLabels randomLabels(const Constraint &constraint);
  void varyOperand(ContractLabels &labels, int side);
  bool fitOperand(ContractLabels &labels, int side, ClassId operand) const;
  ContractLabels contracted; ///< of the last contraction
};

} // namespace zyxc::rules
