// The e-graph of tensor programs: classes of equal tensors, with type and constant facts. It adds to
// the generic engine (compiler/egraph) what zyx ops mean: payloads, result types, normal forms.
#pragma once
#include "compiler/egraph/EGraph.h"
#include "dialects/zyx/semantics/GraphBuilder.h"
#include <optional>
#include <vector>

namespace zyxc::graph {

/// An e-class. Ids of merged classes stay usable: find() gives the canonical one.
using ClassId = egraph::Id;
/// An e-node: a dense index that never changes.
using NodeId = egraph::NodeId;

/// A named input or output of the program.
struct Endpoint {
  std::string name;
  ClassId cls;
};

class TensorGraph {
public:
  TensorGraph();
  ~TensorGraph();
  TensorGraph(TensorGraph &&) noexcept;

  /// Adds an op over classes and returns its class. Normal forms are applied here:
  /// - reshape, permute, expand, narrow, flip and window become one `view` node, composed with a view
  ///   below it; an identity view is its operand (pad stays a node of its own);
  /// - operands of commutative ops are sorted by class id;
  /// - an op over small constants is folded by the interpreter.
  /// The op must be valid (inferType succeeds).
  ClassId add(OpKind kind, std::span<const ClassId> operands, Attrs attrs = {});
  /// Adds a composite and its decomposition into one class (contract stays as it is).
  ClassId addWithDecomposition(OpKind kind, std::span<const ClassId> operands, Attrs attrs = {});

  /// States that two classes are equal; takes effect for congruence at rebuild().
  void unite(ClassId a, ClassId b, egraph::Reason reason);
  void rebuild();

  ClassId find(ClassId cls) const;
  const TensorType &type(ClassId cls) const;
  /// The class's value, when it is known at compile time.
  const Tensor *constant(ClassId cls) const;
  /// The class is a leaf (a buffer given at run time).
  bool isLeaf(ClassId cls) const;

  /// Nodes of a class, oldest first.
  std::vector<NodeId> nodes(ClassId cls) const;
  OpKind kind(NodeId node) const;
  const Attrs &attrs(NodeId node) const;
  std::vector<ClassId> operands(NodeId node) const;
  /// The op of the source graph that this node came from ("" for nodes made by rules).
  const std::string &origin(NodeId node) const;
  void setOrigin(std::string name); ///< for the nodes added next

  /// Canonical classes reachable from the outputs, operands before users.
  std::vector<ClassId> reachableClasses() const;

  std::vector<Endpoint> inputs;
  std::vector<Endpoint> outputs;

  egraph::EGraph &engine();
  const egraph::EGraph &engine() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace zyxc::graph
