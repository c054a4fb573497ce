// Branches and loops: what they compute, on hand-made plans.
#include "test/unit/exec/ControlPlans.h"
#include <numeric>

using namespace zyxc;
using namespace zyxc::rt;
using namespace zyxc::test;

TEST_CASE("a branch runs the body that its condition says", "[control]") {
  auto executor = loaded(addOrDouble());
  CHECK(ran(*executor, {flagOf(true), numberOf(7)})[0].asInt(0) == 107);
  CHECK(ran(*executor, {flagOf(false), numberOf(7)})[0].asInt(0) == 14);
  CHECK(ran(*executor, {flagOf(true), numberOf(-1)})[0].asInt(0) == 99);
}

/// What fibonacci() computes: a, b, rows.
static std::vector<int64_t> expected(int64_t limit, bool goesOn, int64_t a, int64_t b,
                                     int64_t bound) {
  std::vector<int64_t> rows(static_cast<size_t>(limit), 0);
  for (int64_t i = 0; i < limit && goesOn; ++i) {
    rows[static_cast<size_t>(i)] = a;
    a = std::exchange(b, a + b);
    goesOn = b < bound;
  }
  rows.insert(rows.begin(), {a, b});
  return rows;
}

TEST_CASE("loops of any number of iterations carry values and collect rows", "[control]") {
  for (int64_t limit : {0, 1, 2, 3, 4, 9}) {
    auto executor = loaded(fibonacci(limit));
    for (bool first : {true, false}) {
      for (int64_t bound : {0, 3, 4, 10, 1000}) { // ends the loop earlier
        INFO("limit " << limit << ", first " << first << ", bound " << bound);
        auto outputs = ran(*executor, {flagOf(first), numberOf(1), numberOf(2), numberOf(bound)});
        std::vector<int64_t> found = valuesOf(outputs[2]);
        found.insert(found.begin(), {outputs[0].asInt(0), outputs[1].asInt(0)});
        CHECK(found == expected(limit, first, 1, 2, bound));
      }
    }
  }
}

TEST_CASE("carried values may end where they started", "[control]") {
  for (int64_t limit : {0, 1, 2, 3, 8}) {
    Plan plan = fibonacci(limit);
    plan.inputs[1].written = plan.inputs[2].written = true;
    plan.outputs.erase(plan.outputs.begin(), plan.outputs.begin() + 2);
    std::vector<BufferRef> &ports = plan.steps[0].ports;
    ports[4] = in(1);
    ports[5] = in(2);
    ports[6].index = 0;
    auto executor = loaded(plan);
    Tensor a = numberOf(1), b = numberOf(2);
    std::vector<int64_t> wanted = {1, 2};
    for (int round = 0; round < 3; ++round) {
      ran(*executor, {flagOf(true), a, b, numberOf(1000)});
      wanted = expected(limit, true, wanted[0], wanted[1], 1000);
      INFO("limit " << limit << ", round " << round);
      CHECK(a.asInt(0) == wanted[0]);
      CHECK(b.asInt(0) == wanted[1]);
    }
  }
}

/// x -> y, each step of a body: loop of `limit` whose body is y += 100 where i is odd, else y *= 2.
static Plan branchInLoop(int64_t limit) {
  Plan body = addOrDouble();
  body.inputs = {{"i", number}, {"y", number}};
  body.outputs = {{"again", flag}, {"y", number}};
  body.kernels.push_back({"odd", odd});
  body.kernels.push_back({"yes", yes});
  body.arenaBytes = 65;
  body.steps = {{1, {in(0), arena(64, 1)}, ""},
                {0, {arena(64, 1), in(1), out(1)}, "if"},
                {2, {out(0, 1)}, ""}};
  Plan plan;
  plan.inputs = {{"x", number}};
  plan.outputs = {{"y", number}};
  plan.constants = {flagOf(true)};
  plan.kernels = {loopKernel(0, limit, 1)};
  plan.steps = {{0, {constant(0, 1), in(0), out(0)}, "loop"}};
  plan.bodies = {std::move(body)};
  return plan;
}

