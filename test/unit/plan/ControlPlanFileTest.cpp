// Saved plans with bodies, written inputs and custom kernels: written, read, run and refused.
#include "runtime/exec/Executor.h"
#include "runtime/plan/PlanFile.h"
#include "test/unit/fixtures/SavedPlan.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using namespace zyxc::rt;
using zyxc::test::SavedPlan;

static LoadedPlan loadPlan(const SavedPlan &saved) {
  auto file = PlanFile::open(saved.write());
  INFO((file ? std::string() : file.error().message()));
  REQUIRE(file);
  auto loaded = file->load(0);
  REQUIRE(loaded);
  return *std::move(loaded);
}

static Tensor numberOf(int64_t value) {
  return Tensor::scalarInt(DType::I32, value).withShape({1});
}

#if defined(__x86_64__)
TEST_CASE("a plan with bodies and a written input runs from its file", "[plan file]") {
  SavedPlan saved;
  saved.makeControl();
  LoadedPlan loaded = loadPlan(saved);
  CHECK(loaded.plan.toText() == saved.plan.toText());
  for (int threads : {1, 2}) {
    auto executor = Executor::load(loaded.plan, {threads, 0});
    REQUIRE(executor);
    Tensor state = numberOf(1000);
    auto run = [&](int64_t x, bool first) {
      auto outputs =
          (*executor)->run(std::array{numberOf(x), Tensor::scalarInt(DType::Bool, first), state});
      REQUIRE(outputs);
      std::vector<int64_t> values = {outputs->front().asInt(0)};
      for (int64_t i = 0; i < 3; ++i) {
        values.push_back(outputs->back().asInt(i));
      }
      return values;
    };
    CHECK(run(5, true) == std::vector<int64_t>{2 * (5 + 3 * 7), 28, 28, 28});
    CHECK(run(6, false) == std::vector<int64_t>{6 + 7, 0, 0, 0});
    CHECK(state.asInt(0) == 1011);
  }
}
#endif

TEST_CASE("bodies share the weights and the code of their plan", "[plan file]") {
  SavedPlan saved;
  saved.makeControl();
  Tensor big = Tensor::zeros({DType::F32, {5000}});
  saved.plan.constants = {big};
  for (Plan &body : saved.plan.bodies) {
    body.constants.push_back(big);
  }
  std::string bytes = test::contentOf(saved.write());
  CHECK(bytes[8] == 3);
  CHECK(bytes.size() > big.byteSize());
  CHECK(bytes.size() < 2 * big.byteSize());
  CHECK(test::contentOf(saved.write()) == bytes);
  LoadedPlan loaded = loadPlan(saved);
  for (const Plan &body : loaded.plan.bodies) {
    CHECK(body.constants.back().data() == loaded.plan.constants[0].data());
    CHECK(body.kernels[0].entry == loaded.plan.kernels[0].entry);
  }
  CHECK(loaded.plan.bodies[0].constants.front().asInt(0) == 7);
}

TEST_CASE("a plan with a custom kernel needs the library that has it", "[plan file]") {
  SavedPlan saved;
  saved.plan.kernels.emplace_back();
  saved.plan.kernels[1].name = "custom1";
  saved.plan.kernels[1].symbol = "zyxc_test_triple";
  TensorType type{DType::I64, {1}};
  saved.plan.inputs = {{"x", type}};
  saved.plan.outputs = {{"y", type}};
  saved.plan.steps = {{1, {{Space::Input, 0, 0, 8}, {Space::Output, 0, 0, 8}}, "custom"}};
  saved.program.layout.kernels.push_back({});
  CHECK(test::contentOf(saved.write())[8] == 3);
  LoadedPlan loaded = loadPlan(saved);
  CHECK(loaded.plan.toText() == saved.plan.toText());
  CHECK(loaded.plan.kernels[1].entry == nullptr);
  auto without = Executor::load(loaded.plan, {1, 0});
  REQUIRE_FALSE(without);
  CHECK(without.error().code() == ErrorCode::Usage);
  auto executor = Executor::load(loaded.plan, {1, 0, {}, {ZYXC_CUSTOM_KERNELS}});
  REQUIRE(executor);
  auto outputs = (*executor)->run(std::array{Tensor::fromInts(std::array<int64_t, 1>{14})});
  REQUIRE(outputs);
  CHECK(outputs->front().asInt(0) == 42);
}

