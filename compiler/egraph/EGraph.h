// The e-graph engine: hash-consed nodes in classes of equal terms, closed under congruence. It
// knows nothing of tensors: an op and a payload are numbers that the client gives a meaning. Nodes
// are a dense array; class lists and parent lists are joined in constant time, so a union is O(1)
// plus the parents of the smaller side, and nothing is recursive.
#pragma once
#include "compiler/egraph/Forms.h"
#include "compiler/egraph/Lists.h"
#include "compiler/egraph/Reason.h"
#include "runtime/support/Status.h"
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

namespace zyxc::egraph {

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

/// What a graph keeps beside its nodes and classes.
struct GraphOptions {
  /// The union log and the operands that nodes were made with: needed to say why things are equal.
  bool keepLog = true;
  /// When rows changed last: needed to find new matches only.
  bool trackAges = false;
  /// The matches behind unions by rules, and the log: needed for proofs (proof/Explainer.h).
  bool keepMatches = false;
  /// Rows that may have one age; a new time starts with the next.
  uint32_t rowsPerTime = 64;
};

/// Classes of equal terms. Ops and payloads are numbers whose meaning the user knows. Not
/// thread-safe.
class EGraph {
public:
  /// `analysis` (may be null) must outlive the graph.
  explicit EGraph(Analysis *analysis = nullptr, GraphOptions options = {})
      : analysis(analysis), options(options) {
    this->options.keepLog |= options.keepMatches;
    firstRow.append(0);
    growTable(64);
  }

  /// Declares that an op of two operands is commutative: its operands are kept sorted.
  void setCommutative(uint32_t op);
  bool isCommutative(uint32_t op) const { return op < commutative.size() && commutative[op]; }

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
  /// Adds a node to a class that it is equal to, because of `reason`: what addNode() and unite()
  /// do, but a new node needs no class of its own. Returns false if nothing was new.
  bool addNodeTo(Id cls, uint32_t op, uint32_t payload, std::span<const Id> children,
                 Reason reason);
  /// Makes the first `count` forms canonical and looks them up, with overlapping reads: in a large
  /// graph each is a cache miss.
  void prepare(Forms &forms, size_t count) const;
  /// The class of a form that is prepared, or none where addNode() is to find or make it. What
  /// holds when forms are prepared holds when others of them have been added.
  Id classOf(const Forms &forms, size_t place) const {
    NodeId found = forms.nodes[place];
    if (found == none) {
      return none;
    }
    const Node &node = nodes[found];
    bool isRight = node.op == forms.op && node.payload == forms.payload &&
                   node.arity == forms.arity && node.inlined[0] == forms.operands[0][place] &&
                   node.inlined[1] == forms.operands[1][place] &&
                   node.inlined[2] == forms.operands[2][place];
    return isRight ? find(node.cls) : none;
  }
  /// The node, if it is there. Exact only when isClean().
  std::optional<NodeId> lookup(uint32_t op, uint32_t payload, std::span<const Id> children) const;

  /// Unites two classes; congruence follows at rebuild(). Returns false if they were one class.
  bool unite(Id a, Id b, Reason reason);
  /// Says by which match of its rule the last union came, which was just made: the classes of all
  /// variables of the rule, by number. Only if matches are kept.
  void justify(std::span<const Id> match);
  /// Restores congruence and propagates facts. The error names the rules that led to a conflict of
  /// facts; the graph is then to be thrown away.
  Status rebuild();
  /// No union waits for rebuild().
  bool isClean() const { return pendingNodes.empty() && pendingFacts.empty(); }
  /// Used for the text of conflicts; may be null.
  void setRuleNames(const RuleNames *names) { ruleNames = names; }

  /// The canonical id of a class, or the class of a node.
  Id find(Id id) const {
    while (true) {
      Id up = parent[id];
      Id top = parent[up];
      if (up == top) { // no write: threads may read a graph whose paths are short
        return up;
      }
      parent[id] = top;
      id = top;
    }
  }
  /// The class of a node: find(), by way of what is beside the node's operands.
  Id classOf(NodeId node) const { return find(nodes[node].cls); }
  /// Makes find() write nothing until the next union, so that several threads may read the graph.
  void shortenPaths();
  bool same(Id a, Id b) const { return find(a) == find(b); }

  uint32_t numNodes() const { return static_cast<uint32_t>(nodes.size()); }
  uint32_t numLiveNodes() const { return numNodes() - numDead; }
  uint32_t numClasses() const { return numNodes() - numUnions; }
  /// Unions so far, those by congruence included.
  uint32_t unionCount() const { return numUnions; }
  /// Bytes that the graph holds, facts of the analysis aside.
  size_t memoryBytes() const;
  bool keepsLog() const { return options.keepLog; }
  bool keepsMatches() const { return options.keepMatches; }
  bool tracksAges() const { return options.trackAges; }
  uint32_t rowsPerTime() const { return options.rowsPerTime; }

