#include "compiler/kernelize/Cuts.h"
#include "compiler/graph/InvertView.h"
#include "compiler/kernelize/CutFront.h"
#include "compiler/kernelize/program/ProgramSizes.h"
#include "dialects/zyx/semantics/BindSizes.h"
#include <algorithm>
#include <optional>

namespace zyxc::kernelize {

namespace {

bool contains(std::span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// The interior of both; nothing if they compute a class in two ways.
std::optional<std::vector<Interior>> mergeInteriors(const std::vector<Interior> &a,
                                                    const std::vector<Interior> &b) {
  std::vector<Interior> interior;
  interior.reserve(a.size() + b.size() + 1); // one more is added to most
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() || y != b.end()) {
    if (y == b.end() || (x != a.end() && x->cls < y->cls)) {
      interior.push_back(*x++);
    } else if (x == a.end() || y->cls < x->cls) {
      interior.push_back(*y++);
    } else {
      if (x->node != y->node || x->expanded != y->expanded) {
        return std::nullopt; // one body per class
      }
      interior.push_back(*x++);
      interior.back().volume = std::max(interior.back().volume, y++->volume);
    }
  }
  return interior;
}

/// How many elements a view makes an evaluation of its operand for, against the operand's size:
/// a value is evaluated over the axes that it depends on, so broadcasting costs nothing.
double evaluationShare(const IndexMap &map, std::span<const int64_t> shape,
                       std::span<const int64_t> operandShape) {
  double used = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    bool uses = std::any_of(map.results.begin(), map.results.end(), [&](const IndexExpr &expr) {
      return expr.uses(static_cast<int64_t>(axis));
    });
    used *= uses ? static_cast<double>(dim::estimate(shape[axis])) : 1;
  }
  return used / static_cast<double>(std::max<int64_t>(estimatedElements(operandShape), 1));
}

} // namespace

std::optional<Cut> merge(const Cut &a, const Cut &b) {
  bool differ = (a.hasAnchor() && b.hasAnchor() && a.anchor != b.anchor) ||
                (a.attention && b.attention && a.attention != b.attention);
  if (differ) {
    return std::nullopt;
  }
  auto interior = mergeInteriors(a.interior, b.interior);
  if (!interior) {
    return std::nullopt;
  }
  Cut cut;
  cut.interior = *std::move(interior);
  cut.inputs.reserve(a.inputs.size() + b.inputs.size());
  std::set_union(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(),
                 std::back_inserter(cut.inputs));
  // What one operand computes the other one need not load.
  std::erase_if(cut.inputs, [&](ClassId cls) { return cut.find(cls) != nullptr; });
  cut.anchor = b.hasAnchor() ? b.anchor : a.anchor;
  cut.attention = b.attention ? b.attention : a.attention;
  cut.levels = std::max(a.levels, b.levels);
  cut.gathers = a.gathers || b.gathers;
  cut.flops = std::max(a.flops, b.flops);
  cut.single = a.single;
  return cut;
}

const Interior *Cut::find(ClassId cls) const {
  auto at = std::lower_bound(interior.begin(), interior.end(), cls,
                             [](const Interior &entry, ClassId id) { return entry.cls < id; });
  return at != interior.end() && at->cls == cls ? &*at : nullptr;
}

ContractShape contractShape(const graph::TensorGraph &graph, NodeId node) {
  const Attrs &attrs = graph.attrs(node);
  const std::vector<int64_t> &lhs = attrs.getInts("lhs");
  const std::vector<int64_t> &rhs = attrs.getInts("rhs");
  const std::vector<int64_t> &out = attrs.getInts("out");
  std::vector<ClassId> operands = graph.operands(node);
  ContractShape shape;
  auto visit = [&](const std::vector<int64_t> &own, const std::vector<int64_t> &other,
                   const Shape &extents, int64_t &alone, bool first) {
    for (size_t i = 0; i < own.size(); ++i) {
      bool shared = contains(other, own[i]);
      bool kept = contains(out, own[i]);
      if (shared && !first) {
        continue; // counted on the left
      }
      (kept ? (shared ? shape.batch : alone) : shape.inner) *=
          std::max<int64_t>(dim::estimate(extents[i]), 0);
      shape.plain &= kept || shared || extents[i] == 1;
    }
  };
  visit(lhs, rhs, graph.type(operands[0]).shape, shape.rows, true);
  visit(rhs, lhs, graph.type(operands[1]).shape, shape.columns, false);
  return shape;
}

