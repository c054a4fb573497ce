#include "compiler/rules/SharedProducts.h"
#include "runtime/core/Dim.h"
#include <algorithm>
#include <array>

namespace zyxc::rules {

namespace {

using Ints = std::vector<int64_t>;

constexpr size_t mostJoined = 8;
/// Elements of parameters for one of x. Above, as for a vector times matrices, time goes into
/// reading the parameters, which a join does not change.
constexpr double mostParameters = 64;

ClassId classOf(const Value &value) {
  return std::get<ClassValue>(value).id;
}

/// Parameters to join, and where.
struct Group {
  std::vector<ClassId> parameters;
  std::vector<ClassId> products; ///< of x with them
  int64_t axis = 0;              ///< of the parameters
  int64_t outAxis = 0;           ///< of the product
  size_t outRank = 0;
};

/// The products of a tensor with parameters.
class Products {
public:
  Products(const TensorGraph &graph, ClassId x) : graph(graph), x(graph.find(x)) {}

  /// The group of the product with this parameter.
  std::optional<Group> groupOf(ClassId parameter) const;

private:
  bool isProduct(NodeId node) const;
  bool isRight(NodeId node) const { return graph.operands(node)[1] == x; }
  ClassId parameterOf(NodeId node) const { return graph.operands(node)[isRight(node) ? 0 : 1]; }
  bool holdsProduct(ClassId cls) const;
  bool isNeeded(ClassId product) const;
  /// Those like `node` that are joined, in the order of the program.
  std::vector<NodeId> productsLike(NodeId node) const;
  /// The first axis along which parameters like that of `node` can be joined: it stands in the
  /// result, x has it not, and the parameters have equal extents elsewhere.
  bool findAxis(NodeId node, Group &group) const;

  /// A join saves readings of x, and costs a pass over the products where ops on them were part of
  /// their kernels: it can pay where the products are not larger than x, taken together.
  bool mayPay(NodeId node, const Group &group) const;

