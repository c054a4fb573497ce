#include "compiler/graph/InvertView.h"
#include "compiler/graph/Views.h"
#include "compiler/kernelize/ProgramBuilder.h"
#include "test/unit/KernelGraph.h"
#include "test/unit/ProgramInterpreter.h"
#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>

using namespace zyxc;
using namespace zyxc::kernelize;

namespace {

/// Adds ops at random over the classes made so far.
class RandomGraph {
public:
  explicit RandomGraph(uint32_t seed, bool isSymbolic = false) : isSymbolic(isSymbolic) {
    graph.random.seed(seed);
  }

  void build(int fewest = 5, int most = 15) {
    pool.push_back(graph.leaf("x", {DType::F32, randomShape()}));
    pool.push_back(graph.leaf("y", {DType::F32, randomShape()}));
    int count = pick(fewest, most);
    for (int i = 0; i < count; ++i) {
      pool.push_back(addOp(pool[pick(0, static_cast<int>(pool.size()) - 1)]));
    }
    graph.output("out", pool.back());
    graph.output("mid", pool[pool.size() / 2]);
    graph.finish();
  }

  KernelGraph graph;

private:
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(graph.random); }

  Shape randomShape() {
    Shape shape;
    for (int i = pick(1, 3); i > 0; --i) {
      shape.push_back(pick(1, 4));
      if (isSymbolic && pick(0, 1)) {
        shape.back() = dim::variable(pick(0, 1) ? "N" : "M");
      }
    }
    return shape;
  }

  /// An operand of this shape: an older class, or a broadcast one.
  ClassId partner(const Shape &shape) {
    for (int i = 0; i < 8; ++i) {
      ClassId cls = pool[pick(0, static_cast<int>(pool.size()) - 1)];
      if (graph.shape(cls) == shape && graph.graph.type(cls).dtype == DType::F32) {
        return cls;
      }
    }
    Shape small(shape.size(), 1);
    if (!shape.empty()) {
      size_t axis = pick(0, static_cast<int>(shape.size()) - 1);
      small[axis] = shape[axis];
    }
    return graph.expand(values({DType::F32, small}), shape);
  }

  ClassId values(const TensorType &type) {
    return dim::anySymbolic(type.shape) ? graph.leaf("w", type) : graph.weights(type);
  }

  ClassId addMovement(ClassId x) {
    const Shape shape = graph.shape(x);
    auto rank = static_cast<int>(shape.size());
    switch (pick(0, 4)) {
    case 0: return graph.reshape(x, {numElements(shape)});
    case 1: {
      Shape perm(shape.size());
      for (int i = 0; i < rank; ++i) {
        perm[i] = rank - 1 - i;
      }
      return graph.op(OpKind::Permute, {x}, {{"perm", perm}});
    }
    case 2: {
      Shape starts(shape.size(), 0);
      Shape sizes = shape;
      for (int i = 0; i < rank; ++i) {
        starts[i] = dim::estimate(shape[i], least) > 1 ? 1 : 0;
        sizes[i] = dim::sub(shape[i], starts[i]);
      }
      return graph.op(OpKind::Narrow, {x},
                      {{"starts", starts}, {"sizes", sizes}, {"steps", Shape(shape.size(), 1)}});
    }
    case 3: {
      ClassId padding = graph.constant(Tensor::scalar(DType::F32, 0.5));
      return graph.op(OpKind::Pad, {x, padding},
                      {{"low", Shape(shape.size(), 1)}, {"high", Shape(shape.size(), pick(0, 1))}});
    }
    default: {
      if (rank == 0 || dim::estimate(shape[rank - 1], least) < 2) {
        return graph.reshape(x, shape);
      }
      return graph.op(OpKind::Window, {x},
                      {{"sizes", Shape{2}}, {"strides", Shape{1}}, {"dilations", Shape{1}}});
    }
    }
  }

  ClassId addOp(ClassId x) {
    const Shape shape = graph.shape(x);
    if (graph.graph.type(x).dtype != DType::F32) {
      return graph.op(OpKind::Cast, {x}, {{"dtype", DType::F32}});
    }
    if (dim::estimate(numElements(shape), least) > 200) {
      return graph.op(OpKind::ReduceMax, {x}, {{"axes", Shape{0}}});
    }
    auto rank = static_cast<int>(shape.size());
    switch (pick(0, 9)) {
    case 0: return graph.op(OpKind::Add, {x, partner(shape)});
    case 1: return graph.op(OpKind::Sub, {x, partner(shape)});
    case 2: return graph.op(OpKind::Max, {x, partner(shape)});
    case 3: return rank == 0 ? x : graph.op(OpKind::Softmax, {x}, {{"axes", Shape{rank - 1}}});
    case 4:
      return rank == 0 ? x
                       : graph.op(pick(0, 1) ? OpKind::ReduceSum : OpKind::ReduceMax, {x},
                                  {{"axes", Shape{pick(0, rank - 1)}}});
    case 5: return rank == 0 ? x : graph.concat({x, partner(shape)}, pick(0, rank - 1));
    case 6: {
      if (rank == 0) {
        return x;
      }
      ClassId columns = values({DType::F32, {shape[rank - 1], 3}});
      return graph.op(OpKind::Matmul, {x, columns});
    }
    case 7: {
      if (rank == 0) {
        return x;
      }
      ClassId indices = graph.weights({DType::I64, {2}});
      return graph.op(OpKind::Gather, {x, indices}, {{"axis", int64_t{pick(0, rank - 1)}}});
    }
    default: return addMovement(x);
    }
  }