CutTable::CutTable(const graph::TensorGraph &graph, const Caps &caps)
    : graph(graph), caps(caps), order(graph.reachableClasses()) {
  ClassId last = 0;
  for (ClassId cls : order) {
    last = std::max(last, cls);
  }
  entries.resize(static_cast<size_t>(last) + 1);
  trivial.resize(entries.size());
  for (ClassId cls : order) {
    entries[cls].reachable = true;
    entries[cls].given = findGiven(cls);
  }
  for (ClassId root : graph.roots()) {
    entries[root].isOutput = true;
  }
  std::vector<ClassId> seen;
  for (ClassId cls : order) {
    seen.clear();
    for (NodeId node : graph.nodes(cls)) {
      if (isComposite(graph.kind(node))) {
        continue;
      }
      for (ClassId operand : graph.operands(node)) {
        if (operand < entries.size() &&
            std::find(seen.begin(), seen.end(), operand) == seen.end()) {
          seen.push_back(operand);
          ++entries[operand].users;
        }
      }
    }
  }
  findConstantOnly();
  for (ClassId cls : order) {
    findNeverStored(cls);
  }
  for (ClassId cls : order) {
    computeCuts(cls);
  }
  // Classes that stand below themselves saw operands without cuts: once more.
  bool cyclic =
      std::any_of(order.begin(), order.end(), [&](ClassId cls) { return !entries[cls].isDone; });
  for (ClassId cls : order) {
    if (cyclic) {
      computeCuts(cls);
    }
  }
}

bool CutTable::isGiven(ClassId cls) const {
  return cls < entries.size() && entries[cls].reachable ? entries[cls].given : findGiven(cls);
}

bool CutTable::findGiven(ClassId cls) const {
  return graph.isLeaf(cls) || graph.constant(cls) || graph.isLayerConstant(cls) ||
         graph.type(cls).numElements() == 0;
}

/// The node's value depends on sizes that are known at run time.
static bool usesSizes(const graph::TensorGraph &graph, NodeId node) {
  return graph.kind(node) == OpKind::Variable || hasSymbolicSizes(graph.attrs(node));
}

void CutTable::findConstantOnly() {
  // The least set that is closed under "some node has only such operands".
  for (bool changed = true; changed;) {
    changed = false;
    for (ClassId cls : order) {
      if (entries[cls].constantOnly) {
        continue;
      }
      bool isOpen = dim::anySymbolic(graph.type(cls).shape);
      bool constant = (graph.isConstant(cls) || graph.isLayerConstant(cls)) && !isOpen;
      for (NodeId node : graph.nodes(cls)) {
        if (constant || isOpen || graph.kind(node) == OpKind::Leaf || usesSizes(graph, node)) {
          continue;
        }
        std::vector<ClassId> operands = graph.operands(node);
        constant = std::all_of(operands.begin(), operands.end(), [&](ClassId operand) {
          return operand < entries.size() && entries[operand].constantOnly;
        });
      }
      entries[cls].constantOnly = constant && (!graph.isLeaf(cls) || graph.isLayerConstant(cls));
      changed |= entries[cls].constantOnly;
    }
  }
}

void CutTable::findNeverStored(ClassId cls) {
  Entry &own = entries[cls];
  if (own.isOutput || isGiven(cls)) {
    return;
  }
  for (NodeId node : graph.nodes(cls)) {
    OpKind kind = graph.kind(node);
    if (kind == OpKind::Iota || kind == OpKind::Pad || kind == OpKind::Variable) {
      own.neverStored = true; // a guard costs less than a copy, and a size nothing
    } else if (kind == OpKind::View) {
      const IndexMap &map = graph.attrs(node).getMap("map");
      const Shape &operandShape = graph.type(graph.operands(node)[0]).shape;
      own.neverStored |=
          graph::isLinear(map) && !graph::aliasOffset(map, graph.type(cls).shape, operandShape);
    }
  }
}

