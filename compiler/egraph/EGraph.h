// The e-graph engine: hash-consed nodes in classes of equal terms, closed under congruence. It
// knows nothing of tensors: an op and a payload are numbers that the client gives a meaning. Nodes
// are a dense array; class lists and parent lists are chains through arrays, so a union is O(1)
// plus the parents of the smaller side, and nothing is recursive.
#pragma once
#include "runtime/support/Status.h"
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace zyxc::egraph {

/// An e-class: the id of one of its nodes. Ids of merged classes stay usable; find() gives the
/// canonical one.
using Id = uint32_t;
/// An e-node: a dense index that never changes.
using NodeId = uint32_t;
inline constexpr uint32_t none = ~0u;

/// Why two classes were united.
struct Reason {
  enum class Kind : uint8_t {
    Client,     ///< the client said so (import, decomposition, constant folding); `id` is its own
    Rule,       ///< rule number `id`
    Congruence, ///< equal ops over equal operands
  };
  Kind kind = Kind::Client;
  uint32_t id = 0;

  static Reason client(uint32_t id = 0) { return {Kind::Client, id}; }
  static Reason rule(uint32_t id) { return {Kind::Rule, id}; }
  static Reason congruence() { return {Kind::Congruence, 0}; }
  bool operator==(const Reason &) const = default;
};

/// One entry of the union log: node `a` and node `b` were found equal.
struct UnionRecord {
  NodeId a;
  NodeId b;
  Reason reason;
};

class EGraph;

/// Facts about classes, kept by the client in arrays over class ids and joined when classes merge.
/// A fact may only grow, so that propagation ends.
class Analysis {
public:
  enum class Change : uint8_t { None, Changed, Conflict };

  virtual ~Analysis() = default;
  /// Joins what `node` says, given the facts of its operands, into the fact of its class. Called
  /// once for a new node (its class is the node's own id, without a fact yet) and again when a fact
  /// of an operand has changed. Changed: modify() and the make() of users are due. Must not change
  /// the graph.
  virtual Change make(const EGraph &graph, NodeId node) = 0;
  /// Joins the fact of `from` into that of `into`, which stays canonical. Must not change the
  /// graph.
  virtual Change merge(const EGraph &graph, Id into, Id from) = 0;
  /// Called from rebuild() for a class whose fact is new or has changed; may add nodes and unite.
  virtual void modify(EGraph &graph, Id cls) {}
  /// What the last conflict was ("2 and 3 in one class"), in one line.
  virtual std::string describeConflict() const { return "conflicting facts"; }
};

/// Names a rule in messages.
class RuleNames {
public:
  virtual ~RuleNames() = default;
  virtual std::string ruleName(uint32_t rule) const = 0;
};

/// Classes of equal terms. Ops and payloads are numbers whose meaning the user knows. Not
/// thread-safe.
class EGraph {
public:
  /// `analysis` (may be null) must outlive the graph.
  explicit EGraph(Analysis *analysis = nullptr) : analysis(analysis) { growTable(64); }

  /// Declares that an op of two operands is commutative: its operands are kept sorted.
  void setCommutative(uint32_t op);

  struct Added {
    Id cls;      ///< canonical class
    NodeId node; ///< the node that was found or made
    bool isNew;
  };
  /// The node op[payload](children), found or made.
  Added addNode(uint32_t op, uint32_t payload, std::span<const Id> children);
  Id add(uint32_t op, uint32_t payload, std::span<const Id> children) {
    return addNode(op, payload, children).cls;
  }
  /// The node, if it is there. Exact only when isClean().
  std::optional<NodeId> lookup(uint32_t op, uint32_t payload, std::span<const Id> children) const;

  /// Unites two classes; congruence follows at rebuild(). Returns false if they were one class.
  bool unite(Id a, Id b, Reason reason);
  /// Restores congruence and propagates facts. The error names the rules that led to a conflict of
  /// facts; the graph is then to be thrown away.
  Status rebuild();
  /// No union waits for rebuild().
  bool isClean() const { return pendingNodes.empty() && pendingFacts.empty(); }
  /// Used for the text of conflicts; may be null.
  void setRuleNames(const RuleNames *names) { ruleNames = names; }

  /// The canonical id of a class, or the class of a node.
  Id find(Id id) const {
    while (parent[id] != id) {
      parent[id] = parent[parent[id]];
      id = parent[id];
    }
    return id;
  }
  bool same(Id a, Id b) const { return find(a) == find(b); }

  uint32_t numNodes() const { return static_cast<uint32_t>(nodes.size()); }
  uint32_t numLiveNodes() const { return numNodes() - numDead; }
  uint32_t numClasses() const { return numNodes() - numUnions; }

  uint32_t op(NodeId node) const { return nodes[node].op; }
  uint32_t payload(NodeId node) const { return nodes[node].payload; }
  /// Operands; canonical when isClean(). Valid until the next addNode.
  std::span<const Id> children(NodeId node) const {
    const Node &n = nodes[node];
    return {n.arity <= inlineArity ? n.inlined : &sidePool[n.inlined[0]], n.arity};
  }
  /// Operands as they were when the node was made.
  std::span<const Id> originalChildren(NodeId node) const {
    return {useChild.data() + firstUse[node], nodes[node].arity};
  }
  /// False if the node turned out to be a duplicate of an older one.
  bool isLive(NodeId node) const { return !nodes[node].dead; }

  /// A chain of node ids without duplicates of other nodes; stays valid while nodes are added.
  template <class Step> class Chain {
  public:
    class Iterator {
    public:
      Iterator(const EGraph *graph, uint32_t at) : graph(graph), at(at) { skip(); }
      NodeId operator*() const { return Step::node(*graph, at); }
      Iterator &operator++() {
        at = Step::next(*graph, at);
        skip();
        return *this;
      }
      bool operator==(const Iterator &other) const { return at == other.at; }

    private:
      void skip() {
        while (at != none && !graph->isLive(Step::node(*graph, at))) {
          at = Step::next(*graph, at);
        }
      }
      const EGraph *graph;
      uint32_t at;
    };
    Chain(const EGraph *graph, uint32_t head) : graph(graph), head(head) {}
    Iterator begin() const { return {graph, head}; }
    Iterator end() const { return {graph, none}; }

  private:
    const EGraph *graph;
    uint32_t head;
  };
  struct NodeStep {
    static NodeId node(const EGraph &, uint32_t at) { return at; }
    static uint32_t next(const EGraph &graph, uint32_t at) { return graph.nextInClass[at]; }
  };
  struct UseStep {
    static NodeId node(const EGraph &graph, uint32_t at) { return graph.useNode[at]; }
    static uint32_t next(const EGraph &graph, uint32_t at) { return graph.nextUse[at]; }
  };
  /// Nodes of a class in the order in which they came into it.
  Chain<NodeStep> nodesOf(Id cls) const { return {this, firstNode[find(cls)]}; }
  /// Nodes that use a class, once per operand position.
  Chain<UseStep> parentsOf(Id cls) const { return {this, useHead[find(cls)]}; }
  /// All nodes of an op by ascending id; some may not be live.
  std::span<const NodeId> nodesWithOp(uint32_t op) const;

  /// Every union so far, in order.
  std::span<const UnionRecord> unionLog() const { return log; }
  /// Checks hash-consing, congruence, class lists, parent lists and the operator index; the error
  /// says what is broken. Call it when isClean().
  Status verify() const;

private:
  static constexpr uint32_t inlineArity = 3;
  struct Node {
    uint32_t op;
    uint32_t payload;
    uint32_t arity : 29;
    uint32_t dead : 1;    ///< a duplicate of an older node
    uint32_t pending : 1; ///< waits in pendingNodes
    uint32_t spare : 1;
    Id inlined[inlineArity]; ///< operands, or [0]: their place in sidePool
  };
  struct Slot {
    uint32_t hash;
    NodeId node;
  };

  bool isCommutative(uint32_t op) const { return op < commutative.size() && commutative[op]; }
  /// Canonical operands in the order of the normal form, written to `out`.
  void canonicalize(uint32_t op, std::span<const Id> children, std::vector<Id> &out) const;
  static uint32_t hashOf(uint32_t op, uint32_t payload, std::span<const Id> children);
  /// A live node of this form, or none.
  NodeId findInTable(uint32_t hash, uint32_t op, uint32_t payload,
                     std::span<const Id> children) const;
  void insertInTable(uint32_t hash, NodeId node);
  void growTable(size_t slots);
  NodeId appendNode(uint32_t op, uint32_t payload, std::span<const Id> canonical,
                    std::span<const Id> original);
  /// Pushes the users of a class that is about to lose its id, and drops dead ones from the chain.
  void postponeUsers(Id cls);
  void link(Id root, Id loser);
  void noteChange(Analysis::Change change, Id cls);
  void repairNode(NodeId node);
  void propagateFacts(Id cls);
  void unlinkDeadNodes();
  Status verifyNodes() const;
  Status verifyClasses() const;
  Status verifyUses() const;
  Status verifyLog() const;

  Analysis *analysis;
  const RuleNames *ruleNames = nullptr;

  std::vector<Node> nodes;
  std::vector<Id> sidePool; ///< operands of nodes with more than inlineArity of them
  std::vector<Slot> table;  ///< open addressing, a power of two; may hold outdated entries
  size_t tableUsed = 0;
  std::vector<bool> commutative;

  // Union-find and class lists, by id.
  mutable std::vector<Id> parent;
  std::vector<NodeId> nextInClass, firstNode, lastNode;
  // Uses, one per operand of a node in the order of making; chains of uses by class id.
  std::vector<uint32_t> firstUse; ///< by node
  std::vector<Id> useChild;
  std::vector<NodeId> useNode;
  std::vector<uint32_t> nextUse;
  std::vector<uint32_t> useHead, useTail, numUses; ///< by class

  std::vector<std::vector<NodeId>> byOp;
  std::vector<UnionRecord> log;
  uint32_t numUnions = 0;
  uint32_t numDead = 0;

  std::vector<NodeId> pendingNodes; ///< operands changed class
  std::vector<Id> pendingFacts;     ///< fact is new or changed
  std::vector<uint8_t> factIsPending;
  std::vector<Id> listsWithDead;
  Status conflict;
  std::vector<Id> scratch;
};

} // namespace zyxc::egraph
