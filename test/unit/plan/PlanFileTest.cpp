// Saved plans: what is written is what is read and run, and which target of a file runs.
#include "runtime/plan/PlanFile.h"
#include "runtime/exec/Executor.h"
#include "test/unit/fixtures/SavedPlan.h"
#include <catch2/catch.hpp>
#include <cstdlib>

using namespace zyxc;
using namespace zyxc::rt;
using zyxc::test::SavedPlan;

static PlanFile openPlan(const std::string &path) {
  auto file = PlanFile::open(path);
  INFO((file ? std::string() : file.error().message()));
  REQUIRE(file);
  return *std::move(file);
}

/// Runs target `target` of a file on x.
static int64_t runOn(const PlanFile &file, size_t target, int64_t x) {
  auto loaded = file.load(target);
  REQUIRE(loaded);
  auto executor = Executor::load(loaded->plan, {1, 0});
  REQUIRE(executor);
  auto outputs = (*executor)->run(std::array{Tensor::scalarInt(DType::I32, x).withShape({1})});
  REQUIRE(outputs);
  return outputs->front().asInt(0);
}

#if defined(__x86_64__)
TEST_CASE("a saved plan runs from its file", "[plan file]") {
  SavedPlan saved;
  PlanFile file = openPlan(saved.write());
  CHECK(file.inputs().front().name == "x");
  CHECK(toString(file.outputs().front().type) == "i32[1]");
  CHECK(file.target(0).name == "cpu:test");
  auto chosen = file.choose(CpuFeatures::detect());
  REQUIRE(chosen);
  CHECK(runOn(file, *chosen, 5) == 5 + 3 * 7);
  CHECK(runOn(file, *chosen, -1) == -1 + 3 * 7); // loaded a second time
}

TEST_CASE("a loaded plan outlives its file object, and is the plan that was saved", "[plan file]") {
  SavedPlan saved;
  LoadedPlan loaded;
  {
    auto result = openPlan(saved.write()).load(0);
    REQUIRE(result);
    loaded = *std::move(result);
  }
  CHECK(loaded.plan.toText() == saved.plan.toText());
  CHECK(loaded.plan.constants.front().identical(saved.plan.constants.front()));
  CHECK(reinterpret_cast<uintptr_t>(loaded.plan.constants.front().data()) % 64 == 0);
  CHECK(reinterpret_cast<uintptr_t>(loaded.plan.kernels.front().entry) % planPageBytes == 16);
}

TEST_CASE("a symbolic plan runs from its file at every size", "[plan file]") {
  SavedPlan saved;
  saved.makeSymbolic();
  PlanFile file = openPlan(saved.write());
  CHECK(toString(file.inputs().front().type) == "i32[N]");
  auto loaded = file.load(0);
  REQUIRE(loaded);
  CHECK(loaded->plan.toText() == saved.plan.toText());
  auto executor = Executor::load(loaded->plan, {2, 0});
  REQUIRE(executor);
  for (int64_t n : {1, 5, 0, 1000}) {
    Tensor x = Tensor::zeros({DType::I32, {n}});
    for (int64_t i = 0; i < n; ++i) {
      x.setInt(i, i);
    }
    auto outputs = (*executor)->run(std::array{x});
    REQUIRE(outputs);
    REQUIRE(outputs->front().shape() == Shape{n});
    for (int64_t i = 0; i < n; ++i) {
      REQUIRE(outputs->front().asInt(i) == 3 * i);
    }
  }
}
#endif

TEST_CASE("files are of the first format that has what is in them", "[plan file]") {
  SavedPlan saved;
  std::string fixed = test::contentOf(saved.write());
  CHECK(fixed[8] == 1);
  CHECK(fixed.find("2 * N") == std::string::npos);
  saved.makeSymbolic();
  std::string symbolic = test::contentOf(saved.write());
  CHECK(symbolic[8] == 2);
  CHECK(symbolic.find("4 * N") != std::string::npos); // bytes, once
  CHECK(symbolic.find("4 * N") == symbolic.rfind("4 * N"));
  CHECK(test::contentOf(saved.write()) == symbolic);
}

TEST_CASE("the same plans give the same bytes, equal constants once", "[plan file]") {
  SavedPlan saved;
  std::string first = test::contentOf(saved.write());
  CHECK(test::contentOf(SavedPlan().write()) == first);
  std::vector<plan::SavedProgram> programs(3, saved.program);
  for (plan::SavedProgram &program : programs) {
    program.plan = &saved.plan;
  }
  Tensor big = Tensor::zeros({DType::F32, {5000}});
  saved.plan.constants.push_back(big);
  saved.plan.constants.push_back(Tensor::zeros({DType::F32, {5000}}));
  std::string several = test::contentOf(saved.write(programs));
  CHECK(several.size() > big.byteSize());
  CHECK(several.size() < 2 * big.byteSize());
  PlanFile file = openPlan(saved.folder.file("plan.zyxp"));
  CHECK(file.numTargets() == 3);
  auto loaded = file.load(2);
  REQUIRE(loaded);
  REQUIRE(loaded->plan.constants.size() == 3);
  CHECK(loaded->plan.constants[1].data() == loaded->plan.constants[2].data());
  CHECK(loaded->plan.constants[2].identical(big));
}

