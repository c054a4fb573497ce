// Functions of BLAS beside programs of our own: what is matched computes the same, by a slow BLAS
// that checks its arguments; what is no product is not matched.
#include "compiler/kernelize/library/MatchProduct.h"
#include "compiler/kernelize/ProgramBuilder.h"
#include "compiler/kernelize/library/LibraryPrograms.h"
#include "compiler/kernelize/program/ProgramSizes.h"
#include "test/unit/ProgramInterpreter.h"
#include "test/unit/SymbolicGraphs.h"
#include "test/unit/fixtures/blas/ReferenceBlas.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

using namespace zyxc;
using namespace zyxc::kernelize;

namespace {

using graph::ClassId;

/// c = x * y of random labels, where x, y and c are seen through views, scaled or with something
/// more, f32 or f64, of numbers or open sizes.
class RandomContract {
public:
  RandomContract(uint32_t seed, bool isOpen) : isOpen(isOpen) {
    g.random.seed(seed);
    dtype = pick(0, 2) == 0 ? DType::F64 : DType::F32;
    for (int64_t label = 0; label < numLabels; ++label) {
      extents.push_back(randomExtent());
    }
  }

  void build() {
    Shape lhs;
    Shape rhs;
    Shape out;
    for (int64_t label = 0; label < numLabels; ++label) {
      int role = pick(0, 4); // rows, columns, summed, batch, none
      if (role == 4) {
        continue;
      }
      if (role != 1) {
        lhs.push_back(label);
      }
      if (role != 0) {
        rhs.push_back(label);
      }
      if (role != 2) {
        out.push_back(label);
      }
    }
    for (Shape *labels : {&lhs, &rhs, &out}) {
      std::shuffle(labels->begin(), labels->end(), g.random);
    }
    ClassId x = operand(lhs);
    ClassId y = lhs == rhs && pick(0, 1) ? x : operand(rhs);
    ClassId c = g.op(OpKind::Contract, {x, y},
                     {{"lhs", lhs},
                      {"rhs", rhs},
                      {"out", out},
                      {"accumulate", accumulatorOf(dtype)},
                      {"dtype", dtype}});
    g.output("c", c);
    g.output("d", epilogue(c));
    g.finish();
  }

  SymbolicGraph g;

private:
  static constexpr int64_t numLabels = 5;

  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(g.random); }

  int64_t randomExtent() {
    int64_t size = pick(0, 5) == 0 ? 1 : pick(2, 5);
    return isOpen && pick(0, 1) ? dim::variable(pick(0, 1) ? "N" : "M") : size;
  }

  /// A tensor of these labels: a leaf, or a view of one.
  ClassId operand(const Shape &labels) {
    Shape shape;
    for (int64_t label : labels) {
      shape.push_back(extents[label]);
    }
    size_t rank = shape.size();
    std::string name = "x" + std::to_string(numLeaves++);
    switch (rank == 0 ? 0 : pick(0, 5)) {
    case 1: { // transposed
      Shape perm(rank);
      std::iota(perm.begin(), perm.end(), 0);
      std::shuffle(perm.begin(), perm.end(), g.random);
      Shape stored(rank);
      for (size_t i = 0; i < rank; ++i) {
        stored[static_cast<size_t>(perm[i])] = shape[i];
      }
      return g.permute(g.leaf(name, {dtype, stored}), perm);
    }
    case 2: { // a part, perhaps every other one
      Shape stored = shape;
      Shape starts(rank, 0);
      Shape steps(rank, 1);
      auto axis = static_cast<size_t>(pick(0, static_cast<int>(rank) - 1));
      steps[axis] = pick(1, 2);
      starts[axis] = pick(0, 2);
      stored[axis] = dim::add(dim::mul(shape[axis], steps[axis]), starts[axis]);
      return g.narrow(g.leaf(name, {dtype, stored}), starts, shape, steps);
    }
    case 3: { // as a list
      return g.reshape(g.leaf(name, {dtype, {dim::product(shape)}}), shape);
    }
    case 4: { // backwards
      auto axis = static_cast<int64_t>(pick(0, static_cast<int>(rank) - 1));
      return g.op(OpKind::Flip, {g.leaf(name, {dtype, shape})}, {{"axes", Shape{axis}}});
    }
    case 5: { // broadcast
      Shape stored = shape;
      stored[static_cast<size_t>(pick(0, static_cast<int>(rank) - 1))] = 1;
      return g.expand(g.leaf(name, {dtype, stored}), shape);
    }
    default: return g.leaf(name, {dtype, shape});
    }
  }

