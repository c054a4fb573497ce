// One search of a machine: depth first over the tree of instructions, as deep as patterns are.
#pragma once
#include "compiler/egraph/pattern/Machine.h"
#include <algorithm>

namespace zyxc::egraph {

/// The nodes that are new rows, if they are few.
struct NewNodes {
  bool areFew = false;
  std::vector<std::vector<NodeId>> byOp = {}; ///< by operands

  /// Few are at most an eighth of all nodes.
  static NewNodes collect(const EGraph &graph, TimeSpan times);
};

class Search {
public:
  Search(const Machine &machine, const EGraph &graph, TimeSpan times, const NewNodes &newNodes,
         uint64_t limit, std::vector<MatchTable> &tables)
      : machine(machine), graph(graph), times(times), newNodes(newNodes), limit(limit),
        tables(tables) {
    findGroundTerms();
  }

  /// All roots in order. False if there were more matches than the limit.
  bool run() {
    return std::ranges::all_of(roots(),
                               [&](uint32_t root) { return runRoot(root, nodesOfRoot(root)); });
  }
  std::span<const uint32_t> roots() const {
    return newNodes.areFew ? machine.rootsOfFew : machine.roots;
  }
  /// The nodes that a root reads: those that are new rows, where the others would be rejected.
  std::span<const NodeId> nodesOfRoot(uint32_t root) const {
    const Instruction &code = machine.code[root];
    bool onlyNew = newNodes.areFew && (code.age == AgeRule::SomeNewLast || !hasNewGround);
    if (!onlyNew) {
      return graph.nodesWithOp(code.op);
    }
    return code.op < newNodes.byOp.size() ? std::span<const NodeId>(newNodes.byOp[code.op])
                                          : std::span<const NodeId>();
  }
  /// Begins with some of the nodes that a root reads.
  bool runRoot(uint32_t root, std::span<const NodeId> nodes) {
    return scan(machine.code[root], nodes);
  }
  uint64_t numFound() const { return found; }

private:
  struct Ground {
    Id cls = none; ///< none: the term is not in the graph
    bool isNew = false;
  };

  bool isNew(NodeId node) const { return graph.age(node) >= times.since; }
  /// Its turn comes later.
  bool isHidden(NodeId node) const { return graph.age(node) >= times.until; }
  void findGroundTerms();
  struct Ages;
  Ages agesFor(const Instruction &code, bool hasNew) const;
  bool fits(const Instruction &code, Ages ages, NodeId node) const;
  // Each returns false when the search is to end. `hasNew`: a row of the new premise was new.
  bool goOn(const Instruction &code, bool hasNew);
  bool step(const Instruction &code, bool hasNew);
  bool scan(const Instruction &code, std::span<const NodeId> nodes);
  bool bind(const Instruction &code, bool hasNew);
  bool users(const Instruction &code, bool hasNew);
  bool lookUp(const Instruction &code, bool hasNew);
  bool row(const Instruction &code, NodeId node, Id cls, bool hasNew);
  bool yield(const Instruction &code);

  const Machine &machine;
  const EGraph &graph;
  TimeSpan times;
  const NewNodes &newNodes;
  uint64_t limit;
  std::vector<MatchTable> &tables;
  std::vector<Ground> grounds;
  bool hasNewGround = false;
  uint64_t found = 0;
  Id registers[maxRegisters];
};

} // namespace zyxc::egraph
