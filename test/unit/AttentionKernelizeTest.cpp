// softmax(scores) * values as one kernel: which graphs become one, and which may not.
#include "compiler/kernelize/program/AttentionForm.h"
#include "test/unit/KernelGraph.h"
#include <catch2/catch.hpp>
#include <limits>

using namespace zyxc;
using namespace zyxc::kernelize;

namespace {

struct Sizes {
  int64_t batch = 2, heads = 3, queries = 5, keys = 7, depth = 4, width = 6;
};

/// Attention op by op.
class AttentionGraph : public KernelGraph {
public:
  explicit AttentionGraph(Sizes sizes = {}) : sizes(sizes) {
    q = leaf("q", {DType::F32, {sizes.batch, sizes.heads, sizes.queries, sizes.depth}});
    k = leaf("k", {DType::F32, {sizes.batch, sizes.heads, sizes.keys, sizes.depth}});
    v = leaf("v", {DType::F32, {sizes.batch, sizes.heads, sizes.keys, sizes.width}});
  }

  ClassId permute(ClassId x, Shape perm) {
    return op(OpKind::Permute, {x}, {{"perm", std::move(perm)}});
  }
  ClassId splat(double value, const Shape &shape) {
    return expand(reshape(constant(Tensor::scalar(DType::F32, value)), Shape(shape.size(), 1)),
                  shape);
  }
  ClassId scaled(ClassId x, double factor) { return op(OpKind::Mul, {x, splat(factor, shape(x))}); }
  ClassId scores() { return op(OpKind::Matmul, {q, permute(k, {0, 1, 3, 2})}); }
  ClassId softmax(ClassId x, int64_t axis = 3) {
    return op(OpKind::Softmax, {x}, {{"axes", Shape{axis}}});
  }
  ClassId reduced(OpKind kind, ClassId x) {
    Shape kept = shape(x);
    kept[3] = 1;
    return reshape(op(kind, {x}, {{"axes", Shape{3}}}), kept);
  }
  /// e^(x - max x) / sum e^(x - max x); guarded: 0 where all of x is -inf.
  ClassId writtenOut(ClassId x, bool guarded) {
    ClassId largest = reduced(OpKind::ReduceMax, x);
    const Shape row = shape(largest);
    ClassId lowest = splat(-std::numeric_limits<double>::infinity(), row);
    ClassId hidden = op(OpKind::Eq, {largest, lowest});
    auto orElse = [&](double value, ClassId other) {
      return guarded ? op(OpKind::Select, {hidden, splat(value, row), other}) : other;
    };
    ClassId shifted = op(OpKind::Sub, {x, expand(orElse(0, largest), shape(x))});
    ClassId powers = op(OpKind::Exp, {shifted});
    ClassId sum = orElse(1, reduced(OpKind::ReduceSum, powers));
    return op(OpKind::Div, {powers, expand(sum, shape(x))});
  }
  ClassId attend(ClassId logits) { return op(OpKind::Matmul, {softmax(logits), v}); }
  /// The values of the program interpreter are those of the reference interpreter, cut by cut and
  /// for the whole plan.
  Planned planOf(ClassId result) {
    output("out", result);
    finish();
    checkAllCuts(*this);
    return checkPlan(*this);
  }

  Sizes sizes;
  ClassId q, k, v;
};

int64_t countAttention(const Planned &planned) {
  return std::count_if(planned.built.programs.begin(), planned.built.programs.end(),
                       [](const Program &program) { return program.family == Family::Attention; });
}

void checkIsOneKernel(const Planned &planned) {
  INFO(planned.why);
  REQUIRE(planned.numKernels() == 1);
  CHECK(countAttention(planned) == 1);
}

/// Some candidate of the table is attention.
bool offersAttention(const Planned &planned) {
  const std::vector<PricedProgram> &programs = planned.table.programs;
  return std::any_of(programs.begin(), programs.end(), [](const PricedProgram &priced) {
    return priced.program.family == Family::Attention;
  });
}

} // namespace

TEST_CASE("attention is one kernel", "[kernelize][attention]") {
  AttentionGraph g;
  checkIsOneKernel(g.planOf(g.attend(g.scores())));
}

TEST_CASE("attention has its roles", "[kernelize][attention]") {
  AttentionGraph g;
  Planned planned = g.planOf(g.attend(g.scores()));
  const Program &program = planned.built.programs.at(0);
  std::optional<AttentionForm> form = findAttention(program);
  REQUIRE(form);
  CHECK(program.volume(form->batch) == 6);
  CHECK(program.volume(form->query) == 5);
  CHECK(program.volume(form->key) == 7);
  CHECK(program.volume(form->depth) == 4);
  CHECK(program.volume(form->width) == 6);
}