TEST_CASE("files of older versions have the bytes that they had", "[plan file]") {
  SavedPlan saved;
  auto checksum = [&] {
    std::string bytes = test::contentOf(saved.write());
    return planChecksum(std::as_bytes(std::span(bytes)));
  };
  CHECK(checksum() == 0x6f5a28e7); // of the writers that knew these versions only
  saved.makeSymbolic();
  CHECK(checksum() == 0x2eddb85b);
}

TEST_CASE("a written input alone makes a file of version 3", "[plan file]") {
  SavedPlan saved;
  CHECK(test::contentOf(saved.write())[8] == 1);
  saved.plan.inputs[0].written = true;
  CHECK(test::contentOf(saved.write())[8] == 3);
  CHECK(loadPlan(saved).plan.inputs[0].written);
}

/// Puts a loop around the plan's step 0, so that it is a body.
static void nest(SavedPlan &saved) {
  TensorType type{DType::I32, {1}}, flag{DType::Bool, {}};
  Plan body = saved.plan;
  body.inputs = {{"i", {DType::I64, {}}}, {"acc", type}};
  body.outputs = {{"again", flag}, {"acc", type}};
  std::vector<BufferRef> &ports = body.steps[0].ports;
  ports[1].index = ports.back().index = 1;
  Plan plan;
  plan.inputs = {{"x", type}};
  plan.outputs = {{"y", type}};
  plan.constants = {Tensor::scalarInt(DType::Bool, 1)};
  plan.kernels.emplace_back();
  plan.kernels[0].name = "loop";
  plan.kernels[0].control = {Control::Kind::Loop, {0}, 1, 1};
  BufferRef go{Space::Constant, 0, 0, 1}, x{Space::Input, 0, 0, 4}, y{Space::Output, 0, 0, 4};
  plan.steps = {{0, {go, x, y}, "loop"}};
  plan.bodies = {std::move(body)};
  saved.plan = std::move(plan);
  saved.program.layout.kernels.insert(saved.program.layout.kernels.begin(), KernelOffsets{});
}

TEST_CASE("bodies nest up to a depth", "[plan file]") {
  SavedPlan saved;
  Plan &plan = saved.plan;
  BufferRef x{Space::Input, 0, 0, 4}, w{Space::Constant, 0, 0, 4}, y{Space::Output, 0, 0, 4};
  plan.steps = {{0, {w, x, y}, "add"}};
  plan.prepare.clear();
  for (int depth = 1; depth <= mostPlanDepth; ++depth) {
    nest(saved);
    INFO(depth);
    CHECK(loadPlan(saved).plan.toText() == plan.toText());
  }
  nest(saved);
  auto file = PlanFile::open(saved.write());
  REQUIRE_FALSE(file);
  CHECK(file.error().code() == ErrorCode::Input);
}

namespace {
/// What a plan must not say, and what the reader says of it.
struct BadPlan {
  const char *what;
  void (*change)(SavedPlan &saved);
};
} // namespace

