#include "compiler/rules/ContractChains.h"
#include "runtime/core/Dim.h"
#include <algorithm>
#include <array>
#include <map>

namespace zyxc::rules {

namespace {

using Ints = std::vector<int64_t>;

constexpr size_t maxFactors = 24;

/// A tensor and a label for each of its axes.
struct Factor {
  ClassId cls;
  Ints labels;
};

/// What a contraction says beside its operands.
struct Labels {
  Ints lhs, rhs, out;
};

Labels labelsOf(const Attrs &attrs) {
  return {attrs.getInts("lhs"), attrs.getInts("rhs"), attrs.getInts("out")};
}

/// True if labels fit operands, as those of rules need not.
bool fits(const TensorGraph &graph, ClassId cls, const Ints &labels) {
  return labels.size() == graph.type(cls).shape.size();
}

/// Labels of what stands before and behind a factor.
struct Neighbours {
  Ints before, behind;
};

bool share(const Ints &a, const Ints &b) {
  return std::ranges::any_of(a, [&](int64_t label) { return std::ranges::count(b, label) > 0; });
}

/// The factors of a product in their order, and the best order to multiply them in.
class Chain {
public:
  Chain(TensorGraph &graph, DType accumulate, DType dtype)
      : graph(graph), accumulate(accumulate), dtype(dtype) {}

  /// Adds both factors of a product whose axes get `labels`, or what they are products of. False if
  /// labels do not fit.
  bool addProduct(ClassId a, ClassId b, const Labels &inner, const Ints &labels,
                  const Neighbours &beside = {});
  /// The product in the best order, if that is better than the one that it was added in.
  std::optional<ClassId> buildBest(const Ints &out);

private:
  /// The factors from `begin` to before `end`.
  struct Part {
    Ints labels;      ///< of their product
    double work = 0;  ///< multiply-adds
    size_t split = 0; ///< where the best order divides it
    bool isParameter = true;
  };
  Part &part(size_t begin, size_t end) { return parts[begin * (factors.size() + 1) + end]; }
  bool addFactor(ClassId cls, const Ints &labels, const Neighbours &beside);
  bool isRightProduct(NodeId node) const;
  /// A contraction in the class, or below a view of it that permutes axes; with the labels that the
  /// axes of the result then have.
  std::optional<std::pair<NodeId, Ints>> productIn(ClassId cls, const Ints &labels) const;
  /// Multiply-adds of a product of tensors with these labels.
  double work(const Ints &a, const Ints &b) const;
  Ints labelsOfPart(size_t begin, size_t end, const Ints &out) const;
  void findBest(const Ints &out);
  std::optional<ClassId> build(size_t begin, size_t end);

