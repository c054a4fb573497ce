// Values of a tensor e-graph over a finite field: floats are numbers modulo a prime, so that sums,
// products and quotients are exact and do not depend on their order. A rule about such ops that
// fails to hold for real numbers as rational functions differs at all but a few random points
// (J. T. Schwartz, Fast probabilistic algorithms for verification of polynomial identities, 1980).
#pragma once
#include "compiler/rules/Rule.h"
#include <unordered_map>

namespace zyxc::rules {

class FieldEvaluator {
public:
  /// The field has this many elements: 2^31 - 1, so that products fit into 64 bits.
  static constexpr int64_t prime = 2147483647;
  /// In place of an element: a quotient by zero, or what was computed from one.
  static constexpr int64_t undefined = -1;

  /// True if ops of this kind have a meaning over the field: arithmetic, its reductions and
  /// contractions, movement, selection, conversions between floats.
  static bool knows(OpKind kind);
  /// True if all ops of a rule have one, and no variable stands for integers only.
  static bool knows(const Rule &rule);

  explicit FieldEvaluator(const TensorGraph &graph) : graph(graph) {}
  /// Elements of the field, or 0 and 1 for bool, as i64 of the leaf's shape.
  void setLeaf(ClassId leaf, Tensor value) { values[graph.find(leaf)] = std::move(value); }
  /// Computes all classes that can be, each by its oldest node. Constants are taken as they are
  /// written; what is known of classes by folding is not used.
  void run();
  /// The value of a class as i64, or null if it has none: an op that the field does not know stands
  /// below it.
  const Tensor *value(ClassId cls) const;

private:
  std::optional<Tensor> apply(NodeId node) const;
  std::optional<Tensor> elementwise(NodeId node, std::span<const Tensor> operands) const;

  const TensorGraph &graph;
  std::unordered_map<ClassId, Tensor> values; ///< by canonical class
};

} // namespace zyxc::rules