  ClassId scalar(double value, const Shape &shape) {
    ClassId literal = g.constant(Tensor::scalar(dtype, value));
    return g.expand(g.reshape(literal, Shape(shape.size(), 1)), shape);
  }

  ClassId epilogue(ClassId c) {
    const Shape shape = g.shape(c);
    switch (pick(0, 4)) {
    case 0: return g.op(OpKind::Mul, {c, scalar(0.125, shape)});
    case 1: return g.op(OpKind::Mul, {c, scalar(-2, shape)});
    case 2: return g.op(OpKind::Add, {c, scalar(3, shape)});
    case 3: return g.op(OpKind::Mul, {c, c});
    default: return g.op(OpKind::Exp, {c});
    }
  }

  bool isOpen;
  DType dtype = DType::F32;
  std::vector<int64_t> extents; ///< by label
  int numLeaves = 0;
};

/// Runs a library program, task by task in some order; `most` is the largest argument.
Tensor run(const Program &program, const std::vector<Tensor> &inputs, int64_t most) {
  const rt::BlasFunction *function = rt::findBlasFunction(program.routine);
  REQUIRE(function);
  REQUIRE(rt::isProduct(program.params));
  rt::Product product = rt::fromDims(program.params.data());
  CHECK(rt::toDims(product) == program.params);
  Tensor c = Tensor::allocate(program.ports[2].type);
  for (int64_t i = 0; i < c.numElements(); ++i) {
    c.setDouble(i, NAN);
  }
  std::vector<uint64_t> matrices;
  for (const Tensor *tensor : {&inputs[0], &inputs[1], static_cast<const Tensor *>(&c)}) {
    matrices.push_back(reinterpret_cast<uint64_t>(tensor->data()));
  }
  const void *address = test::referenceBlas(program.routine);
  int64_t tasks = product.numTasks();
  int64_t half = tasks / 2;
  function->run(address, product, matrices.data(), half, tasks, most);
  for (int64_t task = half; task-- > 0;) {
    function->run(address, product, matrices.data(), task, task + 1, most);
  }
  return c;
}

/// How often each function was matched.
struct Counts {
  std::map<std::string, int> matched;
  int programs = 0;
};

/// Compares what BLAS gives with what the program gives.
void compare(const BuiltProgram &built, const std::map<ClassId, Tensor> &values,
             const dim::Bindings &bindings, Counts &counts) {
  std::vector<Tensor> inputs;
  inputs.reserve(built.inputs.size());
  for (ClassId input : built.inputs) {
    inputs.push_back(values.at(input));
  }
  ++counts.programs;
  for (const LibraryProgram &library : blasPrograms(built.program)) {
    INFO(built.program.toText() << library.program.toText());
    auto expected = evaluate(built.program, inputs, bindings);
    REQUIRE(expected);
    auto call = bindSizes(library.program, bindings);
    REQUIRE(call);
    std::vector<Tensor> matrices = {inputs[library.inputs[0]], inputs[library.inputs[1]]};
    for (int64_t most : {rt::mostBlasInt, int64_t(3), int64_t(1)}) {
      Tensor actual = run(*call, matrices, most);
      CHECK(test::takeBlasFault().empty());
      REQUIRE(close(actual, (*expected)[0].withShape(actual.shape()), 1e-5));
    }
    ++counts.matched[library.program.routine];
  }
}

void compareAll(RandomContract &random, const std::vector<dim::Bindings> &bindings,
                Counts &counts) {
  random.build();
  CutTable cuts(random.g.graph, {});
  for (const dim::Bindings &sizes : bindings) {
    std::map<ClassId, Tensor> values = classValues(random.g.graph, random.g.random, sizes);
    for (ClassId cls : cuts.classes()) {
      for (const Cut &cut : cuts.cutsOf(cls)) {
        if (auto built = buildProgram(random.g.graph, cls, cut, {})) {
          compare(*built, values, sizes, counts);
        }
      }
    }
  }
}

/// The matches of the kernels of one contract of leaves with these shapes.
struct Match {
  std::optional<MatchedProduct> matrix, vector;
};
Match matchOf(const Shape &x, const Shape &lhs, const Shape &y, const Shape &rhs, const Shape &out,
              DType dtype = DType::F32) {
  SymbolicGraph g;
  g.output("c", g.op(OpKind::Contract, {g.leaf("x", {dtype, x}), g.leaf("y", {dtype, y})},
                     {{"lhs", lhs},
                      {"rhs", rhs},
                      {"out", out},
                      {"accumulate", accumulatorOf(dtype)},
                      {"dtype", dtype}}));
  g.finish();
  CutTable cuts(g.graph, {});
  Match match;
  for (ClassId cls : cuts.classes()) {
    for (const Cut &cut : cuts.cutsOf(cls)) {
      auto built = buildProgram(g.graph, cls, cut, {});
      if (built && built->program.family == Family::Contract) {
        match = {matchMatrixProduct(built->program), matchVectorProduct(built->program)};
      }
    }
  }
  return match;
}

} // namespace

