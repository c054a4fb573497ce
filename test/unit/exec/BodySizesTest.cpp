// Bodies with symbolic sizes, with work at load, and bodies that do not fit their launches.
#include "runtime/plan/BindPlan.h"
#include "runtime/plan/CheckControl.h"
#include "test/unit/exec/ControlPlans.h"

using namespace zyxc;
using namespace zyxc::rt;
using namespace zyxc::test;

/// x: i64[N] -> total, sums: i64[N], the sums of the first elements. The body also doubles x into
/// its arena, whose size is open, and refuses N > 1000.
static Plan prefixSums() {
  int64_t n = dim::variable("N");
  TensorType list{DType::I64, {n}};
  uint64_t bytes = list.byteSize();
  Plan body;
  body.inputs = {{"i", number}, {"total", number}, {"x", list}};
  body.outputs = {{"again", flag}, {"total", number}, {"sum", number}};
  body.kernels = {
      {"add_all", addAll, n}, {"pick", pick}, {"add", add}, {"copy", copy}, {"yes", yes}};
  body.lifetimes = {{bytes, 0, 1}, {8, 1, 2}};
  body.guards = {{dim::sub(1000, n), "sum1", "scan"}};
  BufferRef doubled{Space::Arena, 0, 0, bytes}, element{Space::Arena, 1, 0, 8};
  body.steps = {{0, {in(2, bytes), in(2, bytes), doubled}, ""},
                {1, {doubled, in(0), element}, ""},
                {2, {in(1), element, out(1)}, ""},
                {3, {out(1), out(2)}, ""},
                {4, {out(0, 1)}, ""}};
  Plan plan;
  plan.inputs = {{"x", list}};
  plan.outputs = {{"total", number}, {"sums", list}};
  plan.constants = {flagOf(true), numberOf(0)};
  plan.kernels = {loopKernel(0, n, 1)};
  plan.steps = {{0, {constant(0, 1), constant(1), in(0, bytes), out(0), out(1, bytes)}, "loop"}};
  plan.bodies = {std::move(body)};
  return plan;
}

TEST_CASE("a loop of symbolic length serves all sizes", "[control]") {
  auto executor = loaded(prefixSums(), 2);
  CHECK(executor->plan().isSymbolic());
  for (int64_t n : {3, 0, 1, 1000, 5}) {
    Tensor x = Tensor::allocate({DType::I64, {n}});
    std::vector<int64_t> sums;
    int64_t total = 0;
    for (int64_t i = 0; i < n; ++i) {
      x.setInt(i, i * i + 1);
      sums.push_back(total += 2 * (i * i + 1));
    }
    auto outputs = ran(*executor, {x});
    CHECK(outputs[0].asInt(0) == total);
    CHECK(valuesOf(outputs[1]) == sums);
    CHECK_FALSE(executor->boundPlan().isSymbolic());
  }
  auto refused = executor->run(std::array{Tensor::zeros({DType::I64, {1001}})});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == ErrorCode::Usage);
  CHECK(refused.error().message() ==
        "sum1: scan needs -N + 1000 >= 0, which is not so at N = 1001");
}

TEST_CASE("sizes of bodies are sizes of the plan", "[control]") {
  Plan plan = prefixSums();
  CHECK(sizeVariables(plan) == std::set<std::string>{"N"});
  plan.bodies[0].guards.push_back({dim::variable("M"), "a", "b"});
  CHECK(sizeVariables(plan) == std::set<std::string>{"M", "N"});
  auto missing = rt::bind(plan, {{"N", 2}});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message() == "no input says what M is: give --dim M=SIZE");
  auto bound = rt::bind(plan, {{"N", 2}, {"M", 0}});
  REQUIRE(bound);
  CHECK(bound->kernels[0].control.limit == 2);
  CHECK(bound->bodies[0].arenaBytes == 512);
  Plan fixed = fibonacci(3);
  fixed.bodies[0].guards.push_back({dim::variable("M"), "a", "b"});
  CHECK(fixed.isSymbolic());
}

static int timesPrepared = 0;