  uint32_t op(NodeId node) const { return nodes[node].op; }
  uint32_t payload(NodeId node) const { return nodes[node].payload; }
  /// Operands; canonical when isClean(). Valid until the next addNode.
  std::span<const Id> children(NodeId node) const {
    const Node &n = nodes[node];
    return {n.arity <= inlineArity ? n.inlined.data() : &sidePool[n.inlined[0]], n.arity};
  }
  /// Operands as they were when the node was made; only if the log is kept.
  std::span<const Id> originalChildren(NodeId node) const {
    return {originals.data() + firstOriginal[node], nodes[node].arity};
  }
  /// False if the node turned out to be a duplicate of an older one.
  bool isLive(NodeId node) const { return !nodes[node].dead; }

  // A row is a node with its operands and its class. With trackAges each row has an age: the time
  // at which it was made or one of its columns got another id. A match that was not there before
  // has a row that is new.
  uint32_t time() const { return now; }
  /// Starts the next time. Does so by itself after GraphOptions::rowsPerTime rows.
  void tick() {
    ++now;
    rowsNow = 0;
    firstRow.append(static_cast<uint32_t>(rows.size()));
  }
  uint32_t age(NodeId node) const { return nodes[node].age; }
  /// Rows that were made or changed at a time, each once; those of another age have changed since.
  std::span<const NodeId> rowsAt(uint32_t time) const {
    size_t end = time < now ? firstRow[time + 1] : rows.size();
    return {rows.data() + firstRow[time], end - firstRow[time]};
  }
  /// The age of the newest row of a canonical class.
  uint32_t newestAge(Id cls) const { return newest[cls]; }

  /// The live nodes of a list; valid until the graph changes.
  class NodeRange {
  public:
    class Iterator {
    public:
      Iterator(const EGraph *graph, ListRun run) : graph(graph), run(run) { settle(); }
      NodeId operator*() const { return run.elements[at]; }
      Iterator &operator++() {
        ++at;
        settle();
        return *this;
      }
      bool operator==(std::default_sentinel_t) const { return run.elements.empty(); }

    private:
      /// Goes to the next live node, if this one is not.
      void settle() {
        for (; !run.elements.empty(); run = graph->lists.nextRun(run), at = 0) {
          for (; at < run.elements.size(); ++at) {
            if (graph->isLive(run.elements[at])) {
              return;
            }
          }
        }
      }
      const EGraph *graph;
      ListRun run;
      size_t at = 0;
    };
    NodeRange(const EGraph *graph, const List *list) : graph(graph), list(list) {}
    Iterator begin() const { return {graph, graph->lists.firstRun(*list)}; }
    std::default_sentinel_t end() const { return {}; }

  private:
    const EGraph *graph;
    const List *list;
  };
  /// Nodes of a class in the order in which they came into it.
  NodeRange nodesOf(Id cls) const { return {this, &classes[find(cls)].nodes}; }
  /// Nodes that use a class, once per operand position.
  NodeRange parentsOf(Id cls) const { return {this, &classes[find(cls)].uses}; }
  /// Calls `visit` with the nodes of a canonical class (`users`: with nodes that use it), those
  /// that are not live included, until it returns false; returns what it returned last. Loads nodes
  /// ahead.
  template <class Visit> bool visitNodes(Id cls, Visit visit) const {
    return visitList(classes[cls].nodes, visit);
  }
  template <class Visit> bool visitUsers(Id cls, Visit visit) const {
    return visitList(classes[cls].uses, visit);
  }
  /// All nodes of an op by ascending id; some may not be live.
  std::span<const NodeId> nodesWithOp(uint32_t op) const;

  /// Every union so far, in order; empty if the log is not kept.
  std::span<const UnionRecord> unionLog() const { return {log.data(), log.size()}; }
  /// The match that justify() gave for the union at this place of the log, of as many variables as
  /// its rule has; empty if it gave none.
  std::span<const Id> matchOf(size_t place, uint32_t variables) const {
    bool isKnown = place < firstOfMatch.size() && firstOfMatch[place] != none;
    return isKnown ? std::span(matches.data() + firstOfMatch[place], variables)
                   : std::span<const Id>();
  }
  /// Checks hash-consing, congruence, class lists, parent lists and the operator index; the error
  /// says what is broken. Call it when isClean().
  Status verify() const;

private:
  static constexpr uint32_t inlineArity = Forms::mostArity;
  struct Node {
    uint32_t op;
    uint32_t payload;
    uint32_t arity : 29;
    uint32_t dead : 1;                   ///< a duplicate of an older node
    uint32_t pending : 1;                ///< waits in pendingNodes
    uint32_t factPending : 1;            ///< the class of this id waits in pendingFacts
    std::array<Id, inlineArity> inlined; ///< operands and none, or [0]: their place in sidePool
    uint32_t age;                        ///< with trackAges
    Id cls;                              ///< a class that find() leads from to that of the node
  };
  /// Lists of a class, by its id; of no meaning for ids that are not canonical.
  struct ClassLists {
    List nodes;      ///< the oldest first
    List uses;       ///< nodes, once for each operand that is the class
    uint32_t weight; ///< uses, and with trackAges nodes too: the lighter class gives up its id
  };
  struct Slot {
    uint32_t hash;
    NodeId node;
  };

