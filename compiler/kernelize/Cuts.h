// Priority cuts of the tensor e-graph. A cut of a class is a set of input classes and the e-nodes
// in between: one way to compute the class in one kernel. Found bottom-up by merging the cuts of
// each e-node's operands, pruned by dominance and by area flow, as technology mappers of logic do
// (Mishchenko et al., "Combinational and sequential mapping with priority cuts", 2007).
#pragma once
#include "compiler/cost/CostTable.h"
#include "compiler/kernelize/Candidates.h"
#include <optional>

namespace zyxc::kernelize {

/// An e-node inside of a cut, chosen to compute its class.
struct Interior {
  ClassId cls = 0;
  NodeId node = 0;
  bool expanded = false;   ///< a contract computed as a sum of products, without register tiles
  bool overAnchor = false; ///< works on the result of the cut's contraction
  double volume = 0;       ///< how often it is evaluated, with what views above it repeat
  double natural = 0;      ///< how often it must be evaluated at least
};

/// The classes of attention in a cut whose anchor is a contract of softmax(logits) and values.
struct AttentionParts {
  ClassId scores = egraph::none; ///< a contraction that the logits are computed from
  ClassId logits = egraph::none;
  ClassId softmax = egraph::none;
  bool isGuarded = false; ///< where all logits are -inf the softmax is 0 instead of NaN
  bool operator==(const AttentionParts &) const = default;
};

/// One way to compute a class, and perhaps others beside it, in one kernel.
struct Cut {
  std::vector<ClassId> inputs;    ///< sorted
  std::vector<Interior> interior; ///< sorted by class
  ClassId anchor = egraph::none;  ///< the class of the contraction, if there is one
  std::optional<AttentionParts> attention = {};
  int levels = 0; ///< nested reductions
  bool gathers = false;
  int64_t bytes = 0;     ///< of the inputs
  double ops = 0;        ///< weighted scalar work
  double naturalOps = 0; ///< the same if each class were computed once
  double flops = 0;      ///< of the contraction
  double flow = 0;       ///< estimated picoseconds with the inputs' share of theirs
  bool single = false;   ///< one e-node over loads: exempt from the caps, so that a way exists
  /// Classes that the kernel stores beside the one that it is for (OutputSets.h); canonical.
  std::vector<ClassId> stores = {};
  bool hasAnchor() const { return anchor != egraph::none; }
  /// How a class is computed inside of the cut; null if it is not.
  const Interior *find(ClassId cls) const;
};

/// The inputs and interior of both, not yet estimated; nothing if it cannot be one kernel.
std::optional<Cut> merge(const Cut &a, const Cut &b);

/// What the search for cuts knows of the graph.
class CutTable {
public:
  CutTable(const graph::TensorGraph &graph, const Caps &caps);

  /// The cuts that compute a class (not the one that loads it), best first.
  const std::vector<Cut> &cutsOf(ClassId cls) const { return entry(cls).cuts; }
  /// One cut per e-node of the class, with all operands loaded.
  std::vector<Cut> singleNodeCuts(ClassId cls);
  /// Canonical classes, operands before users.
  const std::vector<ClassId> &classes() const { return order; }
  /// Everything that the class is made of is constant, and so are its sizes.
  bool isConstantOnly(ClassId cls) const { return entry(cls).constantOnly; }
  /// No candidate is needed: a leaf, a written-out constant, or a tensor without elements.
  bool isGiven(ClassId cls) const;
  /// A node that the class could be computed by, if nothing computes it: for error messages.
  std::string describeUncomputed(ClassId cls) const;

  int64_t mergeCapHits() const { return mergeHits; }
  int64_t cutCapHits() const { return cutHits; }
  int64_t portCapHits() const { return portHits; }
  int64_t opCapHits() const { return opHits; }
  int64_t levelCapHits() const { return levelHits; }
  int64_t recomputeCapHits() const { return recomputeHits; }

private:
  struct Entry {
    std::vector<Cut> cuts;
    bool reachable = false;
    bool given = false; ///< isGiven()
    bool constantOnly = false;
    bool isOutput = false;
    bool isDone = false;      ///< its cuts were computed at least once
    bool neverStored = false; ///< looking through it is never worse than storing it
    int users = 0;
    double flow = 0; ///< estimated cost of having it stored
  };
  /// A node that takes part in cuts, with what deciding on it needs.
  struct Node {
    ClassId cls;
    NodeId node;
    OpKind kind;
    std::vector<ClassId> operands;
    mutable std::optional<bool> isInvertible = {}; ///< of a view, once that was asked
  };

  const Entry &entry(ClassId cls) const { return entries[graph.find(cls)]; }
  bool findGiven(ClassId cls) const;
  void findConstantOnly();
  void findNeverStored(ClassId cls);
  void computeCuts(ClassId cls);
  std::vector<Node> computingNodes(ClassId cls) const;
  void addNodeCuts(const Node &node, std::vector<Cut> &result);
  /// Cuts of a contract whose one operand is a softmax of scores (AttentionCuts.cpp).
  void addAttentionCuts(const Node &node, std::vector<Cut> &result);
  void addAttentionCuts(const Node &node, size_t weights, std::vector<Cut> &result);
  /// Cuts of an operand as seen by a user: its own, and the one that loads it.
  std::vector<const Cut *> operandCuts(const Node &node, size_t operand);
  std::vector<Cut> mergeOperands(const Node &node);
  /// Each of some cuts with each of an operand of `cls`, up to the cap on merges.
  std::vector<Cut> mergePairs(ClassId cls, const std::vector<Cut> &merged,
                              const std::vector<const Cut *> &cuts);
  bool finish(const Node &node, bool expanded, Cut &cut);
  bool finishContract(const Node &node, bool expanded, Cut &cut);
  /// Estimates a cut that has all of its interior; false if it exceeds a cap.
  bool isWithinCaps(const Node &node, Cut &cut);
  bool isLegalOverAnchor(const Node &node) const;
  void addInterior(const Node &node, bool expanded, double volume, Cut &cut);
  void estimate(ClassId cls, Cut &cut);
  std::vector<Cut> pruned(std::vector<Cut> cuts);
  const Cut &trivialCut(ClassId cls);

  const graph::TensorGraph &graph;
  Caps caps;
  cost::CostTable costs;
  std::vector<ClassId> order;
  std::vector<Entry> entries; ///< by class id
  std::vector<Cut> trivial;   ///< by class id; made on demand
  int64_t mergeHits = 0;
  int64_t cutHits = 0;
  int64_t portHits = 0;
  int64_t opHits = 0;
  int64_t levelHits = 0;
  int64_t recomputeHits = 0;
};

/// Extents of the labels of a contract by role: numbers for costs, symbolic ones are estimated.
struct ContractShape {
  int64_t batch = 1;
  int64_t rows = 1;    ///< labels of x and the result
  int64_t columns = 1; ///< labels of y and the result
  int64_t inner = 1;   ///< summed labels
  bool plain = true;   ///< every summed label whose axis is longer than 1 is on both sides
};
/// `node` must be a contract.
ContractShape contractShape(const graph::TensorGraph &graph, NodeId node);

} // namespace zyxc::kernelize