TEST_CASE("bodies nest", "[control]") {
  for (int64_t limit : {0, 1, 4, 5}) {
    int64_t y = 3;
    for (int64_t i = 0; i < limit; ++i) {
      y = i % 2 ? y + 100 : 2 * y;
    }
    CHECK(ran(*loaded(branchInLoop(limit)), {numberOf(3)})[0].asInt(0) == y);
  }
  Plan deep = branchInLoop(1);
  for (int level = 2; level <= mostPlanDepth; ++level) { // loops around loops of one iteration
    REQUIRE(Executor::load(deep, {1, 0}));
    Plan body = std::move(deep);
    body.inputs.insert(body.inputs.begin(), {"i", number});
    body.outputs.insert(body.outputs.begin(), {"again", flag});
    body.kernels.push_back({"yes", yes});
    body.steps[0].ports = {constant(0, 1), in(1), out(1)};
    body.steps.push_back({1, {out(0, 1)}, ""});
    deep = branchInLoop(1);
    deep.bodies = {std::move(body)};
  }
  auto tooDeep = Executor::load(deep, {1, 0});
  REQUIRE_FALSE(tooDeep);
  CHECK(tooDeep.error().message().find("over 16 deep") != std::string::npos);
}

/// x, w -> x + limit * w of `size` elements by a loop with a capture, on all threads.
static Plan repeatedSum(int64_t size, int64_t limit) {
  TensorType type{DType::I64, {size}};
  uint64_t bytes = type.byteSize();
  Plan body;
  body.inputs = {{"i", number}, {"x", type}, {"w", type}};
  body.outputs = {{"again", flag}, {"x", type}};
  body.kernels = {{"add", addAll, size}, {"yes", yes}};
  body.arenaBytes = bytes; // w once more, on its way
  body.constants = {Tensor::zeros(type)};
  body.steps = {{0, {in(2, bytes), constant(0, bytes), arena(0, bytes)}, ""},
                {0, {in(1, bytes), arena(0, bytes), out(1, bytes)}, ""},
                {1, {out(0, 1)}, ""}};
  Plan plan;
  plan.inputs = {{"x", type}, {"w", type}};
  plan.outputs = {{"y", type}};
  plan.constants = {flagOf(true)};
  plan.kernels = {loopKernel(0, limit, 1)};
  plan.steps = {{0, {constant(0, 1), in(0, bytes), in(1, bytes), out(0, bytes)}, "loop"}};
  plan.bodies = {std::move(body)};
  return plan;
}

TEST_CASE("kernels of bodies run on all threads", "[control]") {
  constexpr int64_t size = 1000, limit = 25;
  Tensor x = Tensor::allocate({DType::I64, {size}}), w = Tensor::allocate(x.type());
  for (int64_t i = 0; i < size; ++i) {
    x.setInt(i, i);
    w.setInt(i, 3 * i + 1);
  }
  for (int threads : {1, 2, 3, 7}) {
    auto executor = loaded(repeatedSum(size, limit), threads);
    for (int round = 0; round < 2; ++round) {
      Tensor y = ran(*executor, {x, w})[0];
      int64_t wrong = 0;
      for (int64_t i = 0; i < size; ++i) {
        wrong += y.asInt(i) != i + limit * (3 * i + 1);
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("steps with bodies are one step each", "[control]") {
  auto executor = loaded(fibonacci(3));
  REQUIRE(executor->runTimed(std::array{flagOf(true), numberOf(1), numberOf(2), numberOf(100)}));
  REQUIRE(executor->stepTimes().size() == 1);
  CHECK(executor->stepTimes()[0].kernel == "loop");
  CHECK(executor->stepTimes()[0].label == "fibonacci");
  CHECK(executor->stepTimes()[0].runs == 1);
}

TEST_CASE("the memory of bodies is planned", "[control]") {
  TensorType type{DType::I64, {100000}};
  Plan plan = repeatedSum(100000, 3);
  // The result, the arena of the body, and the carried value a second time.
  CHECK(plan.plannedBytes(1) == 3 * type.byteSize());
  auto refused = Executor::load(plan, {1, 3 * type.byteSize() - 1});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == ErrorCode::OutOfMemory);
  CHECK(Executor::load(plan, {1, 3 * type.byteSize()}));
}

TEST_CASE("bodies are part of a plan's text", "[control]") {
  std::string text = branchInLoop(7).toText();
  CHECK(text.find("\nkernel loop loop body 0 to 7, 1 carried\n") != std::string::npos);
  CHECK(text.find("\nbody 0:\n  input 0 i: i64[]\n") != std::string::npos);
  CHECK(text.find("\n  kernel branch if body 0 else body 1\n") != std::string::npos);
  CHECK(text.find("\n  body 1:\n    input 0 x: i64[]\n") != std::string::npos);
}
