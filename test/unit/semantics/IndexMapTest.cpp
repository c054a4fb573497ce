// Index arithmetic: canonical forms compute what the plain expressions compute.
#include "dialects/zyx/semantics/IndexMap.h"
#include <catch2/catch.hpp>
#include <random>

using namespace zyxc;

/// Calls f with every coordinate of a shape.
template <class F> static void forEachCoordinate(const Shape &shape, F f) {
  std::vector<int64_t> at(shape.size(), 0);
  for (int64_t n = numElements(shape); n-- > 0;) {
    f(at);
    for (size_t i = shape.size(); i-- > 0 && ++at[i] == shape[i];) {
      at[i] = 0;
    }
  }
}

TEST_CASE("a reshape map sends each coordinate to the same row-major offset", "[index-map]") {
  std::vector<std::pair<Shape, Shape>> cases = {
      {{2, 3, 4}, {6, 4}}, {{6, 4}, {2, 3, 4}}, {{4, 6}, {6, 4}}, {{1, 8, 1}, {2, 2, 2}},
      {{30}, {5, 3, 2}},   {{}, {1, 1}},        {{0, 3}, {3, 0}}};
  for (const auto &[from, to] : cases) {
    IndexMap map = reshapeMap(from, to);
    IndexExpr source = linearize(map.results, from);
    IndexExpr target = linearize(IndexMap::identity(to.size()).results, to);
    forEachCoordinate(to, [&](const std::vector<int64_t> &at) {
      REQUIRE(source.evaluate(at) == target.evaluate(at));
    });
  }
}

TEST_CASE("split and merge of axes simplify to the identity", "[index-map]") {
  Shape a = {4, 6, 5};
  Shape b = {4, 2, 3, 5};
  IndexMap there = reshapeMap(a, b);
  IndexMap back = reshapeMap(b, a);
  REQUIRE(compose(there, back, a).isIdentity());
  REQUIRE(compose(back, there, b).isIdentity());
}

TEST_CASE("random expressions keep their value under simplification", "[index-map]") {
  std::mt19937_64 random(7);
  Shape extents = {3, 5, 7};
  auto pick = [&](int64_t n) {
    return static_cast<int64_t>(random() % n);
  };
  for (int round = 0; round < 500; ++round) {
    // A chain of steps, evaluated beside as plain integers.
    std::array<std::array<int64_t, 3>, 6> steps;
    for (auto &step : steps) {
      step = {pick(5), pick(3), pick(9) + 1};
    }
    IndexExpr expr = IndexExpr::dim(pick(3));
    int64_t first = expr.asDim();
    for (auto [kind, dim, value] : steps) {
      expr = kind == 0   ? expr + IndexExpr::dim(dim) * (value - 4)
             : kind == 1 ? expr + IndexExpr(value - 5)
             : kind == 2 ? expr * value
             : kind == 3 ? floorDiv(expr, value, extents)
                         : mod(expr, value, extents);
    }
    auto [low, high] = expr.range(extents);
    forEachCoordinate(extents, [&](const std::vector<int64_t> &at) {
      int64_t plain = at[first];
      for (auto [kind, dim, value] : steps) {
        int64_t quotient = plain / value - (plain % value < 0);
        plain = kind == 0   ? plain + at[dim] * (value - 4)
                : kind == 1 ? plain + value - 5
                : kind == 2 ? plain * value
                : kind == 3 ? quotient
                            : plain - quotient * value;
      }
      REQUIRE(expr.evaluate(at) == plain);
      REQUIRE(plain >= low);
      REQUIRE(plain <= high);
    });
  }
}

TEST_CASE("the row-major offset of reshaped coordinates is one axis again", "[index-map]") {
  for (const Shape &shape : {Shape{256, 6, 6}, Shape{1, 4, 2, 3, 5}, Shape{2, 2}, Shape{7, 1, 9}}) {
    IndexMap split = reshapeMap(shape, Shape{numElements(shape)});
    REQUIRE(linearize(split.results, shape) == IndexExpr::dim(0));
  }
}