TEST_CASE("empty lists, wherever they come to stand, are read", "[plan file]") {
  for (size_t length = 0; length < 16; ++length) { // moves what follows in the header
    SavedPlan saved;
    std::string name(length, 'n');
    saved.plan.inputs = {{name, {DType::F32, {}}}, {"x", {DType::I32, {1}}}};
    saved.plan.outputs.push_back({name + name, {DType::I64, {}}});
    saved.plan.constants.push_back(Tensor::scalarInt(DType::I8, 3));
    saved.plan.steps = {{0, {}, name}};
    PlanFile file = openPlan(saved.write());
    CHECK(file.inputs().front().name == name);
    CHECK(file.inputs().front().type.shape.empty());
    auto loaded = file.load(0);
    REQUIRE(loaded);
    CHECK(loaded->plan.steps.front().ports.empty());
    CHECK(loaded->plan.constants.back().asInt(0) == 3);
  }
}

TEST_CASE("the target that runs is the best that the processor can execute", "[plan file]") {
  SavedPlan saved;
  std::vector<plan::SavedProgram> programs(4, saved.program);
  programs[0].target = {"cpu:a", {"avx"}, 256};
  programs[1].target = {"cpu:b", {"avx", "avx2"}, 256};
  programs[2].target = {"cpu:c", {"avx", "avx512f"}, 512};
  programs[3].target = {"cpu:d", {"avx2", "fma"}, 256};
  for (plan::SavedProgram &program : programs) {
    program.plan = &saved.plan;
  }
  PlanFile file = openPlan(saved.write(programs));
  auto choice = [&](std::vector<std::string> features, std::string_view name = {}) {
    auto chosen = file.choose(CpuFeatures(std::move(features)), name);
    return chosen ? std::string(file.target(*chosen).name) : chosen.error().message();
  };
  CHECK(choice({"avx"}) == "cpu:a");
  CHECK(choice({"avx", "avx2", "fma"}) == "cpu:b"); // the first of equals
  CHECK(choice({"fma", "avx512f", "avx2", "avx"}) == "cpu:c");
  CHECK(choice({"fma", "avx512f", "avx2", "avx"}, "cpu:a") == "cpu:a");
  std::string none = choice({"sse2"});
  CHECK(none.ends_with("plan.zyxp: no code in the file runs on this processor: cpu:a needs avx; "
                       "cpu:b needs avx, avx2; cpu:c needs avx, avx512f; cpu:d needs avx2, fma; it "
                       "has sse2: compile the model for another --target"));
  CHECK(file.choose(CpuFeatures({"sse2"})).error().code() == ErrorCode::Device);
  CHECK(choice({"avx"}, "cpu:c").find("cpu:c needs avx512f; it has avx") != std::string::npos);
  CHECK(choice({"avx"}, "cpu:e")
            .ends_with("the file has no target 'cpu:e': it has cpu:a, cpu:b, cpu:c, cpu:d"));
  CHECK(file.choose(CpuFeatures({"avx"}), "cpu:e").error().code() == ErrorCode::Usage);
}

TEST_CASE("code that calls a function that the runtime has not is refused", "[plan file]") {
  SavedPlan saved;
  saved.program.code.resize(planPageBytes + 8);
  saved.program.layout.slots = {{"no_such", planPageBytes}};
  auto loaded = openPlan(saved.write()).load(0);
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().code() == ErrorCode::Device);
  CHECK(loaded.error().message().find("calls 'no_such'") != std::string::npos);
}

TEST_CASE("a plan may exceed 2 GiB", "[plan file]") {
  if (!std::getenv("ZYXC_LONG_TESTS")) {
    WARN("skipped: writes 2.1 GiB, in the long mode only");
    return;
  }
  SavedPlan saved;
  constexpr int64_t big = (int64_t(1) << 31) + 100'000'001;
  Tensor last = Tensor::scalarInt(DType::I32, 123);
  saved.plan.constants.push_back(Tensor::zeros({DType::I8, {big}}));
  saved.plan.constants.push_back(last);
  auto loaded = openPlan(saved.write()).load(0);
  REQUIRE(loaded);
  CHECK(loaded->plan.constants[1].byteSize() == big);
  CHECK(loaded->plan.constants[2].identical(last));
  CHECK(loaded->plan.constants[2].data() - loaded->plan.constants[1].data() > big);
}
