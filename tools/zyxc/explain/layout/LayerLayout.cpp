#include "tools/zyxc/explain/layout/LayerLayout.h"
#include <algorithm>
#include <tuple>

namespace zyxc::tool {

namespace {

/// A node of the graph, or a place where edges of a node pass a layer.
struct Vertex {
  uint32_t layer = 0;
  double width = 0;
  bool isNode = false;
  uint32_t place = 0; ///< in its layer
  double x = 0;
  std::vector<uint32_t> above; ///< vertices of the layer above that lead here
  std::vector<uint32_t> below;
};

class LayerLayout {
public:
  LayerLayout(const LayoutGraph &graph, const LayoutStyle &style) : graph(graph), style(style) {}

  Layout run() {
    assignLayers();
    addVertices();
    orderLayers();
    placeVertices();
    return result();
  }

private:
  //===- Layers -------------------------------------------------------------------------------===//

  /// The longest way from a start; then what has more edges below than above moves down to where
  /// they are short.
  void assignLayers() {
    size_t count = graph.widths.size();
    layerOf.assign(count, 0);
    std::vector<std::vector<uint32_t>> below(count);
    std::vector<size_t> numAbove(count, 0);
    for (auto [from, to] : graph.edges) {
      below[from].push_back(to);
      ++numAbove[to];
    }
    for (uint32_t node = 0; node < count; ++node) {
      for (uint32_t next : below[node]) {
        layerOf[next] = std::max(layerOf[next], layerOf[node] + 1);
      }
    }
    for (uint32_t node = static_cast<uint32_t>(count); node-- > 0;) {
      if (below[node].size() <= numAbove[node]) {
        continue;
      }
      uint32_t nearest = ~0u;
      for (uint32_t next : below[node]) {
        nearest = std::min(nearest, layerOf[next]);
      }
      layerOf[node] = nearest - 1;
    }
  }

  /// All edges of a node run together until they reach their ends: one passing vertex for each
  /// layer.
  void addVertices() {
    size_t count = graph.widths.size();
    for (size_t node = 0; node < count; ++node) {
      Vertex vertex;
      vertex.layer = layerOf[node];
      vertex.width = graph.widths[node];
      vertex.isNode = true;
      vertices.push_back(std::move(vertex));
    }
    std::vector<std::vector<uint32_t>> passing(count); // by node: vertices of the layers below it
    for (auto [from, to] : graph.edges) {
      std::vector<uint32_t> &way = passing[from];
      while (layerOf[from] + way.size() + 1 < layerOf[to]) {
        auto next = static_cast<uint32_t>(vertices.size());
        Vertex vertex;
        vertex.layer = layerOf[from] + static_cast<uint32_t>(way.size()) + 1;
        vertices.push_back(std::move(vertex));
        connect(way.empty() ? from : way.back(), next);
        way.push_back(next);
      }
      size_t passed = layerOf[to] - layerOf[from] - 1;
      std::vector<uint32_t> &route =
          routes.emplace_back(way.begin(), way.begin() + static_cast<std::ptrdiff_t>(passed));
      connect(route.empty() ? from : route.back(), to);
    }
    for (uint32_t i = 0; i < vertices.size(); ++i) {
      layers.resize(std::max<size_t>(layers.size(), vertices[i].layer + 1));
      layers[vertices[i].layer].push_back(i);
    }
  }

  void connect(uint32_t from, uint32_t to) {
    vertices[from].below.push_back(to);
    vertices[to].above.push_back(from);
  }

  //===- Order --------------------------------------------------------------------------------===//

  /// Sorts layers by the mean place of their neighbours, downwards and upwards in turns, and keeps
  /// the order with the fewest crossings.
  void orderLayers() {
    orderByDepthFirstSearch();
    std::vector<std::vector<uint32_t>> best = layers;
    uint64_t fewest = countCrossings();
    constexpr int sweeps = 16;
    for (int sweep = 0; sweep < sweeps && fewest > 0; ++sweep) {
      bool isDown = sweep % 2 == 0;
      for (size_t i = 1; i < layers.size(); ++i) {
        sortLayer(isDown ? i : layers.size() - 1 - i, isDown);
      }
      if (uint64_t crossings = countCrossings(); crossings < fewest) {
        fewest = crossings;
        best = layers;
      }
    }
    layers = std::move(best);
    for (std::vector<uint32_t> &layer : layers) {
      setPlaces(layer);
    }
  }