  const TensorGraph &graph;
  ClassId x;
};

/// A product with a parameter that the program has.
bool Products::isProduct(NodeId node) const {
  return graph.kind(node) == OpKind::Contract && graph.isParameter(parameterOf(node)) &&
         !graph.isParameter(x) && !graph.origin(node).empty();
}

/// True if a class is a product of x, or a view of one.
bool Products::holdsProduct(ClassId cls) const {
  auto usesX = [&](NodeId node) {
    return graph.kind(node) == OpKind::Contract && std::ranges::count(graph.operands(node), x) > 0;
  };
  return std::ranges::any_of(graph.nodes(cls), [&](NodeId node) {
    bool isView = graph.kind(node) == OpKind::View;
    return usesX(node) ||
           (isView && std::ranges::any_of(graph.nodes(graph.operands(node)[0]), usesX));
  });
}

/// False if something is made of a product, and all of it is another product of x, too.
bool Products::isNeeded(ClassId product) const {
  auto isRoot = [&](ClassId cls) {
    return std::ranges::any_of(graph.roots(),
                               [&](ClassId root) { return graph.find(root) == graph.find(cls); });
  };
  if (isRoot(product)) {
    return true;
  }
  bool hasUsers = false;
  std::vector<ClassId> results = {product}; // and views of it
  for (size_t i = 0; i < results.size(); ++i) {
    for (NodeId user : graph.engine().parentsOf(results[i])) {
      ClassId cls = graph.find(user);
      hasUsers = true;
      bool isView = graph.kind(user) == OpKind::View;
      if (isView ? isRoot(cls) : !holdsProduct(cls)) {
        return true;
      }
      if (isView && !std::ranges::count(results, cls)) {
        results.push_back(cls);
      }
    }
  }
  return !hasUsers;
}

std::vector<NodeId> Products::productsLike(NodeId node) const {
  std::vector<NodeId> alike;
  for (NodeId user : graph.engine().parentsOf(x)) {
    if (isProduct(user) && isRight(user) == isRight(node) &&
        graph.attrs(user).identical(graph.attrs(node)) && isNeeded(graph.find(user))) {
      alike.push_back(user);
    }
  }
  std::ranges::sort(alike);
  return alike;
}

bool Products::findAxis(NodeId node, Group &group) const {
  const Attrs &attrs = graph.attrs(node);
  const Ints &labels = attrs.getInts(isRight(node) ? "lhs" : "rhs");
  const Ints &others = attrs.getInts(isRight(node) ? "rhs" : "lhs");
  const Ints &out = attrs.getInts("out");
  const Shape &first = graph.type(group.parameters[0]).shape;
  for (size_t axis = 0; axis < labels.size(); ++axis) {
    auto place = std::ranges::find(out, labels[axis]);
    bool fits = place != out.end() && !std::ranges::count(others, labels[axis]);
    for (ClassId parameter : group.parameters) {
      Shape shape = graph.type(parameter).shape;
      shape[axis] = first[axis];
      fits = fits && shape == first;
    }
    if (fits) {
      group.axis = static_cast<int64_t>(axis);
      group.outAxis = place - out.begin();
      group.outRank = out.size();
      return true;
    }
  }
  return false;
}

bool Products::mayPay(NodeId node, const Group &group) const {
  auto sizeOf = [&](ClassId cls) {
    return static_cast<double>(dim::estimate(graph.type(cls).numElements()));
  };
  auto extentOf = [&](ClassId parameter) {
    return static_cast<double>(dim::estimate(graph.type(parameter).shape[group.axis]));
  };
  double extents = 0;
  double parameters = 0;
  for (ClassId parameter : group.parameters) {
    extents += extentOf(parameter);
    parameters += sizeOf(parameter);
  }
  if (parameters > mostParameters * sizeOf(x)) {
    return false;
  }
  double products = sizeOf(graph.find(node)) / extentOf(parameterOf(node)) * extents;
  return products <= static_cast<double>(group.parameters.size()) * sizeOf(x);
}

std::optional<Group> Products::groupOf(ClassId parameter) const {
  NodeId node = egraph::none;
  for (NodeId user : graph.engine().parentsOf(x)) {
    if (isProduct(user) && parameterOf(user) == graph.find(parameter)) {
      node = user;
      break;
    }
  }
  if (node == egraph::none) {
    return std::nullopt;
  }
  std::vector<NodeId> all = productsLike(node);
  size_t place = std::ranges::find(all, graph.find(parameter),
                                   [&](NodeId like) { return parameterOf(like); }) -
                 all.begin();
  size_t begin = place / mostJoined * mostJoined;
  size_t end = std::min(begin + mostJoined, all.size());
  if (place == all.size() || end - begin < 2) {
    return std::nullopt;
  }
  Group group;
  for (size_t i = begin; i < end; ++i) {
    group.parameters.push_back(parameterOf(all[i]));
    group.products.push_back(graph.find(all[i]));
  }
  return findAxis(node, group) && mayPay(node, group) ? std::optional(group) : std::nullopt;
}

/// A parameter that a product is added to: of the oldest such sum.
std::optional<ClassId> addendOf(const TensorGraph &graph, ClassId product) {
  NodeId oldest = egraph::none;
  for (NodeId user : graph.engine().parentsOf(product)) {
    std::vector<ClassId> operands = graph.operands(user);
    bool isSum = graph.kind(user) == OpKind::Add &&
                 graph.isParameter(operands[0]) != graph.isParameter(operands[1]);
    oldest = isSum ? std::min(oldest, user) : oldest;
  }
  if (oldest == egraph::none) {
    return std::nullopt;
  }
  std::vector<ClassId> operands = graph.operands(oldest);
  return operands[graph.isParameter(operands[0]) ? 0 : 1];
}

/// A tensor, one axis of which an axis of a view of it follows as a whole.
struct Repeated {
  ClassId source = egraph::none;
  IndexMap map;
  size_t axis = 0; ///< of the source
};

/// The oldest view that a class is, if it follows the axis; else the class itself.
Repeated repeatedAlong(const TensorGraph &graph, ClassId cls, int64_t axis) {
  for (NodeId node : graph.engine().nodesOf(cls)) {
    if (graph.kind(node) != OpKind::View) {
      continue;
    }
    Repeated found{graph.operands(node)[0], graph.attrs(node).getMap("map")};
    const Shape &source = graph.type(found.source).shape;
    int64_t uses = 0;
    bool isWhole = false;
    for (size_t i = 0; i < found.map.results.size(); ++i) {
      uses += found.map.results[i].uses(axis);
      if (found.map.results[i].asDim() == axis && source[i] == graph.type(cls).shape[axis]) {
        found.axis = i;
        isWhole = true;
      }
    }
    if (isWhole && uses == 1) {
      return found;
    }
  }
  return {cls, IndexMap::identity(graph.type(cls).rank()), static_cast<size_t>(axis)};
}

} // namespace

std::optional<ClassId> joinAddends(TensorGraph &graph, std::span<const Value> arguments) {
  ClassId parameter = graph.find(classOf(arguments[1]));
  std::optional<Group> group = Products(graph, classOf(arguments[0])).groupOf(parameter);
  if (!group) {
    return std::nullopt;
  }
  std::optional<Repeated> first;
  std::vector<ClassId> sources;
  Shape shape;
  for (size_t i = 0; i < group->products.size(); ++i) {
    std::optional<ClassId> addend = addendOf(graph, group->products[i]);
    bool isOther = group->parameters[i] == parameter && addend &&
                   graph.find(*addend) != graph.find(classOf(arguments[2]));
    if (!addend || isOther) {
      return std::nullopt;
    }
    Repeated repeated = repeatedAlong(graph, *addend, group->outAxis);
    if (first && first->map != repeated.map) {
      return std::nullopt;
    }
    if (!first) {
      shape = graph.type(*addend).shape;
      first = repeated;
    } else {
      int64_t &extent = shape[group->outAxis];
      extent = dim::add(extent, graph.type(*addend).shape[group->outAxis]);
    }
    sources.push_back(repeated.source);
  }
  Expected<ClassId> joined =
      graph.tryAdd(OpKind::Concat, sources, {{"axis", static_cast<int64_t>(first->axis)}});
  if (!joined) {
    return std::nullopt;
  }
  Attrs attrs = {{"map", first->map}, {"shape", shape}};
  Expected<ClassId> view = graph.tryAdd(OpKind::View, std::array{*joined}, attrs);
  return view ? std::optional(*view) : std::nullopt;
}

std::optional<ClassId> joinParameters(TensorGraph &graph, std::span<const Value> arguments) {
  std::optional<Group> group =
      Products(graph, classOf(arguments[0])).groupOf(classOf(arguments[1]));
  if (!group) {
    return std::nullopt;
  }
  Expected<ClassId> joined =
      graph.tryAdd(OpKind::Concat, group->parameters, {{"axis", group->axis}});
  return joined ? std::optional(*joined) : std::nullopt;
}

std::optional<AttrValue> joinStarts(const TensorGraph &graph, std::span<const Value> arguments) {
  ClassId parameter = graph.find(classOf(arguments[1]));
  std::optional<Group> group = Products(graph, classOf(arguments[0])).groupOf(parameter);
  if (!group) {
    return std::nullopt;
  }
  Ints starts(group->outRank, 0);
  for (ClassId before : group->parameters) {
    if (before == parameter) {
      break;
    }
    int64_t &start = starts[group->outAxis];
    start = dim::add(start, graph.type(before).shape[group->axis]);
  }
  return AttrValue(std::move(starts));
}

std::optional<AttrValue> nextProduct(const TensorGraph &graph, std::span<const Value> arguments) {
  std::optional<Group> group =
      Products(graph, classOf(arguments[0])).groupOf(classOf(arguments[1]));
  if (!group) {
    return std::nullopt;
  }
  auto v = std::ranges::find(group->parameters, graph.find(classOf(arguments[1])));
  auto w = std::ranges::find(group->parameters, graph.find(classOf(arguments[2])));
  return AttrValue(int64_t(w != group->parameters.end() && w == v + 1));
}

} // namespace zyxc::rules