  static constexpr int64_t least = 3; ///< value of each variable
  bool isSymbolic;
  std::vector<ClassId> pool;
};

} // namespace

TEST_CASE("every candidate of random graphs computes its class", "[kernelize]") {
  int checked = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    RandomGraph random(seed);
    random.build();
    checked += checkAllCuts(random.graph);
  }
  CHECK(checked > 3000);
}

TEST_CASE("every candidate of random symbolic graphs computes its class", "[kernelize][symbolic]") {
  const std::vector<dim::Bindings> bindings = {{{"N", 3}, {"M", 4}}, {{"N", 4}, {"M", 3}}};
  int checked = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    RandomGraph random(seed, /*isSymbolic=*/true);
    random.build();
    checked += checkAllCuts(random.graph, bindings);
  }
  CHECK(checked > 3000);
}

TEST_CASE("plans of random graphs give the interpreter's values", "[kernelize][plan]") {
  for (uint32_t seed = 1000; seed < 1200; ++seed) {
    CAPTURE(seed);
    RandomGraph random(seed);
    random.build();
    checkPlan(random.graph);
  }
}

// KZ-T-K53: what is stored and read (I13, I14, I16), and how large a kernel may be (I21). That
// plans are closed and free of cycles (I17, I27) is checked when they are made.
TEST_CASE("kernels of random graphs store something, and nothing that they read", "[kernelize]") {
  const Caps caps;
  const int count = std::getenv("ZYXC_LONG_TESTS") ? 10'000 : 60;
  for (int seed = 0; seed < count; ++seed) {
    CAPTURE(seed);
    RandomGraph random(static_cast<uint32_t>(2000 + seed));
    random.build(5, 60);
    CandidateTable table = checkPlan(random.graph).table;
    for (const Candidate &candidate : table.candidates) {
      std::set<ClassId> reads(candidate.inputs.begin(), candidate.inputs.end());
      std::set<ClassId> makes(candidate.outputs.begin(), candidate.outputs.end());
      REQUIRE(!makes.empty());
      REQUIRE(reads.size() == candidate.inputs.size());
      REQUIRE(makes.size() == candidate.outputs.size());
      REQUIRE(std::none_of(makes.begin(), makes.end(),
                           [&](ClassId cls) { return reads.contains(cls); }));
      if (candidate.kind != Candidate::Kind::Kernel) {
        continue;
      }
      const Program &program = table.programs[candidate.program].program;
      REQUIRE(program.numInputs() == reads.size());
      REQUIRE(program.ports.size() == reads.size() + makes.size());
      REQUIRE(std::ssize(program.ports) <= caps.ports);
      REQUIRE(std::ssize(program.values) <= caps.ops);
      std::set<size_t> stored;
      for (const Store &store : program.stores) {
        stored.insert(store.port);
      }
      REQUIRE((program.stores.empty() || stored.size() == makes.size()));
    }
  }
}

// KZ-T-M10 of kernels: a second table of the same graph is the same, and the graph stays what it
// was.
TEST_CASE("a graph gives the same candidates again", "[kernelize]") {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    RandomGraph random(seed);
    random.build(5, 30);
    uint32_t nodes = random.graph.graph.engine().numNodes();
    auto first = buildCandidates(random.graph.graph);
    auto second = buildCandidates(random.graph.graph);
    REQUIRE((first && second));
    auto isSame = [](const Candidate &a, const Candidate &b) {
      return a.kind == b.kind && a.program == b.program && a.inputs == b.inputs &&
             a.outputs == b.outputs && a.cost == b.cost && a.offset == b.offset;
    };
    CHECK(std::ranges::equal(first->candidates, second->candidates, isSame));
    CHECK(first->programs.size() == second->programs.size());
    CHECK(random.graph.graph.engine().numNodes() == nodes);
  }
}