  /// A first order: what is connected is together.
  void orderByDepthFirstSearch() {
    std::vector<bool> isSeen(vertices.size(), false);
    for (std::vector<uint32_t> &layer : layers) {
      layer.clear();
    }
    std::vector<uint32_t> open;
    for (uint32_t start = 0; start < vertices.size(); ++start) {
      if (!vertices[start].above.empty()) {
        continue;
      }
      open.push_back(start);
      while (!open.empty()) {
        uint32_t vertex = open.back();
        open.pop_back();
        if (isSeen[vertex]) {
          continue;
        }
        isSeen[vertex] = true;
        layers[vertices[vertex].layer].push_back(vertex);
        const std::vector<uint32_t> &below = vertices[vertex].below;
        open.insert(open.end(), below.rbegin(), below.rend());
      }
    }
    for (std::vector<uint32_t> &layer : layers) {
      setPlaces(layer);
    }
  }

  void setPlaces(const std::vector<uint32_t> &layer) {
    for (uint32_t place = 0; place < layer.size(); ++place) {
      vertices[layer[place]].place = place;
    }
  }

  void sortLayer(size_t number, bool isDown) {
    std::vector<std::tuple<double, uint32_t, uint32_t>> keys; // mean place, place, vertex
    for (uint32_t vertex : layers[number]) {
      const std::vector<uint32_t> &list = isDown ? vertices[vertex].above : vertices[vertex].below;
      double sum = 0;
      for (uint32_t other : list) {
        sum += vertices[other].place;
      }
      uint32_t place = vertices[vertex].place;
      keys.emplace_back(list.empty() ? place : sum / static_cast<double>(list.size()), place,
                        vertex);
    }
    std::sort(keys.begin(), keys.end());
    for (size_t i = 0; i < keys.size(); ++i) {
      layers[number][i] = std::get<2>(keys[i]);
    }
    setPlaces(layers[number]);
  }

  /// Inversions between neighbouring layers, by a Fenwick tree (Barth, Juenger and Mutzel, "Simple
  /// and efficient bilayer cross counting", 2002).
  uint64_t countCrossings() const {
    uint64_t crossings = 0;
    for (size_t i = 0; i + 1 < layers.size(); ++i) {
      std::vector<uint64_t> tree(layers[i + 1].size() + 1, 0);
      uint64_t added = 0;
      std::vector<uint32_t> places;
      for (uint32_t vertex : layers[i]) {
        places.clear();
        for (uint32_t next : vertices[vertex].below) {
          places.push_back(vertices[next].place);
        }
        for (uint32_t place : places) { // those before it that end further right
          uint64_t notRight = 0;
          for (uint32_t at = place + 1; at > 0; at -= at & (~at + 1)) {
            notRight += tree[at];
          }
          crossings += added - notRight;
        }
        for (uint32_t place : places) {
          for (uint32_t at = place + 1; at < tree.size(); at += at & (~at + 1)) {
            ++tree[at];
          }
        }
        added += places.size();
      }
    }
    return crossings;
  }

  //===- Coordinates --------------------------------------------------------------------------===//

  /// Half the width of a vertex with half the gap beside it.
  double reach(uint32_t vertex) const {
    const Vertex &v = vertices[vertex];
    return (v.width + (v.isNode ? style.nodeGap : style.edgeGap)) / 2;
  }

  void placeVertices() {
    for (const std::vector<uint32_t> &layer : layers) {
      double x = 0;
      for (uint32_t vertex : layer) {
        x += reach(vertex);
        vertices[vertex].x = x;
        x += reach(vertex);
      }
      for (uint32_t vertex : layer) {
        vertices[vertex].x -= x / 2;
      }
    }
    constexpr int sweeps = 24;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      bool isDown = sweep % 2 == 0;
      for (size_t i = 1; i < layers.size(); ++i) {
        placeLayer(layers[isDown ? i : layers.size() - 1 - i], isDown);
      }
    }
  }