TEST_CASE("attention takes scale, bias and mask in any order", "[kernelize][attention]") {
  AttentionGraph g;
  auto [batch, heads, queries, keys, depth, width] = g.sizes;
  Shape all = {batch, heads, queries, keys};
  auto bias = [&](Shape shape) {
    return g.expand(g.leaf("bias", {DType::F32, std::move(shape)}), all);
  };
  auto masked = [&](ClassId x) {
    ClassId mask = g.expand(g.leaf("mask", {DType::Bool, {batch, 1, 1, keys}}), all);
    ClassId lowest = g.splat(-std::numeric_limits<float>::infinity(), all);
    return g.op(OpKind::Select, {mask, x, lowest});
  };
  SECTION("scale, then bias") {
    ClassId logits = g.op(OpKind::Add, {g.scaled(g.scores(), 0.5), bias({1, 1, queries, keys})});
    checkIsOneKernel(g.planOf(g.attend(logits)));
  }
  SECTION("bias, then scale") {
    ClassId logits = g.scaled(g.op(OpKind::Add, {g.scores(), bias({1, heads, queries, keys})}), 2);
    checkIsOneKernel(g.planOf(g.attend(logits)));
  }
  SECTION("scaled queries, then a mask") {
    g.q = g.scaled(g.q, 0.5);
    checkIsOneKernel(g.planOf(g.attend(masked(g.scores()))));
  }
  SECTION("a mask, then scaled scores and a soft cap") {
    ClassId logits = g.op(OpKind::Tanh, {g.scaled(masked(g.scores()), 0.5)});
    checkIsOneKernel(g.planOf(g.attend(logits)));
  }
  SECTION("causal by positions") {
    auto positions = [&](int64_t axis) {
      return g.op(OpKind::Iota, {}, {{"shape", all}, {"axis", axis}, {"dtype", DType::I64}});
    };
    ClassId visible = g.op(OpKind::Le, {positions(3), positions(2)});
    ClassId lowest = g.splat(-std::numeric_limits<float>::infinity(), all);
    checkIsOneKernel(g.planOf(g.attend(g.op(OpKind::Select, {visible, g.scores(), lowest}))));
  }
}

TEST_CASE("a softmax that is written out is found", "[kernelize][attention]") {
  auto [batch, guarded] = GENERATE(table<int64_t, bool>({{2, false}, {2, true}, {1, false}}));
  AttentionGraph g({.batch = batch});
  ClassId mask = g.leaf("mask", {DType::Bool, {g.sizes.queries, g.sizes.keys}});
  Shape all = {batch, g.sizes.heads, g.sizes.queries, g.sizes.keys};
  ClassId lowest = g.splat(-std::numeric_limits<double>::infinity(), all);
  ClassId visible = g.expand(g.reshape(mask, {1, 1, g.sizes.queries, g.sizes.keys}), all);
  ClassId logits = g.op(OpKind::Select, {visible, g.scores(), lowest});
  Planned planned = g.planOf(g.op(OpKind::Matmul, {g.writtenOut(logits, guarded), g.v}));
  checkIsOneKernel(planned);
  const std::vector<Value> &values = planned.built.programs.at(0).values;
  CHECK(std::any_of(values.begin(), values.end(), [guarded = guarded](const Value &value) {
    return value.op == Value::Op::SoftmaxSum && value.guarded == guarded;
  }));
}

TEST_CASE("what looks like a softmax is not taken for one", "[kernelize][attention]") {
  AttentionGraph g({.queries = 7, .keys = 7});
  ClassId logits = g.scores();
  const Shape all = g.shape(logits);
  ClassId largest = g.reduced(OpKind::ReduceMax, logits);
  auto weights = [&](ClassId base, ClassId powers, ClassId sum) {
    return g.op(OpKind::Div, {powers, g.expand(sum, g.shape(base))});
  };
  ClassId powers = g.op(OpKind::Exp, {g.op(OpKind::Sub, {logits, g.expand(largest, all)})});
  ClassId sum = g.reduced(OpKind::ReduceSum, powers);
  ClassId result = 0;
  SECTION("the sum of other rows") {
    ClassId across = g.expand(g.permute(sum, {0, 1, 3, 2}), all);
    result = g.op(OpKind::Div, {powers, across});
  }
  SECTION("the sum of something else") {
    result = weights(logits, powers, g.reduced(OpKind::ReduceSum, logits));
  }
  SECTION("less the minimum") {
    ClassId least = g.reduced(OpKind::ReduceMin, logits);
    ClassId others = g.op(OpKind::Exp, {g.op(OpKind::Sub, {logits, g.expand(least, all)})});
    result = weights(logits, others, g.reduced(OpKind::ReduceSum, others));
  }
  SECTION("less the maximum of something else") {
    ClassId other = g.reduced(OpKind::ReduceMax, g.scaled(logits, 2));
    ClassId others = g.op(OpKind::Exp, {g.op(OpKind::Sub, {logits, g.expand(other, all)})});
    result = weights(logits, others, g.reduced(OpKind::ReduceSum, others));
  }
  CHECK_FALSE(offersAttention(g.planOf(g.op(OpKind::Matmul, {result, g.v}))));
}