/// x -> x + limit * 2w: 2w is computed at load, in the body.
static Plan preparedInBody(int64_t limit) {
  Plan body;
  body.inputs = {{"i", number}, {"x", number}};
  body.outputs = {{"again", flag}, {"x", number}};
  body.constants = {numberOf(21)};
  auto counted = [](const uint64_t *args, int64_t lo, int64_t hi) {
    ++timesPrepared;
    twice(args, lo, hi);
  };
  body.kernels = {{"twice", counted}, {"add", add}, {"yes", yes}};
  body.preparedBytes = 72;
  body.prepare = {{0, {constant(0), prepared(64)}, ""}};
  body.steps = {{1, {in(1), prepared(64), out(1)}, ""}, {2, {out(0, 1)}, ""}};
  Plan plan;
  plan.inputs = {{"x", number}};
  plan.outputs = {{"y", number}};
  plan.constants = {flagOf(true), numberOf(5)};
  plan.kernels = {loopKernel(0, limit, 1)};
  plan.steps = {{0, {constant(0, 1), in(0), out(0)}, "loop"}};
  plan.bodies = {std::move(body)};
  return plan;
}

TEST_CASE("prepare steps of a body run once", "[control]") {
  timesPrepared = 0;
  auto executor = loaded(preparedInBody(10));
  CHECK(timesPrepared == 1);
  CHECK(ran(*executor, {numberOf(1)})[0].asInt(0) == 421);
  CHECK(ran(*executor, {numberOf(2)})[0].asInt(0) == 422);
  CHECK(timesPrepared == 1);
}

TEST_CASE("a loop may run at load, in a plan with symbolic sizes too", "[control]") {
  for (bool symbolic : {false, true}) {
    Plan plan = preparedInBody(4); // 5 + 4 * 42
    plan.kernels.push_back({"add", add});
    plan.preparedBytes = 8;
    plan.prepare = {{0, {constant(0, 1), constant(1), prepared(0)}, "loop"}};
    plan.steps = {{1, {in(0), prepared(0), out(0)}, "add"}};
    if (symbolic) {
      plan.guards = {{dim::variable("N"), "a", "b"}};
    }
    auto executor = Executor::load(plan, {1, 0, {{"N", 3}}});
    if (!symbolic) {
      executor = Executor::load(plan, {1, 0});
    }
    REQUIRE(executor);
    CHECK(ran(**executor, {numberOf(1000)})[0].asInt(0) == 1173);
  }
}

namespace {
struct BadPlan {
  const char *what;
  void (*change)(Plan &plan);
};
} // namespace

