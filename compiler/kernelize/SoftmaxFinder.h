// Finds the softmax whose result an operand of a contract is: as one op, or written out as an
// exponential less the maximum and a quotient by the sum, behind views and conversions.
#pragma once
#include "compiler/kernelize/Cuts.h"
#include <optional>

namespace zyxc::kernelize {

/// The nodes from an operand of a contract down to the logits of its softmax.
struct SoftmaxPath {
  std::vector<Interior> nodes;
  AttentionParts parts; ///< the scores are not known here
};

class SoftmaxFinder {
public:
  /// `key`: the axis of the operand that the contract sums over, in the type `accumulate`.
  SoftmaxFinder(const graph::TensorGraph &graph, ClassId operand, int64_t key, DType accumulate)
      : graph(graph), operand(operand), extents(graph.type(operand).shape), key(key),
        accumulate(accumulate) {}

  /// Nothing if no node of the operand leads to a softmax over exactly the summed axis.
  std::optional<SoftmaxPath> find();

private:
  /// Coordinates in a class at which the element of the operand is found, whose axes are dims.
  using Coords = std::vector<IndexExpr>;
  /// What stands for the largest logit: itself, or 0 where it is -inf.
  enum class Maximum : uint8_t { Plain, Guarded };

  bool findSoftmax(ClassId cls, const Coords &coords);
  bool isSoftmax(ClassId cls, NodeId node, const Coords &coords);
  bool isQuotient(ClassId cls, NodeId node, const Coords &coords);
  bool arePowersAndSum(ClassId powers, ClassId divisor, OpKind by, const Coords &coords);
  std::optional<Maximum> findMaximum(ClassId cls, const Coords &coords, ClassId logits,
                                     const Coords &at);
  bool findSum(ClassId cls, const Coords &coords, ClassId powers, const Coords &at,
               Maximum maximum);
  bool findReduction(OpKind kind, ClassId cls, const Coords &coords, ClassId reduced,
                     const Coords &at);
  bool isHidden(ClassId cls, const Coords &coords, ClassId logits, const Coords &at);
  bool isSplat(ClassId cls, double value) const;
  Coords through(NodeId view, const Coords &coords) const;
  void add(ClassId cls, NodeId node);
  /// Calls `fn` for each node of this kind, and for those of what a view shows, until one is taken;
  /// nodes that were added for others are dropped again.
  template <class Fn>
  bool anyNode(OpKind kind, ClassId cls, const Coords &coords, int views, const Fn &fn);

  const graph::TensorGraph &graph;
  ClassId operand;
  Shape extents;
  int64_t key;
  DType accumulate;
  SoftmaxPath path;
};

} // namespace zyxc::kernelize
