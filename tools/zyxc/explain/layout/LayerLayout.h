// Places of the nodes of a graph in layers, for drawings from the top down, after Sugiyama, Tagawa
// and Toda, "Methods for visual understanding of hierarchical system structures" (1981).
#pragma once
#include <cstdint>
#include <vector>

namespace zyxc::tool {

/// A graph whose edges lead from a node to a later one.
struct LayoutGraph {
  std::vector<double> widths; ///< by node, in units of the drawing
  std::vector<std::pair<uint32_t, uint32_t>> edges;
};

struct LayoutPoint {
  double x = 0;
  double y = 0;
  bool operator==(const LayoutPoint &) const = default;
};

/// Where everything is: the least x and y are 0.
struct Layout {
  std::vector<LayoutPoint> centers; ///< by node
  /// By edge: from the bottom of the first node to the top of the second one, a point per layer in
  /// between. Edges of one node share points as far as they run together.
  std::vector<std::vector<LayoutPoint>> routes;
  double width = 0;
  double height = 0;
};

/// Sizes of a drawing, in its units.
struct LayoutStyle {
  double nodeHeight = 40;
  double layerGap = 32; ///< between the bottom of a layer and the top of the next one
  double nodeGap = 20;  ///< between two nodes of a layer
  double edgeGap = 10;  ///< between an edge that passes a layer and its neighbour
};

/// Every node is below the nodes that lead to it, and nodes of a layer do not overlap. The same
/// graph gives the same places. Takes about linear time in nodes and layers that edges cross.
Layout layOut(const LayoutGraph &graph, const LayoutStyle &style = {});

} // namespace zyxc::tool
