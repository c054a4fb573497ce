// Index arithmetic: canonical forms compute what the plain expressions compute.
#include "dialects/zyx/semantics/BindSizes.h"
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

//===- Symbolic sizes -------------------------------------------------------------------------===//

static const dim::Bindings bindings[] = {
    {{"N", 1}, {"M", 1}}, {{"N", 2}, {"M", 5}}, {{"N", 7}, {"M", 3}}, {{"N", 4}, {"M", 8}}};

static Shape shapeOf(std::initializer_list<std::string_view> sizes) {
  Shape shape;
  for (std::string_view text : sizes) {
    Expected<int64_t> size = dim::parse(text);
    REQUIRE(size);
    shape.push_back(*size);
  }
  return shape;
}

TEST_CASE("a reshape map of symbolic shapes is right at every size", "[index-map]") {
  std::vector<std::pair<Shape, Shape>> cases = {
      {shapeOf({"N", "4"}), shapeOf({"4 * N"})},
      {shapeOf({"4 * N"}), shapeOf({"N", "4"})},
      {shapeOf({"N", "M"}), shapeOf({"N * M"})},
      {shapeOf({"N * M"}), shapeOf({"M", "N"})},
      {shapeOf({"N", "M", "4"}), shapeOf({"N", "4 * M"})},
      {shapeOf({"N", "M", "12"}), shapeOf({"N * M", "3", "4"})},
      {shapeOf({"N", "6", "M"}), shapeOf({"2 * N", "3 * M"})},
      {shapeOf({"N + 1", "6"}), shapeOf({"2", "3 * N + 3"})}};
  for (const auto &[from, to] : cases) {
    IndexMap map = reshapeMap(from, to);
    INFO(map.toString());
    for (const dim::Bindings &values : bindings) {
      Shape source = bindSizes(from, values);
      Shape target = bindSizes(to, values);
      IndexExpr there = linearize(bindSizes(map, values).results, source);
      IndexExpr here = linearize(IndexMap::identity(to.size()).results, target);
      forEachCoordinate(target, [&](const std::vector<int64_t> &at) {
        REQUIRE(there.evaluate(at) == here.evaluate(at));
      });
    }
  }
}

TEST_CASE("symbolic splits and merges of axes simplify to the identity", "[index-map]") {
  for (const auto &[a, b] : {std::pair(shapeOf({"N", "M"}), shapeOf({"N * M"})),
                             std::pair(shapeOf({"N", "M", "8"}), shapeOf({"N * M", "2", "4"})),
                             std::pair(shapeOf({"N", "12"}), shapeOf({"N", "3", "4"}))}) {
    IndexMap there = reshapeMap(a, b);
    IndexMap back = reshapeMap(b, a);
    INFO(there.toString() << " and " << back.toString());
    CHECK(compose(there, back, a).isIdentity());
    CHECK(compose(back, there, b).isIdentity());
  }
  CHECK(reshapeMap(shapeOf({"N", "M", "4"}), shapeOf({"N", "4 * M"})).toString() ==
        "(d0, d1) -> (d0, ((d1) floordiv 4), ((d1) mod 4))");
}

TEST_CASE("random symbolic expressions keep their value and lie in their range", "[index-map]") {
  std::mt19937_64 random(11);
  int64_t n = dim::variable("N");
  int64_t m = dim::variable("M");
  Shape extents = {n, 5, dim::add(m, 2)};
  int64_t numbers[] = {1, 2, 3, n, m, dim::add(n, 1), dim::mul(n, m)};
  auto pick = [&](int64_t count) {
    return static_cast<int64_t>(random() % count);
  };
  for (int round = 0; round < 300; ++round) {
    std::array<std::array<int64_t, 3>, 5> steps;
    for (auto &step : steps) {
      step = {pick(5), pick(3), numbers[pick(std::size(numbers))]};
    }
    int64_t first = pick(3);
    IndexExpr expr = IndexExpr::dim(first);
    for (auto [kind, axis, value] : steps) {
      expr = kind == 0   ? expr + IndexExpr::dim(axis) * dim::sub(value, 2)
             : kind == 1 ? expr + IndexExpr(dim::sub(value, 3))
             : kind == 2 ? expr * value
             : kind == 3 ? floorDiv(expr, value, extents)
                         : mod(expr, value, extents);
    }
    auto [low, high] = expr.range(extents);
    INFO(expr.toString() << " in " << dim::toString(low) << " to " << dim::toString(high));
    for (const dim::Bindings &values : bindings) {
      IndexExpr bound = bindSizes(expr, values);
      int64_t least = *dim::evaluate(low, values);
      int64_t most = *dim::evaluate(high, values);
      forEachCoordinate(bindSizes(extents, values), [&](const std::vector<int64_t> &at) {
        int64_t plain = at[first];
        for (auto [kind, axis, symbolic] : steps) {
          int64_t value = *dim::evaluate(symbolic, values);
          int64_t quotient = plain / value - (plain % value < 0);
          plain = kind == 0   ? plain + at[axis] * (value - 2)
                  : kind == 1 ? plain + value - 3
                  : kind == 2 ? plain * value
                  : kind == 3 ? quotient
                              : plain - quotient * value;
        }
        REQUIRE(bound.evaluate(at) == plain);
        REQUIRE(plain >= least);
        REQUIRE(plain <= most);
      });
    }
  }
}