static constexpr BadPlan table[] = {
    {"control 3", [](SavedPlan &s) { s.plan.kernels[1].control.kind = Control::Kind(3); }},
    {"kernel loop runs body 3 of 3", [](SavedPlan &s) { s.plan.kernels[1].control.bodies = {3}; }},
    {"body 1 is used 2 times", [](SavedPlan &s) { s.plan.kernels[2].control.bodies = {1, 1}; }},
    {"body 0 is used 0 times", [](SavedPlan &s) { s.plan.kernels[1] = s.plan.kernels[0]; }},
    {"body 3 is used 0 times", [](SavedPlan &s) { s.plan.bodies.emplace_back(); }},
    {"has -1 iterations", [](SavedPlan &s) { s.plan.kernels[1].control.limit = -1; }},
    {"size 8 of",
     [](SavedPlan &s) {
       s.plan.kernels[1].control.limit = -9;
       s.plan.kernels[0].dims = {dim::variable("N")};
     }},
    {"iterations", [](SavedPlan &s) { s.plan.kernels[1].control.limit = mostPlanTasks + 1; }},
    {"port 4 of kernel loop has 12 bytes of 16",
     [](SavedPlan &s) { s.plan.kernels[1].control.limit = 4; }},
    {"port 4 of kernel loop",
     [](SavedPlan &s) {
       s.plan.kernels[1].control.limit = mostPlanTasks;
       s.plan.bodies[0].outputs[2].type.shape = {1ll << 40};
     }},
    {"is not that of a loop", [](SavedPlan &s) { s.plan.kernels[1].control.numCarried = 99; }},
    {"is not that of a loop",
     [](SavedPlan &s) { s.plan.kernels[1].control.numCarried = uint32_t(-1); }},
    {"carried values", [](SavedPlan &s) { s.plan.bodies[0].inputs[1].type.dtype = DType::U32; }},
    {"has 4 ports of 5", [](SavedPlan &s) { s.plan.steps[0].ports.pop_back(); }},
    {"has 0 ports of 3", [](SavedPlan &s) { s.plan.steps[1].ports.clear(); }},
    {"writes port 3, which is only read",
     [](SavedPlan &s) { s.plan.steps[0].ports[3] = {Space::Input, 0, 0, 4}; }},
    {"writes port 2, which is only read",
     [](SavedPlan &s) {
       s.plan.constants = {s.plan.bodies[0].constants[0]};
       s.plan.steps[1].ports[2] = {Space::Constant, 0, 0, 4};
     }},
    {"writes port 2, which is only read",
     [](SavedPlan &s) { s.plan.bodies[0].inputs[2].written = true; }},
    {"output 0 is a written input", [](SavedPlan &s) { s.plan.outputs[0].written = true; }},
    {"output 1 is a written input",
     [](SavedPlan &s) { s.plan.bodies[0].outputs[1].written = true; }},
    {"kernel 1", [](SavedPlan &s) { s.program.layout.kernels[1].entry = 16; }},
    {"kernel 1", [](SavedPlan &s) { s.program.layout.kernels[4].entry = 10000; }},
    {"bodies and code", [](SavedPlan &s) { s.plan.kernels[1].symbol = "f"; }},
    {"buffer 3+0:4 of space 0", [](SavedPlan &s) { s.plan.bodies[0].steps[0].ports[0].index = 3; }},
    {"buffer 0+0:8 of space 2", [](SavedPlan &s) { s.plan.bodies[0].steps[0].ports[1].bytes = 8; }},
    {"of space 4, which has 3", [](SavedPlan &s) { s.plan.bodies[0].preparedBytes = 3; }},
    {"memory of", [](SavedPlan &s) { s.plan.bodies[2].arenaBytes = 1ull << 63; }},
    {"a launch of kernel 1 of 1", [](SavedPlan &s) { s.plan.bodies[1].steps[0].kernel = 1; }},
    {"used before a run",
     [](SavedPlan &s) { s.plan.bodies[0].prepare[0].ports[0] = {Space::Input, 1, 0, 4}; }},
    {"over 4096 bodies",
     [](SavedPlan &s) {
       s.plan.bodies.resize(4097);
       s.program.layout.kernels.resize(10000);
     }},
};

TEST_CASE("bodies that do not fit are found when the file is opened", "[plan file]") {
  for (const BadPlan &bad : table) {
    SavedPlan saved;
    saved.makeControl();
    bad.change(saved);
    INFO(bad.what);
    auto file = PlanFile::open(saved.write());
    REQUIRE_FALSE(file);
    INFO(file.error().message());
    CHECK(file.error().code() == ErrorCode::Input);
    CHECK(file.error().message().find(std::string("malformed (")) != std::string::npos);
    CHECK(file.error().message().find(bad.what) != std::string::npos);
  }
}

TEST_CASE("a loop of symbolic length in a file fits its sizes when they are bound", "[plan file]") {
  SavedPlan saved;
  saved.makeControl();
  int64_t n = dim::variable("N");
  saved.plan.outputs[1].type.shape = {n, 1};
  saved.plan.kernels[1].control.limit = n;
  saved.plan.steps[0].ports[4].bytes = static_cast<uint64_t>(dim::mul(n, 4));
  LoadedPlan loaded = loadPlan(saved);
  CHECK(loaded.plan.toText() == saved.plan.toText());
#if defined(__x86_64__)
  for (int64_t size : {2, 0, 500}) {
    auto executor = Executor::load(loaded.plan, {1, 0, {{"N", size}}});
    REQUIRE(executor);
    auto outputs =
        (*executor)->run(std::array{numberOf(1), Tensor::scalarInt(DType::Bool, 1), numberOf(0)});
    REQUIRE(outputs);
    CHECK(outputs->front().asInt(0) == 2 * (1 + 7 * size));
    CHECK(outputs->back().shape() == Shape{size, 1});
    CHECK((size == 0 || outputs->back().asInt(size - 1) == 28));
  }
#endif
}