  /// Canonical operands in the order of the normal form. They lie in `few` or, if they are many, in
  /// `many`, and in neither place are they of use after the next call.
  std::span<const Id> canonicalize(uint32_t op, std::span<const Id> children, Id *few,
                                   std::vector<Id> &many) const;
  bool hasForm(const Node &node, uint32_t op, uint32_t payload, std::span<const Id> children) const;
  static uint32_t hashOf(uint32_t op, uint32_t payload, std::span<const Id> children);
  /// The first slot of this hash whose node fits, or the free one behind them.
  template <class Fits> size_t slotWhere(uint32_t hash, Fits fits) const;
  /// The table's slot of this form, or the free one where it belongs.
  size_t slotOf(uint32_t hash, uint32_t op, uint32_t payload, std::span<const Id> children) const;
  /// A live node of this form, or none.
  NodeId findInTable(uint32_t hash, uint32_t op, uint32_t payload,
                     std::span<const Id> children) const {
    return table[slotOf(hash, op, payload, children)].node;
  }
  /// Makes an entry for a node, unless it has it.
  void insertInTable(uint32_t hash, NodeId node);
  /// Fills the free slot that slotOf() gave.
  void fillSlot(size_t at, uint32_t hash, NodeId node);
  void growTable(size_t slots);
  /// A new node in class `cls`, or in one of its own if that is none.
  NodeId appendNode(uint32_t op, uint32_t payload, std::span<const Id> canonical,
                    std::span<const Id> original, Id cls);
  void appendUses(NodeId node, std::span<const Id> canonical);
  template <class Visit> bool visitList(const List &list, Visit visit) const {
    constexpr size_t ahead = 8;
    for (ListRun run = lists.firstRun(list); !run.elements.empty(); run = lists.nextRun(run)) {
      std::span<const NodeId> members = run.elements;
      for (size_t i = 0; i < std::min(ahead, members.size()); ++i) {
        __builtin_prefetch(&nodes[members[i]]);
      }
      for (size_t i = 0; i < members.size(); ++i) {
        if (i + ahead < members.size()) {
          __builtin_prefetch(&nodes[members[i + ahead]]);
        }
        if (!visit(members[i])) {
          return false;
        }
      }
    }
    return true;
  }
  /// Pushes the users of a class that is about to lose its id, and drops dead ones from the list.
  void postponeUsers(Id cls);
  /// Nodes of a class that is about to lose its id are rows with a changed column.
  void touchNodes(Id loser, Id root);
  void touchRow(NodeId node, Id cls);
  void link(Id root, Id loser);
  void noteChange(Analysis::Change change, Id cls);
  void repairNode(NodeId node);
  void repairNodes(std::span<const NodeId> batch);
  void propagateFacts(Id cls);
  void unlinkDeadNodes();
  Status verifyNodes() const;
  Status verifyClasses() const;
  Status verifyUses() const;
  Status verifyAges() const;
  Status verifyLists() const;
  Status verifyLog() const;

  Analysis *analysis;
  GraphOptions options;
  const RuleNames *ruleNames = nullptr;

  GrowingArray<Node> nodes;
  std::vector<Id> sidePool; ///< operands of nodes with more than inlineArity of them
  GrowingArray<Slot> table; ///< open addressing, a power of two; may hold outdated entries
  size_t tableUsed = 0;
  std::vector<bool> moved; ///< by node: the form has changed, so that entries may be outdated
  std::vector<bool> commutative;

  // Union-find and lists, by id.
  mutable GrowingArray<Id> parent;
  GrowingArray<ClassLists> classes;
  ListPool lists;
  std::vector<GrowingArray<NodeId>> byOp;

  // With keepLog.
  GrowingArray<UnionRecord> log;
  GrowingArray<uint32_t> firstOriginal; ///< by node
  GrowingArray<Id> originals;
  // With keepMatches.
  GrowingArray<uint32_t> firstOfMatch; ///< by place in the log
  GrowingArray<Id> matches;
  // With trackAges.
  GrowingArray<uint32_t> newest;   ///< by class
  GrowingArray<NodeId> rows;       ///< by time, then in order
  GrowingArray<uint32_t> firstRow; ///< by time: its place in `rows`
  uint32_t now = 0;
  uint32_t rowsNow = 0; ///< of this age

  uint32_t numUnions = 0;
  uint32_t numDead = 0;

  std::vector<NodeId> pendingNodes; ///< operands changed class
  std::vector<Id> pendingFacts;     ///< fact is new or changed
  std::vector<Id> listsWithDead;
  Status conflict;
  std::vector<Id> scratch;
};

} // namespace zyxc::egraph
