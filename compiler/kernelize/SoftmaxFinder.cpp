#include "compiler/kernelize/SoftmaxFinder.h"
#include "compiler/kernelize/program/ProgramSizes.h"
#include "dialects/zyx/semantics/Infer.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace zyxc::kernelize {

/// Views between two ops; what composes to one view stands as one.
static constexpr int mostViews = 2;
/// Views and conversions between the contract and the softmax.
static constexpr size_t longestPath = 4;

std::optional<SoftmaxPath> SoftmaxFinder::find() {
  path = {};
  Coords coords;
  for (size_t axis = 0; axis < extents.size(); ++axis) { // in views, too, the only place is 0
    coords.push_back(extents[axis] == 1 ? IndexExpr(0)
                                        : IndexExpr::dim(static_cast<int64_t>(axis)));
  }
  if (!findSoftmax(operand, coords)) {
    return std::nullopt;
  }
  return path;
}

void SoftmaxFinder::add(ClassId cls, NodeId node) {
  auto volume = static_cast<double>(estimatedElements(graph.type(cls).shape));
  path.nodes.push_back({cls, node, /*expanded=*/false, /*overAnchor=*/false, volume, volume});
}

SoftmaxFinder::Coords SoftmaxFinder::through(NodeId view, const Coords &coords) const {
  Coords inner;
  for (const IndexExpr &expr : graph.attrs(view).getMap("map").results) {
    inner.push_back(substitute(expr, coords, extents));
  }
  return inner;
}

bool SoftmaxFinder::findSoftmax(ClassId cls, const Coords &coords) {
  auto isKnown = [&](ClassId other) {
    return std::any_of(path.nodes.begin(), path.nodes.end(),
                       [&](const Interior &entry) { return entry.cls == other; });
  };
  size_t numNodes = path.nodes.size();
  for (NodeId node : graph.nodes(cls)) {
    OpKind kind = graph.kind(node);
    if (kind == OpKind::Softmax ? isSoftmax(cls, node, coords) : isQuotient(cls, node, coords)) {
      path.parts.softmax = cls;
      return true;
    }
    path.nodes.resize(numNodes);
    if ((kind != OpKind::View && kind != OpKind::Cast) || numNodes == longestPath) {
      continue;
    }
    ClassId below = graph.operands(node)[0];
    const TensorType &type = graph.type(below);
    add(cls, node);
    if (!isKnown(below) && isFloat(type.dtype) && numElements(type.shape) == numElements(extents) &&
        findSoftmax(below, kind == OpKind::View ? through(node, coords) : coords)) {
      return true;
    }
    path.nodes.resize(numNodes);
  }
  return false;
}

/// The softmax runs over the summed axis and nothing else, in the type in which the contract sums.
bool SoftmaxFinder::isSoftmax(ClassId cls, NodeId node, const Coords &coords) {
  const std::vector<int64_t> &axes = graph.attrs(node).getInts("axes");
  ClassId logits = graph.operands(node)[0];
  if (axes.size() != 1 || accumulatorOf(graph.type(logits).dtype) != accumulate) {
    return false;
  }
  for (size_t axis = 0; axis < coords.size(); ++axis) {
    bool isKey = static_cast<int64_t>(axis) == axes[0];
    if (isKey ? coords[axis].asDim() != key : coords[axis].uses(key)) {
      return false;
    }
  }
  add(cls, node);
  path.parts.logits = logits;
  return true;
}

template <class Fn>
bool SoftmaxFinder::anyNode(OpKind kind, ClassId cls, const Coords &coords, int views,
                            const Fn &fn) {
  size_t numNodes = path.nodes.size();
  for (NodeId node : graph.nodes(cls)) {
    bool isView = graph.kind(node) == OpKind::View && views > 0;
    if (graph.kind(node) != kind && !isView) {
      continue;
    }
    add(cls, node);
    if (isView ? anyNode(kind, graph.operands(node)[0], through(node, coords), views - 1, fn)
               : fn(node, coords)) {
      return true;
    }
    path.nodes.resize(numNodes);
  }
  return false;
}

bool SoftmaxFinder::isSplat(ClassId cls, double value) const {
  const Tensor *splat = graph.splat(cls);
  return splat && isFloat(splat->dtype()) && loadScalar(splat->dtype(), splat->data()).f == value;
}

