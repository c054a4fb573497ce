// What is known of a class of equal tensors: its type, its value if that is constant, and whether
// it is a buffer given at run time. Kept by the e-graph as nodes are added and classes merge.
#pragma once
#include "compiler/egraph/EGraph.h"
#include "compiler/graph/Payloads.h"

namespace zyxc::graph {

/// A known value: written out, or a splat, or both.
struct KnownValue {
  Tensor full;  ///< no data if it was not written out
  Tensor splat; ///< rank 0; no data if the elements differ
};

/// The analysis of the tensor e-graph.
class Facts : public egraph::Analysis {
public:
  /// Results of at most this many elements are folded and written out.
  static constexpr int64_t maxFoldedElements = 65536;
  /// Folding is given up when it would take more steps than this.
  static constexpr int64_t maxFoldingWork = int64_t(1) << 24;

  explicit Facts(Payloads &payloads) : payloads(payloads) {}

  /// Type of the node that is about to be added; make() takes it.
  void setNextType(const TensorType &type) { nextType = types.intern(type); }

  const TensorType &type(egraph::Id canonical) const { return types[facts[canonical].type]; }
  const Tensor *constant(egraph::Id canonical) const;
  const Tensor *splat(egraph::Id canonical) const;
  bool isLeaf(egraph::Id canonical) const { return facts[canonical].leaf != egraph::none; }
  bool isParameter(egraph::Id canonical) const { return facts[canonical].isParameter; }
  bool isLayerConstant(egraph::Id canonical) const { return facts[canonical].isLayerConstant; }
  bool exactConstants = true;

  Change make(const egraph::EGraph &engine, egraph::NodeId node) override;
  Change merge(const egraph::EGraph &engine, egraph::Id into, egraph::Id from) override;
  void modify(egraph::EGraph &engine, egraph::Id cls) override;
  std::string describeConflict() const override { return conflict; }
  /// Two nodes of the class of the last conflict that do not agree.
  std::pair<egraph::NodeId, egraph::NodeId> conflictingNodes() const { return conflicting; }

private:
  struct Fact {
    uint32_t type = egraph::none;
    uint32_t value = egraph::none;   ///< place in `values`
    uint32_t knownBy = egraph::none; ///< the node that has the value
    uint32_t leaf = egraph::none;    ///< the leaf node
    bool isParameter = false;
    bool isLayerConstant = false;
  };

  /// The value of a node over known operands, if folding it is allowed and possible.
  std::optional<KnownValue> fold(const egraph::EGraph &engine, egraph::NodeId node) const;
  std::optional<KnownValue> foldSplats(OpKind kind, const Attrs &attrs,
                                       std::span<const egraph::Id> operands) const;
  /// The node would be folded if the parameters of layers below it were constants.
  bool isFoldedByLayer(const egraph::EGraph &engine, egraph::NodeId node) const;
  bool isWorthFolding(OpKind kind, const Attrs &attrs, const TensorType &type,
                      std::span<const egraph::Id> operands) const;
  Change conflictBetween(egraph::NodeId a, egraph::NodeId b, std::string text);
  /// Two known values of one class agree.
  bool agree(const KnownValue &a, const KnownValue &b, const TensorType &type) const;

  Payloads &payloads;
  Types types;
  uint32_t nextType = egraph::none;
  bool hasLayerConstants = false;
  std::vector<Fact> facts; ///< by class id
  mutable std::deque<KnownValue> values;
  std::string conflict;
  std::pair<egraph::NodeId, egraph::NodeId> conflicting = {egraph::none, egraph::none};
};

} // namespace zyxc::graph