const Cut &CutTable::trivialCut(ClassId cls) {
  Cut &cut = trivial[cls];
  if (cut.inputs.empty() && !graph.splat(cls)) { // a splat is a literal, no port
    cut.inputs = {cls};
    cut.bytes = estimatedBytes(graph.type(cls));
  }
  return cut;
}

std::vector<const Cut *> CutTable::operandCuts(const Node &node, size_t operand) {
  ClassId cls = node.operands[operand];
  std::vector<const Cut *> cuts;
  if (graph.isConstant(cls) || isGiven(cls)) {
    return {&trivialCut(cls)};
  }
  if (!entries[cls].neverStored || entries[cls].cuts.empty()) {
    cuts.push_back(&trivialCut(cls));
  }
  for (const Cut &cut : entries[cls].cuts) {
    cuts.push_back(&cut);
  }
  return cuts;
}

std::vector<Cut> CutTable::mergePairs(ClassId cls, const std::vector<Cut> &merged,
                                      const std::vector<const Cut *> &cuts) {
  std::vector<Cut> next;
  next.reserve(std::min(merged.size() * cuts.size(), static_cast<size_t>(caps.mergesPerNode)) + 1);
  auto tryPair = [&](size_t i, size_t j) {
    const Cut &other = *cuts[j];
    if (other.find(cls) || std::binary_search(other.inputs.begin(), other.inputs.end(), cls)) {
      return 0; // a candidate never loads what it stores
    }
    if (std::optional<Cut> cut = merge(merged[i], other)) {
      next.push_back(*std::move(cut));
    }
    return 1;
  };
  int merges = 0;
  // Best pairs first: both lists are in order of preference.
  for (size_t sum = 0; sum < merged.size() + cuts.size(); ++sum) {
    for (size_t i = 0; i < merged.size() && i <= sum; ++i) {
      if (sum - i >= cuts.size()) {
        continue;
      }
      if (merges < caps.mergesPerNode) {
        merges += tryPair(i, sum - i);
        continue;
      }
      ++mergeHits;
      // Whatever the estimates say, the most fused way is one.
      auto a = std::min_element(merged.begin(), merged.end(), isMoreFused) - merged.begin();
      auto b = std::min_element(cuts.begin(), cuts.end(),
                                [](auto *x, auto *y) { return isMoreFused(*x, *y); }) -
               cuts.begin();
      if (std::pair<size_t, size_t>(a + b, a) >= std::pair(sum, i)) {
        tryPair(a, b);
      }
      return next;
    }
  }
  return next;
}

std::vector<Cut> CutTable::mergeOperands(const Node &node) {
  std::vector<Cut> merged(1);
  for (size_t operand = 0; operand < node.operands.size(); ++operand) {
    if (graph.type(node.operands[operand]).numElements() == 0) {
      continue; // never read
    }
    std::vector<Cut> next = mergePairs(node.cls, merged, operandCuts(node, operand));
    bool isLast = operand + 1 == node.operands.size();
    if (!isLast) {
      for (Cut &cut : next) {
        estimate(node.cls, cut);
      }
      next = pruned(std::move(next));
    }
    merged = std::move(next);
  }
  return merged;
}

bool CutTable::isLegalOverAnchor(const Node &node) const {
  if (isElementwise(node.kind)) {
    return true;
  }
  if (node.kind == OpKind::View && !node.isInvertible) {
    node.isInvertible =
        graph::invertView(graph.attrs(node.node).getMap("map"), graph.type(node.cls).shape,
                          graph.type(node.operands[0]).shape)
            .has_value();
  }
  return node.isInvertible.value_or(false);
}

void CutTable::addInterior(const Node &node, bool expanded, double volume, Cut &cut) {
  bool overAnchor = cut.hasAnchor() && cut.anchor != node.cls;
  Interior entry{node.cls, node.node, expanded, overAnchor, volume, volume};
  auto at = std::lower_bound(cut.interior.begin(), cut.interior.end(), node.cls,
                             [](const Interior &other, ClassId id) { return other.cls < id; });
  cut.interior.insert(at, entry);
}

