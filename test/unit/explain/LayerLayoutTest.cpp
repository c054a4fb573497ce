// Drawings in layers: what may not be wrong at any graph, and what is expected of small ones.
#include "tools/zyxc/explain/layout/LayerLayout.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>

using namespace zyxc::tool;

namespace {

constexpr double slack = 1e-6;

LayoutGraph randomGraph(uint32_t seed) {
  std::mt19937 random(seed);
  auto pick = [&](uint32_t low, uint32_t high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  LayoutGraph graph;
  uint32_t nodes = pick(0, 60);
  uint32_t reach = pick(1, nodes + 1); // how far back an edge begins
  for (uint32_t node = 0; node < nodes; ++node) {
    graph.widths.push_back(pick(40, 220));
    for (uint32_t edges = node == 0 ? 0 : pick(0, 3); edges > 0; --edges) {
      uint32_t from = node - pick(1, std::min(node, reach));
      std::pair<uint32_t, uint32_t> edge(from, node);
      if (std::find(graph.edges.begin(), graph.edges.end(), edge) == graph.edges.end()) {
        graph.edges.push_back(edge);
      }
    }
  }
  return graph;
}

/// Nodes by the y of their layer, and the points where edges pass it.
void checkLayers(const LayoutGraph &graph, const Layout &layout, const LayoutStyle &style) {
  struct Span {
    double from, to;
    bool isNode;
    bool operator<(const Span &other) const { return from < other.from; }
  };
  std::map<double, std::vector<Span>> layers;
  for (size_t i = 0; i < graph.widths.size(); ++i) {
    auto [x, y] = layout.centers[i];
    double half = graph.widths[i] / 2;
    layers[y].push_back({x - half, x + half, true});
    CHECK(x - half >= -slack);
    CHECK(x + half <= layout.width + slack);
    CHECK(y - style.nodeHeight / 2 >= -slack);
    CHECK(y + style.nodeHeight / 2 <= layout.height + slack);
  }
  for (const std::vector<LayoutPoint> &route : layout.routes) {
    for (size_t i = 1; i + 1 < route.size(); ++i) {
      layers[route[i].y].push_back({route[i].x, route[i].x, false});
    }
  }
  for (auto &[y, spans] : layers) {
    std::sort(spans.begin(), spans.end());
    for (size_t i = 1; i < spans.size(); ++i) {
      double gap = spans[i].from - spans[i - 1].to;
      bool isNode = spans[i].isNode && spans[i - 1].isNode;
      CHECK(gap >= (isNode ? style.nodeGap : 0) - slack);
    }
  }
}

} // namespace

TEST_CASE("edges lead down, nodes and edges do not overlap", "[explain]") {
  LayoutStyle style;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    LayoutGraph graph = randomGraph(seed);
    Layout layout = layOut(graph, style);
    REQUIRE(layout.centers.size() == graph.widths.size());
    REQUIRE(layout.routes.size() == graph.edges.size());
    for (size_t i = 0; i < graph.edges.size(); ++i) {
      auto [from, to] = graph.edges[i];
      const std::vector<LayoutPoint> &route = layout.routes[i];
      CHECK(route.front() ==
            LayoutPoint{layout.centers[from].x, layout.centers[from].y + style.nodeHeight / 2});
      CHECK(route.back() ==
            LayoutPoint{layout.centers[to].x, layout.centers[to].y - style.nodeHeight / 2});
      // A point in each layer between.
      double layers =
          (layout.centers[to].y - layout.centers[from].y) / (style.nodeHeight + style.layerGap);
      CHECK(std::abs(layers - static_cast<double>(route.size() - 1)) < slack);
      for (size_t k = 1; k < route.size(); ++k) {
        CHECK(route[k].y > route[k - 1].y);
      }
    }
    checkLayers(graph, layout, style);
    Layout again = layOut(graph, style);
    CHECK(again.centers == layout.centers);
    CHECK(again.routes == layout.routes);
  }
}

TEST_CASE("a chain is straight, and a tree has no crossings", "[explain]") {
  LayoutGraph chain{{80, 200, 60, 100}, {{0, 1}, {1, 2}, {2, 3}}};
  Layout layout = layOut(chain);
  for (const LayoutPoint &center : layout.centers) {
    CHECK(std::abs(center.x - layout.centers[0].x) < 0.5);
  }
  // 0 leads to 1 and 2; 1 to 3 and 5; 2 to 4 and 6: in the order of the nodes it would cross.
  LayoutGraph tree{std::vector<double>(7, 80), {{0, 1}, {0, 2}, {1, 3}, {2, 4}, {1, 5}, {2, 6}}};
  std::vector<LayoutPoint> at = layOut(tree).centers;
  bool isLeft = at[1].x < at[2].x;
  for (uint32_t a : {3, 5}) {
    for (uint32_t b : {4, 6}) {
      CHECK((at[a].x < at[b].x) == isLeft);
    }
  }
}

TEST_CASE("edges of a node share their way, and what starts late is low", "[explain]") {
  // 0 -> 1 -> 2 -> 3 -> 4, 0 leads to 3 and 4 as well; 5 is needed by 4 only.
  LayoutGraph graph{std::vector<double>(6, 80), {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 3}, {0, 4}}};
  graph.widths.insert(graph.widths.begin(), 80); // node 0: a constant, the others move up by one
  for (auto &[from, to] : graph.edges) {
    ++from;
    ++to;
  }
  graph.edges.emplace_back(0, 5);
  Layout layout = layOut(graph);
  const auto &near = layout.routes[4]; // to 4 of the moved numbers
  const auto &far = layout.routes[5];
  REQUIRE(near.size() == 4);
  REQUIRE(far.size() == 5);
  CHECK(std::equal(near.begin(), near.end() - 1, far.begin()));
  CHECK(layout.centers[0].y == layout.centers[4].y);
}

TEST_CASE("a graph of 3000 nodes with long edges is laid out", "[explain]") {
  LayoutGraph graph;
  for (uint32_t node = 0; node < 3000; ++node) {
    graph.widths.push_back(100);
    for (uint32_t back : {1, 7, 40}) {
      if (node >= back && node % back == 0) {
        graph.edges.emplace_back(node - back, node);
      }
    }
  }
  Layout layout = layOut(graph);
  CHECK(layout.centers.size() == 3000);
  CHECK(layout.width < 1500);
}