TEST_CASE("views are inverted where they meet each element once", "[kernelize]") {
  auto roundTrip = [](const IndexMap &map, const Shape &result, const Shape &operand) {
    std::optional<IndexMap> inverse = graph::invertView(map, result, operand);
    REQUIRE(inverse);
    IndexMap both = graph::normalizeView(compose(map, *inverse, operand), operand);
    CHECK(both == graph::normalizeView(IndexMap::identity(operand.size()), operand));
  };
  IndexMap transpose{2, {IndexExpr::dim(1), IndexExpr::dim(0)}};
  roundTrip(transpose, {3, 4}, {4, 3});
  roundTrip(reshapeMap(Shape{2, 3, 4}, Shape{6, 4}), {6, 4}, {2, 3, 4});
  roundTrip(reshapeMap(Shape{6, 4}, Shape{2, 3, 4}), {2, 3, 4}, {6, 4});
  roundTrip(reshapeMap(Shape{4, 6}, Shape{3, 8}), {3, 8}, {4, 6});
  // A channel shuffle: [2,3] transposed, seen as 6 channels on both sides.
  Shape channels{6};
  IndexMap split = reshapeMap(channels, Shape{2, 3});
  IndexMap shuffle =
      compose(compose(split, transpose, Shape{3, 2}), reshapeMap(Shape{3, 2}, channels), channels);
  roundTrip(graph::normalizeView(shuffle, channels), channels, channels);
  // Broadcast, narrow and windows are not bijective.
  CHECK_FALSE(graph::invertView({2, {IndexExpr::dim(0), IndexExpr(0)}}, Shape{3, 4}, Shape{3, 1}));
  CHECK_FALSE(graph::invertView({1, {IndexExpr::dim(0) + IndexExpr(1)}}, Shape{3}, Shape{4}));
}

TEST_CASE("a softmax is one row program over one axis", "[kernelize]") {
  KernelGraph g;
  ClassId x = g.leaf("x", {DType::F32, {4, 10}});
  g.output("y", g.op(OpKind::Softmax, {x}, {{"axes", Shape{1}}}));
  g.finish();
  Planned planned = checkPlan(g);
  REQUIRE(planned.numKernels() == 1);
  const Program &program = planned.built.programs[0];
  CHECK(program.family == Family::Row);
  CHECK(program.extents == std::vector<int64_t>{4, 10});
  CHECK(std::count_if(program.values.begin(), program.values.end(),
                      [](const Value &value) { return value.op == Value::Op::Load; }) == 1);
  CHECK(std::count_if(program.values.begin(), program.values.end(), [](const Value &value) {
          return value.kind == OpKind::Exp && value.op == Value::Op::Scalar;
        }) == 1);
}

TEST_CASE("layer normalization is one row program", "[kernelize]") {
  KernelGraph g;
  ClassId x = g.leaf("x", {DType::F32, {4, 16}});
  auto mean = [&](ClassId value) {
    ClassId sum = g.op(OpKind::ReduceSum, {value}, {{"axes", Shape{1}}});
    ClassId count = g.expand(g.reshape(g.constant(Tensor::scalar(DType::F32, 16)), {1}), {4});
    return g.expand(g.reshape(g.op(OpKind::Div, {sum, count}), {4, 1}), {4, 16});
  };
  ClassId centred = g.op(OpKind::Sub, {x, mean(x)});
  ClassId one = g.expand(g.reshape(g.constant(Tensor::scalar(DType::F32, 1)), {1, 1}), {4, 16});
  ClassId variance = g.op(OpKind::Add, {mean(g.op(OpKind::Mul, {centred, centred})), one});
  g.output("y", g.op(OpKind::Div, {centred, g.op(OpKind::Sqrt, {variance})}));
  g.finish();
  Planned planned = checkPlan(g);
  CHECK(planned.numKernels() == 1);
  CHECK(planned.built.programs[0].family == Family::Row);
  CHECK(planned.built.programs[0].extents.size() == 2);
}

TEST_CASE("depthwise convolutions use no register tiles", "[kernelize]") {
  KernelGraph g;
  ClassId x = g.leaf("x", {DType::F32, {1, 8, 6, 6}});
  g.output("y", g.relu(g.conv(x, 8, 3, 1, 8)));
  g.finish();
  Planned planned = checkPlan(g);
  REQUIRE(planned.numKernels() == 1);
  CHECK(planned.built.programs[0].family == Family::Map);
}

TEST_CASE("a mean is not computed again for each output of a product", "[kernelize]") {
  KernelGraph g;
  ClassId x = g.leaf("x", {DType::F32, {1, 64, 5, 5}});
  ClassId sums = g.op(OpKind::ReduceSum, {x}, {{"axes", Shape{2, 3}}});
  g.output("y", g.op(OpKind::Matmul, {sums, g.weights({DType::F32, {64, 100}})}));
  g.finish();
  CHECK(checkPlan(g).numKernels() == 2);
}

TEST_CASE("gather takes an element-wise producer with it", "[kernelize]") {
  KernelGraph g;
  ClassId x = g.leaf("x", {DType::F32, {5, 3}});
  ClassId rows = g.leaf("rows", {DType::I64, {2}});
  g.output("y", g.op(OpKind::Gather, {g.op(OpKind::Exp, {x}), rows}, {{"axis", int64_t{0}}}));
  g.finish();
  CHECK(checkPlan(g).numKernels() == 1);
  CHECK(checkAllCuts(g) > 0);
}