bool CutTable::finishContract(const Node &node, bool expanded, Cut &cut) {
  ContractShape shape = contractShape(graph, node.node);
  if (expanded) {
    // Without rows or columns to tile there is nothing to win from register tiles.
    if (shape.plain && shape.rows > 1 && shape.columns > 1 && !cut.single) {
      return false;
    }
    ++cut.levels;
    return true;
  }
  bool bothLoad = std::none_of(node.operands.begin(), node.operands.end(), [&](ClassId operand) {
    return graph.type(operand).numElements() == 0;
  });
  if (cut.hasAnchor() || cut.levels > 0 || cut.gathers || !shape.plain || !bothLoad) {
    return false;
  }
  cut.anchor = node.cls;
  cut.flops = cost::contractFlops(costs, shape.batch, shape.rows, shape.columns, shape.inner);
  return true;
}

bool CutTable::finish(const Node &node, bool expanded, Cut &cut) {
  auto elements = static_cast<double>(estimatedElements(graph.type(node.cls).shape));
  double volume = elements;
  if (cut.hasAnchor() && !isLegalOverAnchor(node)) {
    return false;
  }
  if (node.kind == OpKind::View) {
    double share = evaluationShare(graph.attrs(node.node).getMap("map"), graph.type(node.cls).shape,
                                   graph.type(node.operands[0]).shape);
    for (Interior &entry : cut.interior) {
      entry.volume *= share;
    }
  } else if (isReduce(node.kind)) {
    volume = static_cast<double>(estimatedElements(graph.type(node.operands[0]).shape));
    ++cut.levels;
  } else if (node.kind == OpKind::Gather) {
    cut.gathers = true;
  } else if (node.kind == OpKind::Contract) {
    if (!finishContract(node, expanded, cut)) {
      return false;
    }
    ContractShape shape = contractShape(graph, node.node);
    volume = 2.0 * static_cast<double>(shape.batch) * static_cast<double>(shape.rows) *
             static_cast<double>(shape.columns) * static_cast<double>(shape.inner);
  }
  if (cut.levels > caps.reductionLevels) {
    ++levelHits;
    return false;
  }
  addInterior(node, expanded, volume, cut);
  return isWithinCaps(node, cut);
}

bool CutTable::isWithinCaps(const Node &node, Cut &cut) {
  estimate(node.cls, cut);
  if (cut.single) {
    return true;
  }
  if (static_cast<int>(cut.inputs.size()) + 1 > caps.ports) {
    ++portHits;
    return false;
  }
  if (static_cast<int>(cut.interior.size()) > caps.ops) {
    ++opHits;
    return false;
  }
  // What a view repeats is judged where it is used: a contraction's own work may dwarf it.
  if (!entries[node.cls].neverStored &&
      100 * (cut.ops + cut.flops) > caps.recomputePercent * (cut.naturalOps + cut.flops)) {
    ++recomputeHits;
    return false;
  }
  return true;
}

void CutTable::addNodeCuts(const Node &node, std::vector<Cut> &result) {
  for (Cut &cut : mergeOperands(node)) {
    if (node.kind == OpKind::Contract) {
      if (Cut expanded = cut; finish(node, true, expanded)) {
        result.push_back(std::move(expanded));
      }
    }
    if (finish(node, false, cut)) {
      result.push_back(std::move(cut));
    }
  }
  if (node.kind == OpKind::Contract && caps.attention) {
    addAttentionCuts(node, result);
  }
}

std::vector<CutTable::Node> CutTable::computingNodes(ClassId cls) const {
  std::vector<Node> result;
  for (NodeId id : graph.nodes(cls)) {
    Node node{cls, id, graph.kind(id), graph.operands(id)};
    bool known = std::all_of(node.operands.begin(), node.operands.end(), [&](ClassId operand) {
      return operand < entries.size() && entries[operand].reachable && operand != cls;
    });
    // The decomposition of a composite stands beside it; an ordered op or a call is a kernel of its
    // own, and nothing is computed through an identity.
    if (known && !isComposite(node.kind) && !isOrdered(node.kind) && !isIdentity(node.kind) &&
        node.kind != OpKind::Leaf && node.kind != OpKind::Call) {
      result.push_back(std::move(node));
    }
  }
  return result;
}