/// `at`: the coordinates of `reduced` whose reduction along the key is wanted.
bool SoftmaxFinder::findReduction(OpKind kind, ClassId cls, const Coords &coords, ClassId reduced,
                                  const Coords &at) {
  return anyNode(kind, cls, coords, mostViews, [&](NodeId node, const Coords &own) {
    const std::vector<int64_t> &axes = graph.attrs(node).getInts("axes");
    if (graph.operands(node)[0] != reduced || axes.size() != 1) {
      return false;
    }
    Coords kept = at;
    bool isOverKey = kept[axes[0]].asDim() == key;
    kept.erase(kept.begin() + axes[0]);
    return isOverKey && kept == own &&
           std::none_of(kept.begin(), kept.end(),
                        [&](const IndexExpr &expr) { return expr.uses(key); });
  });
}

/// max(logits) == -inf
bool SoftmaxFinder::isHidden(ClassId cls, const Coords &coords, ClassId logits, const Coords &at) {
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  return anyNode(OpKind::Eq, cls, coords, mostViews, [&](NodeId node, const Coords &own) {
    std::vector<ClassId> sides = graph.operands(node);
    if (isSplat(sides[0], lowest)) {
      std::swap(sides[0], sides[1]);
    }
    return isSplat(sides[1], lowest) && findReduction(OpKind::ReduceMax, sides[0], own, logits, at);
  });
}

std::optional<SoftmaxFinder::Maximum> SoftmaxFinder::findMaximum(ClassId cls, const Coords &coords,
                                                                 ClassId logits, const Coords &at) {
  if (findReduction(OpKind::ReduceMax, cls, coords, logits, at)) {
    return Maximum::Plain;
  }
  bool isGuarded =
      anyNode(OpKind::Select, cls, coords, mostViews, [&](NodeId node, const Coords &own) {
        std::vector<ClassId> operands = graph.operands(node);
        return isSplat(operands[1], 0) && isHidden(operands[0], own, logits, at) &&
               findReduction(OpKind::ReduceMax, operands[2], own, logits, at);
      });
  return isGuarded ? std::optional(Maximum::Guarded) : std::nullopt;
}

/// The sum of the powers; guarded: or 1 where the largest logit is -inf.
bool SoftmaxFinder::findSum(ClassId cls, const Coords &coords, ClassId powers, const Coords &at,
                            Maximum maximum) {
  if (maximum == Maximum::Plain) {
    return findReduction(OpKind::ReduceSum, cls, coords, powers, at);
  }
  return anyNode(OpKind::Select, cls, coords, mostViews, [&](NodeId node, const Coords &own) {
    std::vector<ClassId> operands = graph.operands(node);
    return isSplat(operands[1], 1) && isHidden(operands[0], own, path.parts.logits, at) &&
           findReduction(OpKind::ReduceSum, operands[2], own, powers, at);
  });
}

/// e^(x - max x) / sum e^(x - max x), which is then computed in the type in which the contract
/// sums; a product with the reciprocal of the sum is a quotient, too.
bool SoftmaxFinder::isQuotient(ClassId cls, NodeId node, const Coords &coords) {
  OpKind kind = graph.kind(node);
  bool isKnown = kind == OpKind::Div || kind == OpKind::Mul;
  if (!isKnown || accumulatorOf(graph.type(cls).dtype) != accumulate) {
    return false;
  }
  std::vector<ClassId> operands = graph.operands(node);
  add(cls, node);
  if (kind == OpKind::Div) {
    return arePowersAndSum(operands[0], operands[1], OpKind::Div, coords);
  }
  return arePowersAndSum(operands[0], operands[1], OpKind::Recip, coords) ||
         arePowersAndSum(operands[1], operands[0], OpKind::Recip, coords);
}

/// `by`: Recip if `divisor` is the reciprocal of the sum.
bool SoftmaxFinder::arePowersAndSum(ClassId powers, ClassId divisor, OpKind by,
                                    const Coords &coords) {
  auto isDivisor = [&](Maximum maximum) {
    if (by != OpKind::Recip) {
      return findSum(divisor, coords, powers, coords, maximum);
    }
    return anyNode(by, divisor, coords, mostViews, [&](NodeId recip, const Coords &own) {
      return findSum(graph.operands(recip)[0], own, powers, coords, maximum);
    });
  };
  return anyNode(OpKind::Exp, powers, coords, /*views=*/0, [&](NodeId exp, const Coords &) {
    ClassId shifted = graph.operands(exp)[0];
    return anyNode(OpKind::Sub, shifted, coords, /*views=*/0, [&](NodeId sub, const Coords &) {
      path.parts.logits = graph.operands(sub)[0];
      std::optional<Maximum> maximum =
          findMaximum(graph.operands(sub)[1], coords, path.parts.logits, coords);
      path.parts.isGuarded = maximum == Maximum::Guarded;
      return maximum && isDivisor(*maximum);
    });
  });
}

} // namespace zyxc::kernelize
