#include "compiler/plan/LayerValues.h"
#include <algorithm>

namespace zyxc::plan {

using graph::ClassId;
using graph::NodeId;

LayerValues::LayerValues(const graph::TensorGraph &graph)
    : graph(graph), choice(graph::smallestChoice(graph)) {
  const graph::Layers &layers = graph.layers;
  for (size_t layer = 0; layer < layers.kept; ++layer) {
    for (size_t op = 0; op < layers.results[layer].size(); ++op) {
      places[graph.find(layers.results[layer][op])].insert({layer, op});
      size_t source = layer + 1 == layers.kept ? layers.count - 1 : layer;
      named.try_emplace(layers.origins[source][op], Place{layer, op});
    }
  }
}

std::optional<LayerValues::Place> LayerValues::leafAt(NodeId node) const {
  if (graph.kind(node) != OpKind::Leaf) {
    return std::nullopt;
  }
  int64_t id = graph.attrs(node).getInt("id");
  return graph::isParameterId(id) ? std::optional(Place{graph::layerOf(graph.layers, id),
                                                        graph::parameterOf(graph.layers, id)})
                                  : std::nullopt;
}

bool LayerValues::depends(ClassId cls) {
  auto [entry, isNew] = dependent.try_emplace(cls, false);
  if (!isNew || cls >= choice.size() || choice[cls] == egraph::none) {
    return entry->second;
  }
  bool found = leafAt(choice[cls]).has_value();
  for (ClassId operand : graph.operands(choice[cls])) {
    found = depends(operand) || found;
  }
  return dependent[cls] = found;
}

bool LayerValues::follows(ClassId a, ClassId b) {
  if (!depends(a) || !depends(b)) {
    return a == b;
  }
  NodeId x = choice[a];
  NodeId y = choice[b];
  std::optional<Place> first = leafAt(x);
  std::optional<Place> second = leafAt(y);
  if (first || second) {
    return first && second && first->op == second->op && first->layer + 1 == second->layer;
  }
  auto [known, isNew] = following.try_emplace({a, b}, false);
  if (!isNew) {
    return known->second;
  }
  std::vector<ClassId> before = graph.operands(x);
  std::vector<ClassId> behind = graph.operands(y);
  bool isSame = graph.kind(x) == graph.kind(y) && graph.attrs(x).identical(graph.attrs(y));
  return following[{a, b}] =
             isSame && std::equal(before.begin(), before.end(), behind.begin(), behind.end(),
                                  [&](ClassId p, ClassId q) { return follows(p, q); });
}

bool LayerValues::isInvariant(size_t op) const {
  const auto &results = graph.layers.results;
  return std::all_of(results.begin(), results.end(), [&](const auto &layer) {
    return graph.find(layer[op]) == graph.find(results[0][op]);
  });
}

std::vector<LayerValues::Place> LayerValues::resultsOf(ClassId cls) const {
  std::vector<Place> result;
  auto found = places.find(cls);
  if (found == places.end()) {
    return result;
  }
  for (const Place &place : found->second) {
    if (!isInvariant(place.op)) {
      result.push_back(place);
    }
  }
  return result;
}

bool LayerValues::isNextResult(ClassId a, ClassId b) const {
  auto from = places.find(a);
  auto to = places.find(b);
  return from != places.end() && to != places.end() &&
         std::any_of(from->second.begin(), from->second.end(), [&](const Place &place) {
           return to->second.contains({place.layer + 1, place.op});
         });
}

Expected<Tensor> LayerValues::valueOf(ClassId cls, size_t shift) {
  auto [entry, isNew] = evaluators.try_emplace(shift, graph, choice);
  if (isNew) {
    for (const graph::LayerParameter &parameter : graph.layers.parameters) {
      for (size_t layer = 0; layer < graph.layers.kept; ++layer) {
        if (layer + shift < parameter.values.size()) {
          entry->second.setLeaf(parameter.leaves[layer], parameter.values[layer + shift]);
        }
      }
    }
  }
  return entry->second.evaluate(cls);
}

std::vector<std::string> LayerValues::namesOf(const std::vector<std::string> &names,
                                              size_t shift) const {
  std::vector<std::string> result = names;
  for (std::string &name : result) {
    auto found = named.find(name);
    if (found != named.end() && found->second.layer + shift < graph.layers.count) {
      name = graph.layers.origins[found->second.layer + shift][found->second.op];
    }
  }
  return result;
}

} // namespace zyxc::plan
