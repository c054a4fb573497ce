// Cuts of attention: a contract one of whose operands is a softmax of scores becomes one kernel
// with the contract of the scores, the softmax, and whatever is between them. The anchor is the
// outer contract, so that what follows it joins as it joins any contract; the scores are kept
// beside it (one kernel with online softmax: Dao et al., FlashAttention, 2022).
#include "compiler/kernelize/Cuts.h"
#include "compiler/kernelize/SoftmaxFinder.h"
#include "runtime/core/Dim.h"
#include <algorithm>
#include <utility>

namespace zyxc::kernelize {

/// The axis of the operand that the contract sums over, if it is one and the other operand has it
/// too.
static std::optional<int64_t> summedAxis(const Attrs &attrs, size_t operand) {
  const std::vector<int64_t> &own = attrs.getInts(operand == 0 ? "lhs" : "rhs");
  const std::vector<int64_t> &other = attrs.getInts(operand == 0 ? "rhs" : "lhs");
  const std::vector<int64_t> &out = attrs.getInts("out");
  auto contains = [](const std::vector<int64_t> &list, int64_t label) {
    return std::find(list.begin(), list.end(), label) != list.end();
  };
  std::optional<int64_t> summed;
  for (size_t axis = 0; axis < own.size(); ++axis) {
    if (contains(out, own[axis])) {
      continue;
    }
    if (summed || !contains(other, own[axis])) {
      return std::nullopt;
    }
    summed = static_cast<int64_t>(axis);
  }
  return summed;
}

/// Adds nodes to an interior; false if it computes one of the classes by another node.
static bool addAll(const std::vector<Interior> &nodes, std::vector<Interior> &interior) {
  for (const Interior &entry : nodes) {
    auto at = std::lower_bound(interior.begin(), interior.end(), entry.cls,
                               [](const Interior &other, ClassId id) { return other.cls < id; });
    if (at == interior.end() || at->cls != entry.cls) {
      interior.insert(at, entry);
    } else if (at->node != entry.node) {
      return false;
    }
  }
  return true;
}

/// How many tensors a class is computed from in the cut.
static int countInputs(const graph::TensorGraph &graph, const Cut &cut, ClassId root) {
  std::vector<ClassId> seen = {root};
  int inputs = 0;
  for (size_t i = 0; i < seen.size(); ++i) { // each class adds its operands behind it
    const Interior *entry = cut.find(seen[i]);
    if (!entry) {
      inputs += !graph.splat(seen[i]);
      continue;
    }
    for (ClassId operand : graph.operands(entry->node)) {
      if (std::find(seen.begin(), seen.end(), operand) == seen.end()) {
        seen.push_back(operand);
      }
    }
  }
  return inputs;
}

/// Each factor of the scores is made from few tensors: from one, or of wide elements from one and
/// tables (rotated by sines and cosines). Matrix units of GPUs, which take narrow ones, copy their
/// factors and compute none, and more tensors would only multiply the candidates.
static bool hasSimpleFactors(const graph::TensorGraph &graph, const Cut &cut) {
  std::vector<ClassId> factors = graph.operands(cut.find(cut.anchor)->node);
  return std::all_of(factors.begin(), factors.end(), [&](ClassId factor) {
    int most = byteSize(graph.type(factor).dtype) >= 4 ? 3 : 1;
    return countInputs(graph, cut, factor) <= most;
  });
}

void CutTable::addAttentionCuts(const Node &node, size_t weights, std::vector<Cut> &result) {
  const Attrs &attrs = graph.attrs(node.node);
  ClassId operand = node.operands[weights];
  ClassId values = node.operands[1 - weights];
  std::optional<int64_t> key = summedAxis(attrs, weights);
  bool isOpen = dim::anySymbolic(graph.type(node.cls).shape) ||
                dim::anySymbolic(graph.type(operand).shape); // its tiles need sizes
  if (!key || isOpen || graph.isConstant(operand) || graph.type(values).numElements() == 0) {
    return;
  }
  std::optional<SoftmaxPath> path =
      SoftmaxFinder(graph, operand, *key, attrs.getDType("accumulate")).find();
  if (!path || path->parts.logits >= entries.size() || !entries[path->parts.logits].reachable) {
    return;
  }
  ContractShape shape = contractShape(graph, node.node);
  double flops = cost::contractFlops(costs, shape.batch, shape.rows, shape.columns, shape.inner);
  double volume = 2.0 * static_cast<double>(shape.batch * shape.rows) *
                  static_cast<double>(shape.columns * shape.inner);
  auto isPlain = [](const Cut &cut) {
    return cut.levels == 0 && !cut.gathers && !cut.attention;
  };
  int merges = 0;
  for (const Cut &scores : entries[path->parts.logits].cuts) {
    Cut base = scores;
    if (!scores.hasAnchor() || !isPlain(scores) || scores.find(node.cls) ||
        !hasSimpleFactors(graph, scores) || !addAll(path->nodes, base.interior)) {
      continue;
    }
    for (const Cut *other : operandCuts(node, 1 - weights)) {
      if (other->hasAnchor() || !isPlain(*other) || other->find(node.cls) ||
          other->inputs.size() > 1) {
        continue;
      }
      if (merges++ == caps.mergesPerNode) {
        ++mergeHits;
        return;
      }
      std::optional<Cut> cut = merge(base, *other);
      if (!cut || std::binary_search(cut->inputs.begin(), cut->inputs.end(), node.cls)) {
        continue;
      }
      cut->attention = path->parts;
      cut->attention->scores = std::exchange(cut->anchor, node.cls);
      cut->flops += flops;
      addInterior(node, /*expanded=*/false, volume, *cut);
      if (isWithinCaps(node, *cut)) {
        result.push_back(*std::move(cut));
      }
    }
  }
}

void CutTable::addAttentionCuts(const Node &node, std::vector<Cut> &result) {
  addAttentionCuts(node, 0, result);
  addAttentionCuts(node, 1, result);
}

} // namespace zyxc::kernelize