TEST_CASE("bodies that do not fit what runs them are refused", "[control]") {
  static constexpr BadPlan loops[] = {
      {"kernel loop runs body 1 of 1", [](Plan &p) { p.kernels[0].control.bodies = {1}; }},
      {"kernel loop has 2 bodies", [](Plan &p) { p.kernels[0].control.bodies = {0, 0}; }},
      {"kernel loop has 0 bodies", [](Plan &p) { p.kernels[0].control.bodies = {}; }},
      {"body 0 is used 2 times", [](Plan &p) { p.kernels.push_back(p.kernels[0]); }},
      {"body 1 is used 0 times", [](Plan &p) { p.bodies.push_back(p.bodies[0]); }},
      {"has control 9", [](Plan &p) { p.kernels[0].control.kind = Control::Kind(9); }},
      {"has -1 iterations", [](Plan &p) { p.kernels[0].control.limit = -1; }},
      {"iterations", [](Plan &p) { p.kernels[0].control.limit = mostPlanTasks + 1; }},
      {"bodies and code", [](Plan &p) { p.kernels[0].entry = add; }},
      {"bodies and code", [](Plan &p) { p.kernels[0].dims = {1}; }},
      {"bodies and code", [](Plan &p) { p.kernels[0].join.numTasks = 1; }},
      {"bodies and code", [](Plan &p) { p.kernels[0].symbol = "f"; }},
      {"is not that of a loop", [](Plan &p) { p.kernels[0].control.numCarried = 4; }},
      {"is not that of a loop", [](Plan &p) { p.bodies[0].inputs.clear(); }},
      {"is not that of a loop", [](Plan &p) { p.bodies[0].outputs[0].type.dtype = DType::U8; }},
      {"is not that of a loop", [](Plan &p) { p.bodies[0].inputs[0].type.shape = {1}; }},
      {"carried values of kernel loop", [](Plan &p) { p.bodies[0].inputs[1].written = true; }},
      {"carried values of kernel loop", [](Plan &p) { p.bodies[0].inputs[2].type.shape = {2}; }},
      {"has 6 ports of 7", [](Plan &p) { p.steps[0].ports.pop_back(); }},
      {"has 8 ports of 7", [](Plan &p) { p.steps[0].ports.push_back(in(0)); }},
      {"port 0 of kernel loop has 8 bytes of 1", [](Plan &p) { p.steps[0].ports[0] = in(1); }},
      {"port 3 of kernel loop has 4 bytes of 8", [](Plan &p) { p.steps[0].ports[3].bytes = 4; }},
      {"port 6 of kernel loop has 24 bytes of 32", [](Plan &p) { p.kernels[0].control.limit = 4; }},
      {"writes port 4, which is only read", [](Plan &p) { p.steps[0].ports[4] = in(1); }},
      {"writes port 5, which is only read", [](Plan &p) { p.steps[0].ports[5] = constant(0); }},
      {"writes port 5, which is only read", [](Plan &p) { p.steps[0].ports[5] = prepared(0); }},
      {"writes port 3, which is only read", [](Plan &p) { p.bodies[0].inputs[3].written = true; }},
      {"a size of kernel loop is used",
       [](Plan &p) {
         p.bodies[0].guards = {{dim::variable("N"), "a", "b"}};
         p.prepare = p.steps;
       }},
      {"custom kernel add has a join",
       [](Plan &p) {
         p.bodies[0].kernels[0].symbol = "f";
         p.bodies[0].kernels[0].join.numTasks = 1;
       }},
  };
  static constexpr BadPlan branches[] = {
      {"branches of kernel branch", [](Plan &p) { p.bodies[0].inputs[0].type.shape = {2}; }},
      {"branches of kernel branch", [](Plan &p) { p.bodies[1].outputs.clear(); }},
      {"kernel branch has 1 bodies", [](Plan &p) { p.kernels[0].control.bodies = {0}; }},
      {"writes port 1, which", [](Plan &p) { p.bodies[1].inputs[0].written = true; }},
  };
  auto check = [](const BadPlan &bad, Plan plan) {
    bad.change(plan);
    INFO(bad.what);
    auto executor = Executor::load(std::move(plan), {1, 0});
    REQUIRE_FALSE(executor);
    CHECK(executor.error().code() == ErrorCode::Input);
    INFO(executor.error().message());
    CHECK(executor.error().message().starts_with("malformed ("));
    CHECK(executor.error().message().find(bad.what) != std::string::npos);
  };
  for (const BadPlan &bad : loops) {
    check(bad, fibonacci(3));
  }
  for (const BadPlan &bad : branches) {
    check(bad, addOrDouble());
  }
}

TEST_CASE("sizes that make a launch not fit its body are found when they are bound", "[control]") {
  Plan plan = prefixSums();
  plan.steps[0].ports[4].bytes = static_cast<uint64_t>(dim::mul(dim::variable("N"), 4));
  CHECK(checkControl(plan).isOk());
  auto bound = rt::bind(plan, {{"N", 3}});
  REQUIRE_FALSE(bound);
  CHECK(bound.error().code() == ErrorCode::Input);
  CHECK(bound.error().message().find("port 4 of kernel loop has 12 bytes of 24") !=
        std::string::npos);
  plan.kernels[0].control.limit = dim::sub(dim::variable("N"), 5);
  bound = rt::bind(plan, {{"N", 3}});
  REQUIRE_FALSE(bound);
  CHECK(bound.error().message().find("-2 iterations at N = 3") != std::string::npos);
}
