// Plans with symbolic sizes: values from the shapes of inputs, the static plan for them, runs.
#include "runtime/plan/BindPlan.h"
#include "runtime/exec/Executor.h"
#include "runtime/plan/PackArena.h"
#include "test/unit/fixtures/SymbolicPlan.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using namespace zyxc::rt;
using zyxc::test::symbolicPlan;

static int64_t sizeOf(std::string_view text) {
  auto size = dim::parse(text);
  REQUIRE(size);
  return *size;
}

/// A plan that has only inputs, of these shapes: "x", "y" and so on.
static Plan inputsOnly(const std::vector<std::vector<std::string>> &shapes) {
  Plan plan;
  for (const std::vector<std::string> &shape : shapes) {
    NamedType input{std::string(1, static_cast<char>('x' + plan.inputs.size())), {}};
    for (const std::string &text : shape) {
      input.type.shape.push_back(sizeOf(text));
    }
    plan.inputs.push_back(std::move(input));
  }
  return plan;
}

/// "N = 3, M = 4" or the message of a Usage error.
static std::string solved(const Plan &plan, const std::vector<std::optional<Shape>> &shapes,
                          const dim::Bindings &given = {}) {
  auto sizes = solveSizes(plan, shapes, given);
  if (!sizes) {
    CHECK(sizes.error().code() == ErrorCode::Usage);
    CHECK(sizes.error().message().find('\n') == std::string::npos);
    return sizes.error().message();
  }
  std::string text;
  for (const auto &[name, value] : *sizes) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

TEST_CASE("sizes come from axes of inputs", "[bind]") {
  CHECK(solved(inputsOnly({{"N", "3"}, {"M", "N"}}), {Shape{2, 3}, Shape{5, 2}}) == "M = 5, N = 2");
  CHECK(solved(inputsOnly({{"2 * N + 1"}}), {Shape{7}}) == "N = 3");
  CHECK(solved(inputsOnly({{"N + M"}, {"2 * M"}}), {Shape{7}, Shape{4}}) == "M = 2, N = 5");
  CHECK(solved(inputsOnly({{"N * M"}, {"M"}}), {Shape{6}, Shape{3}}) == "M = 3, N = 2");
  CHECK(solved(inputsOnly({{"floordiv(N, 2)"}, {"N"}}), {Shape{2}, Shape{5}}) == "N = 5");
  CHECK(solved(inputsOnly({{"N"}, {"N", "M"}}), {Shape{0}, Shape{0, 1}}) == "M = 1, N = 0");
  CHECK(solved(inputsOnly({{"N"}, {"M"}}), {Shape{4}, std::nullopt}, {{"M", 9}}) == "M = 9, N = 4");
}

TEST_CASE("an axis of another size is named with where the size comes from", "[bind]") {
  CHECK(solved(inputsOnly({{"N", "3"}, {"N"}}), {Shape{3, 3}, Shape{5}}) ==
        "input 'y' has size 5 at axis 0, but 3 is needed: axis 0 of input 'x' is 3 (both are N)");
  CHECK(solved(inputsOnly({{"2 * N"}, {"N"}}), {Shape{6}, Shape{4}}) ==
        "input 'x' has size 6 at axis 0, but 8 is needed: it is 2 * N, N is 4 (axis 0 of input "
        "'y')");
  CHECK(solved(inputsOnly({{"N", "3"}}), {Shape{3, 4}}) ==
        "input 'x' has size 4 at axis 1, but 3 is needed");
  CHECK(solved(inputsOnly({{"N"}}), {Shape{3}}, {{"N", 4}}) ==
        "input 'x' has size 3 at axis 0, but 4 is needed: --dim N=4");
  CHECK(solved(inputsOnly({{"2 * N"}}), {Shape{5}}) ==
        "input 'x' has size 5 at axis 0, but no N makes it 2 * N");
  CHECK(solved(inputsOnly({{"N + 4"}}), {Shape{3}}) ==
        "input 'x' has size 3 at axis 0, but no N makes it N + 4");
  CHECK(solved(inputsOnly({{"N"}}), {Shape{3, 4}}) == "input 'x' has 2 axes, but f32[N] has 1");
}

TEST_CASE("sizes that nothing determines are named, and given ones are checked", "[bind]") {
  CHECK(solved(inputsOnly({{"N * N"}, {"M"}}), {Shape{9}, std::nullopt}) ==
        "no input says what M, N are: give --dim M=SIZE,N=SIZE");
  CHECK(solved(inputsOnly({{"N"}}), {Shape{3}}, {{"K", 4}}) ==
        "--dim K=4: the plan has no size K: it has N");
  CHECK(solved(inputsOnly({{"3"}}), {Shape{3}}, {{"K", 4}}) ==
        "--dim K=4: the plan has no size K: it has none");
  CHECK(solved(inputsOnly({{"N"}}), {std::nullopt}, {{"N", -1}}) ==
        "--dim N=-1: a size is at least 0 and at most 2^58");
  Plan plan = inputsOnly({{"N"}});
  plan.outputs = {{"o", {DType::F32, {sizeOf("N + K")}}}};
  auto bound = rt::bind(plan, {{"N", 3}});
  REQUIRE_FALSE(bound);
  CHECK(bound.error().message() == "no input says what K is: give --dim K=SIZE");
}

TEST_CASE("a bound plan is static", "[bind]") {
  Plan plan = symbolicPlan();
  CHECK(plan.isSymbolic());
  CHECK(plan.toText().find("kernel add_rows tasks (N) scratch 64 dims N, 2 * N\n") !=
        std::string::npos);
  CHECK(plan.toText().find("arena1 (12 * N) bytes, steps 1 to 1\n") != std::string::npos);
  auto bound = rt::bind(plan, {{"N", 100}});
  REQUIRE(bound);
  CHECK_FALSE(bound->isSymbolic());
  CHECK(toString(bound->outputs[0].type) == "f32[100,3]");
  CHECK(bound->kernels[0].numTasks == 100);
  CHECK(bound->kernels[0].dims == std::vector<int64_t>{100, 200});
  CHECK(bound->arenaBytes == 2 * alignUp(1200));
  CHECK(bound->plannedBytes(2) == 2 * alignUp(1200) + 1200 + 2 * 64);
  CHECK(bound->steps[1].ports[2].offset == alignUp(1200));
  CHECK(bound->steps[1].ports[2].bytes == 1200);
  plan.lifetimes[0].last = 0; // then the second buffer takes the place of the first
  bound = rt::bind(plan, {{"N", 100}});
  REQUIRE(bound);
  CHECK(bound->arenaBytes == alignUp(1200));
}

TEST_CASE("estimated times grow with the bytes of a launch", "[bind]") {
  Plan plan = symbolicPlan();
  plan.kernels[0].picoseconds = 64'000;
  auto bound = rt::bind(plan, {{"N", 640}});
  REQUIRE(bound);
  CHECK(bound->kernels[0].picoseconds == Approx(640'000).epsilon(0.01));
}

TEST_CASE("what a plan must not be bound to", "[bind]") {
  auto answer = [](const Plan &plan, int64_t n) {
    auto bound = rt::bind(plan, {{"N", n}});
    return bound ? std::string("bound")
                 : fmt::format("{} {}", static_cast<int>(bound.error().code()),
                               bound.error().message());
  };
  Plan plan = symbolicPlan();
  CHECK(answer(plan, 1000) == "bound");
  CHECK(answer(plan, 1001) ==
        "2 conv1: convolution needs -N + 1000 >= 0, which is not so at N = 1001");
  plan.guards.clear();
  CHECK(answer(plan, int64_t(1) << 50).starts_with("8 'x' is f32[1125899906842624,3], over 2^48"));
  CHECK(answer(plan, int64_t(1) << 57).starts_with("8 'x' is"));
  CHECK(answer(plan, int64_t(1) << 44).starts_with("8 buffers of more than"));
  plan.outputs[0].type.shape[0] = sizeOf("N - 4");
  CHECK(answer(plan, 3) == "2 'z' has size -1 at axis 0: it is N - 4 at N = 3");
  CHECK(answer(plan, 9).starts_with(
      "3 malformed (bytes 0 to 108 of 60 in a launch of add_rows at N = 9): make the plan again"));
  plan = symbolicPlan();
  plan.kernels[0].numTasks = sizeOf("N - 4");
  CHECK(answer(plan, 3).starts_with("3 malformed (-1 tasks at N = 3, N - 4)"));
  plan = symbolicPlan();
  plan.steps[0].ports[2].index = 2;
  CHECK(answer(plan, 3).starts_with("3 malformed (bytes 0 to 36 of 0"));
  plan = symbolicPlan();
  plan.steps[0].ports[0].offset = static_cast<uint64_t>(sizeOf("N"));
  CHECK(answer(plan, 3).starts_with("3 malformed (bytes 3 to 39 of 36"));
}

static Tensor filled(int64_t rows, double value) {
  Tensor tensor = Tensor::zeros({DType::F32, {rows, 3}});
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    tensor.setDouble(i, value + static_cast<double>(i));
  }
  return tensor;
}

TEST_CASE("one executor runs every size", "[executor]") {
  for (int threads : {1, 3}) {
    auto executor = Executor::load(symbolicPlan(), {threads, 0});
    REQUIRE(executor);
    CHECK((*executor)->boundPlan().isSymbolic());
    const Launch *last = nullptr;
    for (int64_t rows : {2, 100, 1, 0, 7, 7, 1000}) {
      auto outputs = (*executor)->runTimed(std::array{filled(rows, 1), filled(rows, 2)});
      REQUIRE(outputs);
      REQUIRE(outputs->front().shape() == Shape{rows, 3});
      for (int64_t i = 0; i < rows * 3; ++i) {
        REQUIRE(outputs->front().asDouble(i) == 2.0 * static_cast<double>(3 + 2 * i));
      }
      // The same sizes again are no work.
      bool again = rows == 7 && last != nullptr;
      CHECK(((*executor)->boundPlan().steps.data() == last) == again);
      last = rows == 7 ? (*executor)->boundPlan().steps.data() : nullptr;
    }
    CHECK((*executor)->plan().isSymbolic());
    CHECK((*executor)->stepTimes()[2].runs == 7);
  }
}

TEST_CASE("sizes that cannot be run are refused, and others run after them", "[executor]") {
  auto executor = Executor::load(symbolicPlan(), {1, 8192});
  REQUIRE(executor);
  auto answer = [&](const Tensor &x, const Tensor &y) {
    auto outputs = (*executor)->run(std::array{x, y});
    return outputs ? "ran" : outputs.error().message();
  };
  CHECK(answer(filled(4, 0), filled(4, 0)) == "ran");
  CHECK(answer(filled(1000, 0), filled(1000, 0)) ==
        "running the plan needs 35.3 KiB, but --memory-limit allows 8.0 KiB: use a machine with "
        "more memory or raise the limit");
  CHECK(answer(filled(4, 0), filled(4, 0)) == "ran");
  CHECK(answer(filled(4, 0), filled(5, 0)) ==
        "input 'y' has size 5 at axis 0, but 4 is needed: axis 0 of input 'x' is 4 (both are N)");
  CHECK(answer(filled(2000, 0), filled(2000, 0)) ==
        "conv1: convolution needs -N + 1000 >= 0, which is not so at N = 2000");
  CHECK(answer(filled(4, 0), Tensor::zeros({DType::F64, {4, 3}})) ==
        "input y has type f64[4,3], the program expects f32[N,3]");
  CHECK(answer(filled(4, 0), Tensor::zeros({DType::F32, {12}})) ==
        "input y has type f32[12], the program expects f32[N,3]");
  CHECK(answer(filled(9, 0), filled(9, 0)) == "ran");
}