  /// How much an edge wants to be straight: long ones most.
  static double pull(const Vertex &a, const Vertex &b) {
    constexpr double ofPassing = 4;
    return a.isNode && b.isNode ? 1 : a.isNode || b.isNode ? 2 : ofPassing;
  }

  /// Moves the vertices of a layer as near as their distances allow, in the sense of least squares,
  /// to the mean of their neighbours: the pool adjacent violators algorithm (Ayer et al., 1955).
  void placeLayer(const std::vector<uint32_t> &layer, bool isDown) {
    struct Block {
      double weight;
      double sum; ///< of weight times wanted x, less the distance from the start of the layer
      size_t first;
      double mean() const { return sum / weight; }
    };
    std::vector<Block> blocks;
    std::vector<double> offsets; // from the first vertex
    for (size_t i = 0; i < layer.size(); ++i) {
      const Vertex &vertex = vertices[layer[i]];
      offsets.push_back(i == 0 ? 0 : offsets.back() + reach(layer[i - 1]) + reach(layer[i]));
      double weight = 0;
      double wanted = 0;
      for (uint32_t other : isDown ? vertex.above : vertex.below) {
        double by = pull(vertex, vertices[other]);
        weight += by;
        wanted += by * vertices[other].x;
      }
      constexpr double loose = 1e-3; // what has no neighbours stays where it is
      wanted = weight > 0 ? wanted / weight : vertex.x;
      weight = weight > 0 ? weight : loose;
      blocks.push_back({weight, weight * (wanted - offsets.back()), i});
      while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
        Block last = blocks.back();
        blocks.pop_back();
        blocks.back().weight += last.weight;
        blocks.back().sum += last.sum;
      }
    }
    for (size_t b = 0; b < blocks.size(); ++b) {
      size_t end = b + 1 < blocks.size() ? blocks[b + 1].first : layer.size();
      for (size_t i = blocks[b].first; i < end; ++i) {
        vertices[layer[i]].x = blocks[b].mean() + offsets[i];
      }
    }
  }

  Layout result() const {
    Layout layout;
    double left = 0;
    double right = 0;
    for (size_t i = 0; i < vertices.size(); ++i) {
      double from = vertices[i].x - vertices[i].width / 2;
      double to = vertices[i].x + vertices[i].width / 2;
      left = i == 0 ? from : std::min(left, from);
      right = i == 0 ? to : std::max(right, to);
    }
    auto place = [&](uint32_t vertex, double within) {
      double top = vertices[vertex].layer * (style.nodeHeight + style.layerGap);
      return LayoutPoint{vertices[vertex].x - left, top + within};
    };
    for (uint32_t node = 0; node < graph.widths.size(); ++node) {
      layout.centers.push_back(place(node, style.nodeHeight / 2));
    }
    for (size_t i = 0; i < graph.edges.size(); ++i) {
      auto [from, to] = graph.edges[i];
      std::vector<LayoutPoint> &route = layout.routes.emplace_back();
      route.push_back(place(from, style.nodeHeight));
      for (uint32_t vertex : routes[i]) {
        route.push_back(place(vertex, style.nodeHeight / 2));
      }
      route.push_back(place(to, 0));
    }
    layout.width = right - left;
    layout.height = layers.empty()
                        ? 0
                        : static_cast<double>(layers.size()) * (style.nodeHeight + style.layerGap) -
                              style.layerGap;
    return layout;
  }

  const LayoutGraph &graph;
  const LayoutStyle &style;
  std::vector<uint32_t> layerOf;
  std::vector<Vertex> vertices; ///< those of nodes first
  std::vector<std::vector<uint32_t>> layers;
  std::vector<std::vector<uint32_t>> routes; ///< by edge: the vertices that it passes
};

} // namespace

Layout layOut(const LayoutGraph &graph, const LayoutStyle &style) {
  return LayerLayout(graph, style).run();
}

} // namespace zyxc::tool
