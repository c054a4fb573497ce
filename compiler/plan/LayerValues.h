// Values that follow from parameters of layers (graph::Layers): which ones correspond to each other
// in two layers, and what they are.
#pragma once
#include "compiler/graph/Choice.h"
#include "compiler/graph/Evaluator.h"
#include <map>
#include <optional>
#include <set>

namespace zyxc::plan {

/// Of one graph, which must outlive it and have layers that are left out.
class LayerValues {
public:
  using ClassId = graph::ClassId;

  explicit LayerValues(const graph::TensorGraph &graph);

  /// True if parameters of layers stand below the class, which must be a parameter or a constant.
  bool depends(ClassId cls);
  /// True if b is computed from the parameters of a layer as a is from those of the layer before,
  /// or both are one value that no layer determines.
  bool follows(ClassId a, ClassId b);
  /// True if a and b are results of the same op in two layers that follow each other.
  bool isNextResult(ClassId a, ClassId b) const;
  /// An op of a kept layer.
  struct Place {
    size_t layer = 0;
    size_t op = 0;
    auto operator<=>(const Place &) const = default;
  };
  /// The ops that the class is a result of, but for those whose results are equal in all layers.
  std::vector<Place> resultsOf(ClassId cls) const;
  /// The op has one and the same result in all kept layers.
  bool isInvariant(size_t op) const;
  /// Its value `shift` layers on, where the kept layers are the first ones of the source graph.
  Expected<Tensor> valueOf(ClassId cls, size_t shift);
  /// The names of these source nodes `shift` layers on, where the kept layers are the first ones.
  std::vector<std::string> namesOf(const std::vector<std::string> &names, size_t shift) const;

private:
  /// The parameter and the layer of a leaf; nothing for an input.
  std::optional<Place> leafAt(graph::NodeId node) const;

  const graph::TensorGraph &graph;
  graph::Choice choice;
  std::map<ClassId, bool> dependent;
  std::map<std::pair<ClassId, ClassId>, bool> following; ///< answers of follows()
  std::map<ClassId, std::set<Place>> places;             ///< of results
  std::map<std::string, Place> named;
  std::map<size_t, graph::Evaluator> evaluators; ///< by shift
};

} // namespace zyxc::plan
