#include "compiler/plan/choose/Borders.h"
#include "compiler/graph/Payloads.h"
#include "runtime/support/Hash.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace zyxc::plan {

using graph::TensorGraph;
using kernelize::ClassId;
using kernelize::NodeId;

namespace {

/// Levels of ops that must agree. More would tell the second layer from the third, and need not: a
/// border that is none costs time, never a wrong answer.
constexpr int levels = 3;

class Finder {
public:
  Finder(const TensorGraph &graph, const kernelize::CandidateTable &table)
      : graph(graph), order(graph.reachableClasses()) {
    ClassId last = 0;
    for (ClassId cls : order) {
      last = std::max(last, cls);
    }
    position.resize(size_t(last) + 1, ~0u);
    for (uint32_t i = 0; i < order.size(); ++i) {
      position[order[i]] = i;
    }
    flows.resize(order.size(), false);
    for (uint32_t i = 0; i < order.size(); ++i) {
      flows[i] = !graph.isParameter(order[i]) && !graph.isLeaf(order[i]);
    }
    findOperands();
    findHashes();
    findAlive();
    findOffered(table);
  }

  std::vector<Borders> run(const BorderLimits &limits) const {
    std::map<uint64_t, Borders> byHash;
    std::vector<uint64_t> found; // in the order of the graph
    for (uint32_t i = 0; i < order.size(); ++i) {
      if (!offered[i]) {
        continue;
      }
      auto [entry, isNew] = byHash.try_emplace(hashes[i]);
      if (isNew) {
        found.push_back(hashes[i]);
      }
      entry->second.classes.push_back(order[i]);
      entry->second.alive = std::max(entry->second.alive, alive[i]);
    }
    std::vector<Borders> result;
    for (uint64_t hash : found) {
      if (byHash[hash].classes.size() >= limits.leastBorders) {
        result.push_back(std::move(byHash[hash]));
      }
    }
    auto rank = [&](const Borders &set) {
      return std::tuple(set.alive, -static_cast<int64_t>(set.classes.size()),
                        position[set.classes[0]]);
    };
    std::sort(result.begin(), result.end(),
              [&](const Borders &a, const Borders &b) { return rank(a) < rank(b); });
    result.resize(std::min(result.size(), limits.mostSets));
    return result;
  }

private:
  /// Operands of the nodes of each class, as positions; nodes one after the other.
  void findOperands() {
    operands.resize(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
      for (NodeId node : graph.nodes(order[i])) {
        if (isComposite(graph.kind(node)) || (graph.isConstant(order[i]) && !flows[i])) {
          continue; // the decomposition says the same, and a constant is what it is
        }
        std::vector<uint32_t> places;
        for (ClassId operand : graph.operands(node)) {
          if (operand < position.size() && position[operand] != ~0u) {
            places.push_back(position[operand]);
          }
        }
        operands[i].push_back({node, std::move(places)});
      }
    }
  }

  uint64_t ownHash(uint32_t i) {
    ClassId cls = order[i];
    uint64_t hash = hashMix(types.intern(graph.type(cls)), graph.isLeaf(cls));
    if (const Tensor *splat = graph.splat(cls)) {
      hash = hashBytes(splat->data(), splat->byteSize(), hash);
    }
    return hash;
  }

  void findHashes() {
    for (uint32_t i = 0; i < order.size(); ++i) {
      hashes.push_back(ownHash(i));
    }
    std::vector<uint64_t> own = hashes;
    for (int level = 0; level < levels; ++level) {
      std::vector<uint64_t> next = own;
      for (uint32_t i = 0; i < order.size(); ++i) {
        if (flows[i]) {
          next[i] = hashMix(own[i], hashOfNodes(i));
        }
      }
      hashes = std::move(next);
    }
  }

  /// Sums do not depend on the order of nodes and operands, which follows ids.
  uint64_t hashOfNodes(uint32_t i) const {
    uint64_t sum = 0;
    for (const NodeOperands &entry : operands[i]) {
      uint64_t hash = hashMix(graph.engine().op(entry.node), graph.engine().payload(entry.node));
      uint64_t below = 0;
      for (uint32_t operand : entry.places) {
        below += hashMix(hashes[operand], 1);
      }
      sum += hashMix(hash, below);
    }
    return sum;
  }

  /// How many computed tensors are needed behind each place of the order.
  void findAlive() {
    std::vector<uint32_t> lastUse(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
      lastUse[i] = i;
      for (const NodeOperands &entry : operands[i]) {
        for (uint32_t operand : entry.places) {
          lastUse[operand] = std::max(lastUse[operand], i);
        }
      }
    }
    std::vector<int64_t> change(order.size() + 1, 0);
    for (uint32_t i = 0; i < order.size(); ++i) {
      if (flows[i] && lastUse[i] > i) {
        ++change[i];
        --change[lastUse[i]];
      }
    }
    int64_t count = 0;
    for (uint32_t i = 0; i < order.size(); ++i) {
      alive.push_back(count += change[i]);
    }
  }

  /// Only what can be stored by a kernel, and is read by one.
  void findOffered(const kernelize::CandidateTable &table) {
    std::vector<bool> isRead(order.size(), false);
    std::vector<bool> isMade(order.size(), false);
    for (const kernelize::Candidate &candidate : table.candidates) {
      for (ClassId input : candidate.inputs) {
        isRead[position[input]] = true;
      }
      bool isKernel = candidate.kind == kernelize::Candidate::Kind::Kernel;
      for (ClassId output : candidate.outputs) {
        isMade[position[output]] = isMade[position[output]] || isKernel;
      }
    }
    for (uint32_t i = 0; i < order.size(); ++i) {
      offered.push_back(flows[i] && isRead[i] && isMade[i] && !graph.isConstant(order[i]));
    }
  }

  struct NodeOperands {
    NodeId node;
    std::vector<uint32_t> places;
  };

  const TensorGraph &graph;
  graph::Types types;
  std::vector<ClassId> order;
  std::vector<uint32_t> position; ///< by class id
  // By position:
  std::vector<bool> flows; ///< computed from inputs
  std::vector<std::vector<NodeOperands>> operands;
  std::vector<uint64_t> hashes;
  std::vector<int64_t> alive;
  std::vector<bool> offered;
};

} // namespace

std::vector<Borders> findBorders(const TensorGraph &graph, const kernelize::CandidateTable &table,
                                 const BorderLimits &limits) {
  if (table.candidates.size() < limits.leastCandidates) {
    return {};
  }
  return Finder(graph, table).run(limits);
}

} // namespace zyxc::plan
