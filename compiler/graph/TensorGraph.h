// The e-graph of tensor programs: classes of equal tensors, with type and constant facts. It adds
// to the generic engine (compiler/egraph) what zyx ops mean: payloads, result types, normal forms.
#pragma once
#include "compiler/egraph/EGraph.h"
#include "compiler/graph/Callee.h"
#include "compiler/graph/Layers.h"
#include "dialects/zyx/semantics/GraphBuilder.h"
#include <optional>
#include <vector>

namespace zyxc::graph {

/// An e-class. Ids of merged classes stay usable: find() gives the canonical one.
using ClassId = egraph::Id;
/// An e-node: a dense index that never changes.
using NodeId = egraph::NodeId;

/// `id` of Reason::client for unions that no rule made.
enum class ClientReason : uint32_t { Given, Folding, Decomposition };

/// A named input or output of the program.
struct Endpoint {
  std::string name;
  ClassId cls;
  bool written = false; ///< of an input: the program says so, though nothing may be left of it
};

/// A movement op of a chain.
struct ViewStep {
  OpKind kind = OpKind::Reshape;
  Attrs attrs;
};

/// What is stored into an input when everything else was computed: a value, or nothing but views of
/// the inputs as they were at the start.
struct Write {
  size_t input = 0; ///< in TensorGraph::inputs
  ClassId value = 0;
  IndexMap map = {};                ///< coordinates of the value -> those of the input; injective
  std::vector<ViewStep> chain = {}; ///< the same as ops on the input: what a dump writes
  std::string origin = {};          ///< the op of the source graph
};

/// An op of the source graph, as it was read: what explanations are about.
struct SourceOp {
  std::string origin; ///< its name there, which all ops that one source node became share
  std::string kind;   ///< "conv"
  /// Ops before it; ~i: the input i. Constants of regions that come from outside are left out.
  std::vector<int32_t> operands = {};
  std::vector<ClassId> results = {};
};

/// The graph is right only where a size is at least 0 (see inferType).
struct SizeGuard {
  int64_t size = 0;
  std::string origin; ///< the op of the source graph that needs it
  std::string text;   ///< the kind of that op
  bool operator==(const SizeGuard &) const = default;
};

/// Owns its nodes, payloads and facts. Not thread-safe.
class TensorGraph {
public:
  TensorGraph();
  ~TensorGraph();
  TensorGraph(TensorGraph &&) noexcept;
  TensorGraph &operator=(TensorGraph &&) noexcept;

  /// Adds an op over classes and returns its class. Normal forms are applied here:
  /// - reshape, permute, expand, narrow, flip and window become one `view` node, composed with a
  ///   view below it; an identity view is its operand (pad stays a node of its own);
  /// - an op without elements in its result is a constant, padding by nothing is its operand;
  /// - operands of commutative ops are sorted by class id;
  /// - an op over small constants is folded by the interpreter (the constant node appears at
  ///   rebuild, the fact at once).
  /// The op must be valid (inferType succeeds).
  ClassId add(OpKind kind, std::span<const ClassId> operands, const Attrs &attrs = {});
  /// Adds a composite and its decomposition into one class (contract stays as it is).
  ClassId addWithDecomposition(OpKind kind, std::span<const ClassId> operands,
                               const Attrs &attrs = {});
  /// As addWithDecomposition, or the error of inferType.
  Expected<ClassId> tryAdd(OpKind kind, std::span<const ClassId> operands, const Attrs &attrs = {});
  /// A rank-0 constant repeated to a shape.
  ClassId addSplat(Tensor scalar, const Shape &shape);

  /// States that two classes are equal; takes effect for congruence at rebuild(). False if they
  /// were one class.
  bool unite(ClassId a, ClassId b, egraph::Reason reason);
  /// The error says which values or leaves met in one class, and names the rules that led there.
  Status rebuild();
  /// After an error of rebuild: what is wrong, in one line, and two nodes of one class that do not
  /// agree.
  struct Conflict {
    std::string text;
    NodeId a, b;
  };
  Conflict conflict() const;

  ClassId find(ClassId cls) const;
  const TensorType &type(ClassId cls) const;
  /// The class's value, when it is known at compile time. Null for a splat that is too large to be
  /// written out: see splat(). Valid while the graph lives.
  const Tensor *constant(ClassId cls) const;
  /// The value of all elements (rank 0), when it is known that they are equal bit for bit.
  const Tensor *splat(ClassId cls) const;
  /// The class's value is known at compile time, written out or not.
  bool isConstant(ClassId cls) const { return constant(cls) || splat(cls); }
  /// The value follows from constants alone, so that it can be computed once, before any input is
  /// known: a constant, or an op over parameters.
  bool isParameter(ClassId cls) const;
  /// A parameter of layers that are left out, or what a constant in its place would be folded to: a
  /// constant that has another value in each layer (compiler/graph/Layers.h).
  bool isLayerConstant(ClassId cls) const;
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

  /// The classes that the program is for: those of outputs, then of what is written.
  std::vector<ClassId> roots() const;
  /// Canonical classes reachable from the roots, operands before users as far as cycles of equal
  /// terms allow. What constants were folded from is not visited.
  std::vector<ClassId> reachableClasses() const;

  /// Float constants that meet in one class must have equal bits (NaN equals NaN). Set to false
  /// when rules run that may change rounding.
  void setExactConstants(bool exact);

  /// Graphviz text: ops with attributes, classes with types.
  std::string toDot() const;

  std::vector<Endpoint> inputs;
  std::vector<Endpoint> outputs;
  std::vector<SizeGuard> guards;
  std::vector<Write> writes;     ///< in this order, after all else
  std::vector<Callee> callees;   ///< by the attribute `callee` of call nodes
  std::vector<SourceOp> sources; ///< in the order of the source graph; empty if it was built
  Layers layers;                 ///< that are left out

  egraph::EGraph &engine();
  const egraph::EGraph &engine() const;

private:
  ClassId addMovement(OpKind kind, ClassId operand, const Attrs &attrs, const TensorType &type);
  egraph::EGraph::Added addRaw(OpKind kind, std::span<const ClassId> operands, const Attrs &attrs,
                               const TensorType &type);

  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace zyxc::graph
