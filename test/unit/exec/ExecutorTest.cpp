// The executor on hand-made plans: spaces, prepare steps, tasks, limits.
#include "runtime/exec/Executor.h"
#include "runtime/support/Memory.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using namespace zyxc::rt;

/// y[i] = x[i] + w[i] for the tasks' elements.
static void addKernel(const uint64_t *args, int64_t lo, int64_t hi) {
  const auto *x = reinterpret_cast<const float *>(args[0]);
  const auto *w = reinterpret_cast<const float *>(args[1]);
  auto *y = reinterpret_cast<float *>(args[2]);
  auto *scratch = reinterpret_cast<float *>(args[3]);
  for (int64_t i = lo; i < hi; ++i) {
    scratch[0] = x[i] + w[i]; // each thread has its own
    y[i] = scratch[0];
  }
}

/// A plan of y = (x + c) + 2c: c constant, 2c made once at load, the sum x + c in the arena.
static Plan twoStepPlan(int64_t n) {
  TensorType type{DType::F32, {n}};
  uint64_t bytes = type.byteSize();
  Tensor c = Tensor::allocate(type);
  for (int64_t i = 0; i < n; ++i) {
    c.setDouble(i, static_cast<double>(i));
  }
  Plan plan;
  plan.inputs = {{"x", type}};
  plan.outputs = {{"y", type}};
  plan.constants = {c};
  plan.kernels = {{"add", addKernel, n, 64}};
  BufferRef constant{Space::Constant, 0, 0, bytes};
  BufferRef twice{Space::Prepared, 0, 256, bytes};
  BufferRef sum{Space::Arena, 0, 512, bytes};
  plan.prepare = {{0, {constant, constant, twice}, "double"}};
  plan.steps = {{0, {{Space::Input, 0, 0, bytes}, constant, sum}, "first"},
                {0, {sum, twice, {Space::Output, 0, 0, bytes}}, "second"}};
  plan.arenaBytes = 512 + bytes;
  plan.preparedBytes = 256 + bytes;
  return plan;
}

TEST_CASE("a plan runs the same on any number of threads", "[executor]") {
  for (int threads : {1, 2, 3, 7}) {
    auto executor = Executor::load(twoStepPlan(100), {threads, 0});
    REQUIRE(executor);
    Tensor x = Tensor::zeros({DType::F32, {100}});
    for (int round = 0; round < 3; ++round) {
      x.setDouble(5, round);
      auto outputs = (*executor)->run(std::array{x});
      REQUIRE(outputs);
      REQUIRE(outputs->front().asDouble(5) == 15 + round);
      REQUIRE(outputs->front().asDouble(99) == 297);
    }
  }
}

TEST_CASE("a plan above the memory limit is refused before it is allocated", "[executor]") {
  auto executor = Executor::load(twoStepPlan(1 << 20), {1, 1 << 20});
  REQUIRE_FALSE(executor);
  REQUIRE(executor.error().code() == ErrorCode::OutOfMemory);
  REQUIRE(executor.error().message().find("--memory-limit") != std::string::npos);
  Plan huge = twoStepPlan(4);
  huge.arenaBytes = 1ull << 50;
  executor = Executor::load(std::move(huge), {1, 0});
  REQUIRE_FALSE(executor);
  REQUIRE(executor.error().code() == ErrorCode::OutOfMemory);
}

TEST_CASE("wrong inputs are refused", "[executor]") {
  auto executor = Executor::load(twoStepPlan(4), {1, 0});
  REQUIRE(executor);
  auto none = (*executor)->run({});
  REQUIRE_FALSE(none);
  REQUIRE(none.error().code() == ErrorCode::Usage);
  auto wrong = (*executor)->run(std::array{Tensor::zeros({DType::F64, {4}})});
  REQUIRE_FALSE(wrong);
  REQUIRE(wrong.error().message().find("f64[4]") != std::string::npos);
}

TEST_CASE("step times are measured for each step", "[executor]") {
  auto executor = Executor::load(twoStepPlan(4), {1, 0});
  REQUIRE(executor);
  REQUIRE((*executor)->runTimed(std::array{Tensor::zeros({DType::F32, {4}})}));
  REQUIRE((*executor)->stepTimes().size() == 2);
  REQUIRE((*executor)->stepTimes()[1].label == "second");
  REQUIRE((*executor)->stepTimes()[1].runs == 1);
}

TEST_CASE("byte counts are read and printed", "[memory]") {
  REQUIRE(parseBytes("1500") == 1500);
  REQUIRE(parseBytes("64K") == 65536);
  REQUIRE(parseBytes("512MiB") == 512ull << 20);
  REQUIRE(parseBytes("2GB") == 2ull << 30);
  for (const char *bad : {"", "G", "-1", "1.5G", "12X", "99999999999T", "1 G"}) {
    REQUIRE_FALSE(parseBytes(bad));
  }
  REQUIRE(formatBytes(1536) == "1.5 KiB");
  REQUIRE(formatBytes(12) == "12 B");
  REQUIRE(availableMemory() > 0);
}