  TensorGraph &graph;
  DType accumulate;
  DType dtype;
  std::vector<Factor> factors;
  std::vector<Part> parts;
  std::map<int64_t, double> extents; ///< by label, estimated where they are open
  double presentWork = 0;
  size_t numProducts = 0;
  int64_t nextLabel = 0;
};

bool Chain::isRightProduct(NodeId node) const {
  const Attrs &attrs = graph.attrs(node);
  return graph.kind(node) == OpKind::Contract && attrs.getDType("accumulate") == accumulate &&
         attrs.getDType("dtype") == dtype && graph.type(graph.operands(node)[0]).dtype == dtype;
}

std::optional<std::pair<NodeId, Ints>> Chain::productIn(ClassId cls, const Ints &labels) const {
  for (NodeId node : graph.engine().nodesOf(cls)) {
    if (isRightProduct(node)) {
      return std::pair(node, labels);
    }
  }
  for (NodeId node : graph.engine().nodesOf(cls)) {
    if (graph.kind(node) != OpKind::View) {
      continue;
    }
    Ints below;
    for (const IndexExpr &expr : graph.attrs(node).getMap("map").results) {
      bool isAxis = expr.asDim() >= 0 && !std::ranges::count(below, labels[expr.asDim()]);
      below.push_back(isAxis ? labels[expr.asDim()] : -1);
    }
    ClassId source = graph.operands(node)[0];
    if (below.size() != labels.size() || std::ranges::count(below, -1) ||
        graph.type(source).numElements() != graph.type(cls).numElements()) {
      continue;
    }
    for (NodeId product : graph.engine().nodesOf(source)) {
      if (isRightProduct(product)) {
        return std::pair(product, std::move(below));
      }
    }
  }
  return std::nullopt;
}

bool Chain::addFactor(ClassId cls, const Ints &labels, const Neighbours &beside) {
  if (!fits(graph, cls, labels)) {
    return false;
  }
  const Shape &shape = graph.type(cls).shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    extents[labels[axis]] = static_cast<double>(dim::estimate(shape[axis]));
  }
  auto product = numProducts + 1 < maxFactors ? productIn(cls, labels) : std::nullopt;
  if (!product) {
    factors.push_back({cls, labels});
    return true;
  }
  std::vector<ClassId> operands = graph.operands(product->first);
  return addProduct(operands[0], operands[1], labelsOf(graph.attrs(product->first)),
                    product->second, beside);
}

bool Chain::addProduct(ClassId a, ClassId b, const Labels &inner, const Ints &labels,
                       const Neighbours &beside) {
  if (inner.out.size() != labels.size() || !fits(graph, a, inner.lhs) ||
      !fits(graph, b, inner.rhs)) {
    return false;
  }
  ++numProducts;
  for (int64_t label : labels) {
    nextLabel = std::max(nextLabel, label + 1);
  }
  // Its own labels become those of the whole product.
  std::map<int64_t, int64_t> renamed;
  for (size_t i = 0; i < labels.size(); ++i) {
    renamed[inner.out[i]] = labels[i];
  }
  auto rename = [&](Ints list) {
    for (int64_t &label : list) {
      auto [entry, isNew] = renamed.try_emplace(label, 0);
      entry->second = isNew ? nextLabel++ : entry->second;
      label = entry->second;
    }
    return list;
  };
  Ints lhs = rename(inner.lhs);
  Ints rhs = rename(inner.rhs);
  // Of a product that is transposed the second factor comes first.
  bool isTransposed = share(rhs, beside.before) + share(lhs, beside.behind) >
                      share(lhs, beside.before) + share(rhs, beside.behind);
  bool isAdded =
      isTransposed
          ? addFactor(b, rhs, {beside.before, lhs}) && addFactor(a, lhs, {rhs, beside.behind})
          : addFactor(a, lhs, {beside.before, rhs}) && addFactor(b, rhs, {lhs, beside.behind});
  if (!isAdded) {
    return false;
  }
  presentWork += graph.isParameter(a) && graph.isParameter(b) ? 0 : work(lhs, rhs);
  return true;
}

double Chain::work(const Ints &a, const Ints &b) const {
  double volume = 1;
  for (int64_t label : a) {
    volume *= extents.at(label);
  }
  for (int64_t label : b) {
    volume *= std::ranges::count(a, label) ? 1 : extents.at(label);
  }
  return volume;
}

Ints Chain::labelsOfPart(size_t begin, size_t end, const Ints &out) const {
  if (end == begin + 1) {
    return factors[begin].labels;
  }
  if (end - begin == factors.size()) {
    return out;
  }
  Ints kept;
  for (size_t i = begin; i < end; ++i) {
    for (int64_t label : factors[i].labels) {
      bool isNeeded = std::ranges::count(out, label) > 0;
      for (size_t other = 0; other < factors.size(); ++other) {
        bool isOutside = other < begin || other >= end;
        isNeeded |= isOutside && std::ranges::count(factors[other].labels, label) > 0;
      }
      if (isNeeded && !std::ranges::count(kept, label)) {
        kept.push_back(label);
      }
    }
  }
  return kept;
}

void Chain::findBest(const Ints &out) {
  size_t count = factors.size();
  parts.assign((count + 1) * (count + 1), {});
  for (size_t length = 1; length <= count; ++length) {
    for (size_t begin = 0; begin + length <= count; ++begin) {
      size_t end = begin + length;
      Part best{labelsOfPart(begin, end, out), 0, begin,
                length == 1 && graph.isParameter(factors[begin].cls)};
      for (size_t split = begin + 1; split < end; ++split) {
        const Part &left = part(begin, split);
        const Part &right = part(split, end);
        bool isParameter = left.isParameter && right.isParameter;
        double own = isParameter ? 0 : work(left.labels, right.labels);
        double total = left.work + right.work + own;
        if (best.split == begin || total < best.work) {
          best.work = total;
          best.split = split;
          best.isParameter = isParameter;
        }
      }
      part(begin, end) = std::move(best);
    }
  }
}

std::optional<ClassId> Chain::build(size_t begin, size_t end) {
  if (end == begin + 1) {
    return factors[begin].cls;
  }
  const Part &whole = part(begin, end);
  std::optional<ClassId> left = build(begin, whole.split);
  std::optional<ClassId> right = build(whole.split, end);
  if (!left || !right) {
    return std::nullopt;
  }
  Attrs attrs = {{"lhs", part(begin, whole.split).labels},
                 {"rhs", part(whole.split, end).labels},
                 {"out", whole.labels},
                 {"accumulate", accumulate},
                 {"dtype", dtype}};
  Expected<ClassId> built = graph.tryAdd(OpKind::Contract, std::array{*left, *right}, attrs);
  return built ? std::optional<ClassId>(*built) : std::nullopt;
}

std::optional<ClassId> Chain::buildBest(const Ints &out) {
  findBest(out);
  return part(0, factors.size()).work < presentWork ? build(0, factors.size()) : std::nullopt;
}

const Ints &ints(const Value &value) {
  return std::get<Ints>(std::get<AttrValue>(value));
}
DType dtypeOf(const Value &value) {
  return std::get<DType>(std::get<AttrValue>(value));
}

} // namespace

std::optional<ClassId> contractInOrder(TensorGraph &graph, std::span<const Value> arguments) {
  Chain chain(graph, dtypeOf(arguments[5]), dtypeOf(arguments[6]));
  const Ints &out = ints(arguments[4]);
  bool isProduct =
      chain.addProduct(std::get<ClassValue>(arguments[0]).id, std::get<ClassValue>(arguments[1]).id,
                       {ints(arguments[2]), ints(arguments[3]), out}, out);
  return isProduct ? chain.buildBest(out) : std::nullopt;
}

} // namespace zyxc::rules