std::vector<Cut> CutTable::singleNodeCuts(ClassId cls) {
  std::vector<Cut> cuts;
  for (const Node &node : computingNodes(cls)) {
    for (bool expanded : {false, true}) {
      if (expanded && node.kind != OpKind::Contract) {
        continue;
      }
      std::optional<Cut> cut = Cut();
      cut->single = true;
      for (ClassId operand : node.operands) {
        if (cut && graph.type(operand).numElements() != 0) {
          cut = merge(*cut, trivialCut(operand));
        }
      }
      if (cut && finish(node, expanded, *cut)) {
        cuts.push_back(*std::move(cut));
        break;
      }
    }
  }
  return cuts;
}

void CutTable::computeCuts(ClassId cls) {
  Entry &own = entries[cls];
  if (graph.isConstant(cls) || isGiven(cls)) {
    own.isDone = true; // what a constant was folded from is of no interest
    return;
  }
  bool complete = true;
  std::vector<Cut> cuts;
  for (const Node &node : computingNodes(cls)) {
    complete &= std::all_of(node.operands.begin(), node.operands.end(),
                            [&](ClassId operand) { return entries[operand].isDone; });
    addNodeCuts(node, cuts);
  }
  own.cuts = pruned(cuts.empty() ? singleNodeCuts(cls) : std::move(cuts));
  own.isDone = complete;
  own.flow = own.cuts.empty() ? 0 : own.cuts.front().flow;
  for (const Cut &cut : own.cuts) {
    own.flow = std::min(own.flow, cut.flow);
  }
}

void CutTable::estimate(ClassId cls, Cut &cut) {
  cost::KernelWork work;
  cut.bytes = 0;
  double flow = 0;
  for (ClassId input : cut.inputs) {
    cut.bytes += trivialCut(input).bytes;
    if (!isGiven(input)) {
      flow += entries[input].flow / std::max(entries[input].users, 1);
    }
  }
  cut.ops = cut.naturalOps = 0;
  for (const Interior &entry : cut.interior) {
    OpKind kind = graph.kind(entry.node);
    if (kind == OpKind::View || kind == OpKind::Pad ||
        (kind == OpKind::Contract && !entry.expanded)) {
      continue;
    }
    double weight = cost::opWeight(kind);
    (entry.overAnchor ? work.tileOps : work.scalarOps) += weight * entry.volume;
    cut.ops += weight * entry.volume;
    cut.naturalOps += weight * entry.natural;
  }
  work.bytes = cut.bytes + estimatedBytes(graph.type(cls));
  work.contractFlops = cut.flops;
  cut.flow = static_cast<double>(cost::estimate(costs, work)) + flow;
}

std::vector<Cut> CutTable::pruned(std::vector<Cut> cuts) {
  return prune(std::move(cuts), static_cast<size_t>(caps.cutsPerClass), cutHits);
}

std::string CutTable::describeUncomputed(ClassId cls) const {
  // The deepest class without a cut is the cause; without one it is the class itself.
  std::vector<ClassId> work = {graph.find(cls)};
  std::vector<bool> seen(entries.size(), false);
  std::string text;
  while (!work.empty()) {
    ClassId current = work.back();
    work.pop_back();
    bool computed = isGiven(current) || !entries[current].cuts.empty();
    if (seen[current] || (computed && !text.empty())) {
      continue;
    }
    seen[current] = true;
    for (NodeId node : graph.nodes(current)) {
      const std::string &origin = graph.origin(node);
      text = fmt::format("zyx.{}{}", name(graph.kind(node)), origin.empty() ? "" : " of " + origin);
      for (ClassId operand : graph.operands(node)) {
        work.push_back(operand);
      }
    }
  }
  return text;
}

} // namespace zyxc::kernelize
