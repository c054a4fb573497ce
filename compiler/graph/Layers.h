// Equal layers of a source graph, of which most are left out of the e-graph: what is found for one
// stands for them, and a plan is continued over them (compiler/plan/ContinueLayers.h).
#pragma once
#include "compiler/egraph/Ids.h"
#include "runtime/core/Tensor.h"
#include <string>
#include <vector>

namespace zyxc::graph {

/// What a layer reads instead of what another reads: a weight. In the e-graph it is a leaf, so that
/// nothing is concluded from its value.
struct LayerParameter {
  std::vector<egraph::Id> leaves; ///< by kept layer
  std::vector<Tensor> values;     ///< by layer of the source graph
};

/// A result that is needed behind a place between ops: of this op, so many layers before.
struct LiveResult {
  size_t op = 0;
  size_t layersBefore = 0;
};

/// `count` layers, of which the first ones and the last one are kept.
struct Layers {
  size_t count = 0; ///< 0: every op of the source graph is there
  size_t kept = 0;
  std::vector<LayerParameter> parameters;
  std::vector<std::vector<egraph::Id>> results;  ///< classes, by kept layer and op
  std::vector<std::vector<std::string>> origins; ///< by layer of the source graph and op

  /// By place: in front of the op of this number. What layers carry on, whichever place is seen as
  /// the border between them.
  std::vector<std::vector<LiveResult>> live;

  bool areThere() const { return count != 0; }
  size_t leftOut() const { return count - kept; }
};

/// The attribute `id` of the leaf of a parameter; those of inputs are not negative.
inline int64_t leafId(const Layers &layers, size_t parameter, size_t layer) {
  return -1 - static_cast<int64_t>(parameter * layers.kept + layer);
}
inline bool isParameterId(int64_t id) {
  return id < 0;
}
inline size_t parameterOf(const Layers &layers, int64_t id) {
  return static_cast<size_t>(-1 - id) / layers.kept;
}
inline size_t layerOf(const Layers &layers, int64_t id) {
  return static_cast<size_t>(-1 - id) % layers.kept;
}
/// What the leaf stands for in the source graph.
inline const Tensor &parameterValue(const Layers &layers, int64_t id) {
  size_t layer = layerOf(layers, id);
  return layers.parameters[parameterOf(layers, id)]
      .values[layer + 1 == layers.kept ? layers.count - 1 : layer];
}

} // namespace zyxc::graph
