// Custom kernels that are given sizes: on the host, in files, and on GPUs.
#include "runtime/exec/Executor.h"
#include "runtime/plan/GpuPlan.h"
#include "runtime/plan/PlanFile.h"
#include "test/unit/fixtures/SavedPlan.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using namespace zyxc::rt;
using zyxc::test::SavedPlan;

TEST_CASE("custom kernels of the host find their sizes behind the addresses", "[plan file]") {
  for (int64_t count : {4, 2}) {
    SavedPlan saved;
    saved.makeCustom(count);
    CHECK(test::contentOf(saved.write())[8] == 4); // older runtimes give no sizes
    auto file = PlanFile::open(saved.folder.file("plan.zyxp"));
    REQUIRE(file);
    auto loaded = file->load(0);
    REQUIRE(loaded);
    CHECK(loaded->plan.kernels[1].dims == std::vector<int64_t>{count});
    auto executor = Executor::load(loaded->plan, {1, 0, {}, {ZYXC_CUSTOM_KERNELS}});
    REQUIRE(executor);
    std::array<float, 4> x = {1, 2, 3, 4};
    Tensor input = Tensor::allocate({DType::F32, {4}});
    std::copy_n(reinterpret_cast<const std::byte *>(x.data()), sizeof x, input.mutableData());
    auto outputs = (*executor)->run(std::array{input});
    REQUIRE(outputs);
    for (int64_t i = 0; i < count; ++i) {
      CHECK((*outputs)[0].asDouble(i) == 2 * x[static_cast<size_t>(i)]);
      CHECK((*outputs)[1].asDouble(i) == x[static_cast<size_t>(i)] * x[static_cast<size_t>(i)]);
    }
  }
}

TEST_CASE("without sizes a custom kernel keeps its version", "[plan file]") {
  SavedPlan saved;
  saved.makeCustom(4);
  saved.plan.kernels[1].dims.clear();
  CHECK(test::contentOf(saved.write())[8] == 3);
}

TEST_CASE("custom kernels of GPUs are given the dims of the plan", "[gpu plan]") {
  Plan plan;
  plan.kernels.resize(2);
  plan.kernels[0].dims = {7, 5};
  GpuCode code;
  code.kernel.image = "ptx";
  GpuDeviceInfo device;
  device.target = "sm_90";
  auto chosen = chooseCodes(plan, {{code}, {code}}, device);
  REQUIRE(chosen);
  CHECK(chosen->kernels[0].sizes == std::vector<uint64_t>{7, 5});
  CHECK(chosen->kernels[1].sizes.empty());
}

TEST_CASE("a file with sizes for a kernel of a GPU is of version 4", "[gpu plan]") {
  SavedPlan saved;
  GpuCode code;
  code.form = GpuCodeForm::Spirv;
  code.kernel.image = std::string("add\0", 4);
  code.kernel.launches = {GpuLaunch{"main", {1, 1, 1}, 64, 0}};
  for (bool given : {false, true}) {
    saved.plan.kernels[0].dims = given ? std::vector<int64_t>{3} : std::vector<int64_t>();
    plan::SavedProgram program;
    program.target = {"vulkan:1.2", {"vulkan1.2"}, 0, PlanKind::Vulkan};
    program.plan = &saved.plan;
    plan::addGpuCode({{code}}, program);
    std::string path = saved.write(std::span(&program, 1));
    CHECK(test::contentOf(path)[8] == (given ? 4 : 1));
    CHECK(PlanFile::open(path));
  }
}