TEST_CASE("heads are joined by the store of attention", "[kernelize][attention]") {
  AttentionGraph g;
  auto [batch, heads, queries, keys, depth, width] = g.sizes;
  ClassId rows = g.permute(g.attend(g.scores()), {0, 2, 1, 3});
  ClassId joined = g.reshape(rows, {batch, queries, heads * width});
  ClassId residual = g.leaf("residual", {DType::F32, {batch, queries, heads * width}});
  checkIsOneKernel(g.planOf(g.op(OpKind::Add, {joined, residual})));
}

TEST_CASE("keys and values may be repeated for groups of heads", "[kernelize][attention]") {
  AttentionGraph g;
  auto [batch, heads, queries, keys, depth, width] = g.sizes;
  auto repeated = [&](const char *name, int64_t columns) {
    ClassId x = g.leaf(name, {DType::F32, {batch, 1, keys, columns}});
    x = g.expand(g.reshape(x, {batch, 1, 1, keys, columns}), {batch, 1, heads, keys, columns});
    return g.reshape(x, {batch, heads, keys, columns});
  };
  g.k = repeated("keys", depth);
  g.v = repeated("values", width);
  checkIsOneKernel(g.planOf(g.attend(g.scores())));
}

TEST_CASE("attention of one batch, one head or one query", "[kernelize][attention]") {
  SECTION("one batch") {
    AttentionGraph g({.batch = 1});
    checkIsOneKernel(g.planOf(g.attend(g.scores())));
  }
  SECTION("one head") {
    AttentionGraph g({.batch = 1, .heads = 1});
    checkIsOneKernel(g.planOf(g.attend(g.scores())));
  }
  SECTION("values before weights") {
    AttentionGraph g;
    ClassId weights = g.permute(g.softmax(g.scores()), {0, 1, 3, 2});
    ClassId result = g.op(OpKind::Matmul, {g.permute(g.v, {0, 1, 3, 2}), weights});
    checkIsOneKernel(g.planOf(result));
  }
  SECTION("one query") {
    AttentionGraph g({.queries = 1});
    CHECK(offersAttention(g.planOf(g.attend(g.scores()))));
  }
}

TEST_CASE("attention is chosen where it costs less", "[kernelize][attention]") {
  // One query leaves the lanes of the scores idle; measured in docs/benchmarks.md.
  auto [queries, isChosen] = GENERATE(table<int64_t, bool>({{1, false}, {8, true}, {128, true}}));
  AttentionGraph g(
      {.batch = 1, .heads = 12, .queries = queries, .keys = 128, .depth = 64, .width = 64});
  g.output("out", g.attend(g.scaled(g.scores(), 0.125)));
  g.finish();
  Planned planned = makePlan(g.graph);
  CHECK(offersAttention(planned));
  CHECK(countAttention(planned) == (isChosen ? 1 : 0));
}

TEST_CASE("what attention does not take is computed otherwise", "[kernelize][attention]") {
  SECTION("one key") {
    AttentionGraph g({.keys = 1});
    CHECK_FALSE(offersAttention(g.planOf(g.attend(g.scores()))));
  }
  SECTION("one column in the scores") {
    AttentionGraph g({.depth = 1});
    CHECK_FALSE(offersAttention(g.planOf(g.attend(g.scores()))));
  }
  SECTION("one column of values") {
    AttentionGraph g({.width = 1});
    CHECK_FALSE(offersAttention(g.planOf(g.attend(g.scores()))));
  }
  SECTION("a softmax over the queries") {
    AttentionGraph g;
    ClassId weights = g.softmax(g.scores(), 2);
    CHECK_FALSE(offersAttention(g.planOf(g.op(OpKind::Matmul, {weights, g.v}))));
  }
  SECTION("weights that are scaled after the softmax") {
    AttentionGraph g;
    ClassId weights = g.op(OpKind::Tanh, {g.softmax(g.scores())});
    CHECK_FALSE(offersAttention(g.planOf(g.op(OpKind::Matmul, {weights, g.v}))));
  }
  SECTION("values that depend on the query") {
    AttentionGraph g({.batch = 1, .heads = 1, .queries = 7, .width = 7});
    ClassId weights = g.softmax(g.scores());
    CHECK(g.planOf(g.op(OpKind::Matmul, {weights, weights})).numKernels() > 1);
  }
  SECTION("level exact") {
    AttentionGraph g;
    g.output("out", g.attend(g.scores()));
    g.finish();
    Caps caps;
    caps.attention = false;
    auto table = buildCandidates(g.graph, caps);
    REQUIRE(table);
    for (const PricedProgram &priced : table->programs) {
      CHECK(priced.program.family != Family::Attention);
    }
  }
}