TEST_CASE("what BLAS is asked for is what the program computes", "[library]") {
  Counts counts;
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    CAPTURE(seed);
    RandomContract random(seed, /*isOpen=*/false);
    compareAll(random, {{}}, counts);
  }
  for (const char *symbol : {"cblas_sgemm", "cblas_dgemm", "cblas_sgemv", "cblas_dgemv"}) {
    INFO(symbol);
    CHECK(counts.matched[symbol] > 25);
  }
  CHECK(counts.programs > 3000);
}

TEST_CASE("with open sizes it is right at all of them", "[library][symbolic]") {
  const std::vector<dim::Bindings> bindings = {{{"N", 3}, {"M", 4}}, {{"N", 4}, {"M", 3}},
                                               {{"N", 1}, {"M", 1}}, {{"N", 5}, {"M", 1}},
                                               {{"N", 0}, {"M", 2}}, {{"N", 2}, {"M", 0}}};
  Counts counts;
  for (uint32_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    RandomContract random(seed, /*isOpen=*/true);
    compareAll(random, bindings, counts);
  }
  for (const char *symbol : {"cblas_sgemm", "cblas_dgemm", "cblas_sgemv", "cblas_dgemv"}) {
    INFO(symbol);
    CHECK(counts.matched[symbol] > 25);
  }
}

TEST_CASE("transposes, batches and shared operands are numbers of the call", "[library]") {
  Match plain = matchOf({4, 6}, {0, 1}, {6, 5}, {1, 2}, {0, 2});
  REQUIRE(plain.matrix);
  CHECK(!plain.vector);
  rt::Product expected;
  expected.rows = 4;
  expected.columns = 5;
  expected.inner = 6;
  expected.a = {0, 6, false};
  expected.b = {0, 5, false};
  expected.c = {0, 5, false};
  CHECK(plain.matrix->product == expected);

  Match transposed = matchOf({6, 4}, {1, 0}, {5, 6}, {2, 1}, {0, 2});
  REQUIRE(transposed.matrix);
  expected.a = {0, 4, true};
  expected.b = {0, 6, true};
  CHECK(transposed.matrix->product == expected);

  // The result lies transposed: the operands change places.
  Match swapped = matchOf({4, 6}, {0, 1}, {6, 5}, {1, 2}, {2, 0});
  REQUIRE(swapped.matrix);
  CHECK(swapped.matrix->product.rows == 5);
  CHECK(swapped.matrix->a == 1);

  // A batch of rows times one matrix is one product, a batch on both sides is a loop.
  Match rows = matchOf({2, 3, 6}, {3, 0, 1}, {6, 5}, {1, 2}, {3, 0, 2});
  REQUIRE(rows.matrix);
  CHECK(rows.matrix->product.rows == 6);
  CHECK(rows.matrix->product.numLoops == 0);
  Match heads = matchOf({2, 3, 4, 6}, {3, 4, 0, 1}, {2, 6, 3, 5}, {3, 1, 4, 2}, {3, 4, 0, 2});
  REQUIRE(heads.matrix);
  CHECK(heads.matrix->product.numLoops == 2);
  CHECK(heads.matrix->product.b == rt::Product::Matrix{0, 15, false});
}

TEST_CASE("what BLAS cannot compute is not matched", "[library]") {
  auto isMatched = [](const Match &match) {
    return match.matrix || match.vector;
  };
  CHECK(isMatched(matchOf({4, 6}, {0, 1}, {6, 5}, {1, 2}, {0, 2}, DType::F64)));
  CHECK(!isMatched(matchOf({4, 6}, {0, 1}, {6, 5}, {1, 2}, {0, 2}, DType::F16)));
  CHECK(!isMatched(matchOf({4, 6}, {0, 1}, {6, 5}, {1, 2}, {0, 2}, DType::I32)));
  // Two summed axes that lie apart in one operand.
  CHECK(!isMatched(matchOf({4, 6, 7}, {0, 1, 3}, {7, 6, 5}, {3, 1, 2}, {0, 2})));
  // The innermost axis of an operand is a batch.
  CHECK(!isMatched(matchOf({4, 6, 3}, {0, 1, 3}, {6, 5, 3}, {1, 2, 3}, {3, 0, 2})));
}
