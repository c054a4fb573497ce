// Programs for GPUs in saved plans: what is written is read and run, which device runs what, and
// numbers that are not right are found.
#include "runtime/exec/GpuExecutor.h"
#include "runtime/plan/PlanFile.h"
#include "test/unit/fixtures/FakeGpu.h"
#include "test/unit/fixtures/SavedPlan.h"
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

using namespace zyxc;
using namespace zyxc::rt;
using zyxc::test::FakeGpu;
using zyxc::test::SavedPlan;

static GpuDeviceInfo vulkanDevice() {
  GpuDeviceInfo info;
  info.name = "fake";
  info.api = "Vulkan 1.3.230";
  info.target = "vulkan";
  info.sharedBytes = 32768;
  info.maxThreads = 256;
  info.subgroupSize = 32;
  info.memoryBytes = 1 << 20;
  return info;
}

static GpuDeviceInfo cudaDevice(std::string target) {
  GpuDeviceInfo info = vulkanDevice();
  info.api = "CUDA 13.0";
  info.target = std::move(target);
  info.runsCubins = true;
  return info;
}

/// Code "add", whose image has whole words.
static GpuCode codeOf(GpuCodeForm form, uint32_t subgroup = 0) {
  GpuCode code;
  code.form = form;
  code.subgroupSize = subgroup;
  code.kernel.image = std::string("add\0", 4);
  code.kernel.launches = {GpuLaunch{"main", {3, 2, 1}, 64, 0}};
  return code;
}

namespace {

/// A file with a program for a GPU: the plan of SavedPlan.
struct SavedGpuPlan : SavedPlan {
  SavedGpuPlan() : codes({{codeOf(GpuCodeForm::Spirv)}}) {
    target = {"vulkan:1.2", {"vulkan1.2", "threads64"}, 0, PlanKind::Vulkan};
  }

  plan::SavedProgram program() const {
    plan::SavedProgram result;
    result.target = target;
    result.plan = &plan;
    plan::addGpuCode(codes, result);
    return result;
  }
  std::string writeGpu() const {
    plan::SavedProgram one = program();
    return write(std::span(&one, 1));
  }

  PlanTarget target;
  GpuCodes codes;
};

} // namespace

static PlanFile openPlan(const std::string &path) {
  auto file = PlanFile::open(path);
  INFO((file ? std::string() : file.error().message()));
  REQUIRE(file);
  return *std::move(file);
}

static Tensor number(int64_t value) {
  return Tensor::scalarInt(DType::I32, value).withShape({1});
}

TEST_CASE("a plan for a GPU runs from its file", "[gpu plan]") {
  SavedGpuPlan saved;
  PlanFile file = openPlan(saved.writeGpu());
  CHECK(test::contentOf(saved.folder.file("plan.zyxp"))[8] == 1);
  CHECK(test::contentOf(saved.folder.file("plan.zyxp"))[12] == 1); // the minor version
  auto device = std::make_shared<FakeGpu>(vulkanDevice());
  auto chosen = file.choose(device->info(), "vulkan");
  REQUIRE(chosen);
  auto loaded = file.loadGpu(*chosen, device->info());
  REQUIRE(loaded);
  CHECK(loaded->plan.toText() == saved.plan.toText());
  CHECK(loaded->kernels.front().name == "add");
  CHECK(loaded->kernels.front().launches.front().grid == std::array<uint32_t, 3>{3, 2, 1});
  {
    auto executor = GpuExecutor::load(*std::move(loaded), device);
    REQUIRE(executor);
    CHECK(device->launches == 1); // prepared once
    CHECK(device->uploads == 1);  // the constant
    for (int64_t x : {5, -1}) {
      auto outputs = (*executor)->runTimed(std::array{number(x)});
      REQUIRE(outputs);
      CHECK(outputs->front().asInt(0) == x + 3 * 7);
    }
    CHECK(device->launches == 5);
    CHECK((*executor)->stepTimes().front().runs == 2);
    auto wrong = (*executor)->run(std::array{Tensor::zeros({DType::I32, {2}})});
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code() == ErrorCode::Usage);
  }
  CHECK(device->allocations() == 0);
}

TEST_CASE("a failed launch names kernel and node", "[gpu plan]") {
  SavedGpuPlan saved;
  GpuCode fails = codeOf(GpuCodeForm::Spirv);
  fails.kernel.image = "fail";
  saved.plan.kernels.push_back({.name = "fails"});
  saved.plan.steps[1].kernel = 1;
  saved.codes.push_back({fails});
  PlanFile file = openPlan(saved.writeGpu());
  auto device = std::make_shared<FakeGpu>(vulkanDevice());
  auto executor = GpuExecutor::load(*file.loadGpu(0, device->info()), device);
  REQUIRE(executor);
  auto outputs = (*executor)->run(std::array{number(1)});
  REQUIRE_FALSE(outputs);
  CHECK(outputs.error().code() == ErrorCode::Device);
  CHECK(outputs.error().message() == "kernel fails (second): the device was lost");
}

TEST_CASE("memory of a GPU plan is checked before it is allocated", "[gpu plan]") {
  SavedGpuPlan saved;
  PlanFile file = openPlan(saved.writeGpu());
  GpuDeviceInfo info = vulkanDevice();
  info.memoryBytes = 1000;
  auto device = std::make_shared<FakeGpu>(info);
  auto executor = GpuExecutor::load(*file.loadGpu(0, info), device);
  REQUIRE_FALSE(executor);
  CHECK(executor.error().code() == ErrorCode::OutOfMemory);
  CHECK(device->allocations() == 0);
}

TEST_CASE("host and GPU programs of a file share its weights", "[gpu plan]") {
  SavedGpuPlan saved;
  saved.plan.constants.push_back(Tensor::zeros({DType::F32, {5000}}));
  plan::SavedProgram host = saved.SavedPlan::program;
  host.plan = &saved.plan;
  std::vector<plan::SavedProgram> programs = {host, saved.program()};
  std::string path = saved.write(programs);
  CHECK(test::contentOf(path).size() < 2 * saved.plan.constants.back().byteSize());
  PlanFile file = openPlan(path);
  CHECK(file.has(PlanKind::X86));
  CHECK(file.has(PlanKind::Vulkan));
  CHECK_FALSE(file.has(PlanKind::Cuda));
  auto onHost = file.choose(CpuFeatures({"sse2"}));
  REQUIRE(onHost);
  CHECK(*onHost == 0);
  CHECK(*file.choose(vulkanDevice(), "vulkan:1.2") == 1);
  auto gpu = file.loadGpu(1, vulkanDevice());
  auto loaded = file.load(0);
  REQUIRE((gpu && loaded));
  CHECK(gpu->plan.constants.back().data() == loaded->plan.constants.back().data());
}

TEST_CASE("a file without the host's code says so", "[gpu plan]") {
  SavedGpuPlan saved;
  PlanFile file = openPlan(saved.writeGpu());
  auto chosen = file.choose(CpuFeatures({"sse2"}));
  REQUIRE_FALSE(chosen);
  CHECK(chosen.error().code() == ErrorCode::Usage);
  CHECK(chosen.error().message().ends_with("the file has no target 'cpu': it has vulkan:1.2"));
}

TEST_CASE("a device runs what has all that it needs", "[gpu plan]") {
  SavedGpuPlan saved;
  auto answer = [&](std::vector<std::string> needs, const GpuDeviceInfo &device) {
    saved.target.features = std::move(needs);
    auto chosen = openPlan(saved.writeGpu()).choose(device, "vulkan");
    return chosen ? "runs" : chosen.error().message();
  };
  GpuDeviceInfo device = vulkanDevice();
  CHECK(answer({"vulkan1.2", "threads256", "shared32768"}, device) == "runs");
  CHECK(answer({"vulkan1.4"}, device)
            .ends_with("no code in the file runs on fake (vulkan): vulkan:1.2 needs vulkan1.4: "
                       "compile the model for another --target"));
  for (const char *need : {"threads257", "shared32769", "float16", "float64", "int8", "int16",
                           "storage16", "infnan", "denormals", "sm_90", "ray-tracing"}) {
    INFO(need);
    CHECK(answer({need}, device) != "runs");
  }
  device.float16 = true;
  CHECK(answer({"float16", "storage16"}, device) == "runs");
}

TEST_CASE("the code that a device runs is chosen by its form and subgroups", "[gpu plan]") {
  auto chosen = [](std::vector<GpuCode> codes, const GpuDeviceInfo &device) {
    auto number = chooseCode(codes, device);
    return number ? static_cast<int>(*number) : -1;
  };
  GpuCode cubin = codeOf(GpuCodeForm::Cubin);
  cubin.architecture = "sm_80";
  GpuCode ptx = codeOf(GpuCodeForm::Ptx);
  CHECK(chosen({cubin, ptx}, cudaDevice("sm_80")) == 0);
  CHECK(chosen({cubin, ptx}, cudaDevice("sm_89")) == 0);  // of the same generation
  CHECK(chosen({cubin, ptx}, cudaDevice("sm_90a")) == 1); // assembled by the driver
  CHECK(chosen({cubin}, cudaDevice("sm_75")) == -1);
  cubin.architecture = "sm_90a";
  CHECK(chosen({cubin, ptx}, cudaDevice("sm_90a")) == 0);
  CHECK(chosen({cubin, ptx}, cudaDevice("sm_100")) == 1);
  GpuDeviceInfo simulator = cudaDevice("sm_90a");
  simulator.runsCubins = false;
  CHECK(chosen({cubin, ptx}, simulator) == 1);

  std::vector<GpuCode> subgroups = {codeOf(GpuCodeForm::Spirv, 64), codeOf(GpuCodeForm::Spirv, 32)};
  CHECK(chosen(subgroups, vulkanDevice()) == 1);
  GpuDeviceInfo other = vulkanDevice();
  other.subgroupSize = 16;
  CHECK(chosen(subgroups, other) == -1);
  CHECK(chooseCode(subgroups, other).error().message() ==
        "fake (subgroups of 16) runs no code of it: there is code for subgroups of 64 threads, "
        "code for subgroups of 32 threads");
  GpuCode loops = codeOf(GpuCodeForm::Spirv);
  loops.loopTurns = 70000;
  CHECK(chosen({loops}, other) == 0);
  other.maxLoopTurns = 65535;
  CHECK(chosen({loops}, other) == -1);
}

TEST_CASE("architectures and what runs on them", "[gpu plan]") {
  auto runs = [](const char *need, const char *device) {
    std::vector<std::string> needs = {need};
    return missingNeeds(needs, cudaDevice(device)).empty();
  };
  CHECK(runs("sm_80", "sm_80"));
  CHECK(runs("sm_80", "sm_120"));
  CHECK(runs("sm_90", "sm_90a"));
  CHECK_FALSE(runs("sm_90", "sm_89"));
  CHECK(runs("sm_90a", "sm_90a"));
  CHECK_FALSE(runs("sm_90a", "sm_100"));
  CHECK_FALSE(runs("vulkan1.2", "sm_90"));
  CHECK_FALSE(missingNeeds(std::vector<std::string>{"sm_75"}, vulkanDevice()).empty());
}

/// What a plan must not say, and what the reader says of it.
struct BadPlan {
  const char *what;
  void (*change)(SavedGpuPlan &saved);
};

TEST_CASE("numbers of GPU code that do not fit are found", "[gpu plan]") {
  static constexpr auto launchOf = [](SavedGpuPlan &s) -> GpuLaunch & {
    return s.codes[0][0].kernel.launches[0];
  };
  static constexpr auto makeCuda = [](SavedGpuPlan &s) {
    s.target.kind = PlanKind::Cuda;
    s.codes[0][0].form = GpuCodeForm::Ptx;
    launchOf(s).maps = {{0, 0, MapType::F16, {8, 8}, {16}, {8, 8}, 0}};
  };
  static constexpr BadPlan table[] = {
      {"code of 0 kernels of 1", [](SavedGpuPlan &s) { s.codes.clear(); }},
      {"code of 2 kernels of 1", [](SavedGpuPlan &s) { s.codes.push_back(s.codes[0]); }},
      {"code with 0 launches", [](SavedGpuPlan &s) { s.codes[0][0].kernel.launches.clear(); }},
      {"code with 1 launches", [](SavedGpuPlan &s) { s.codes[0][0].loopTurns = -1; }},
      {"code with 1 launches",
       [](SavedGpuPlan &s) { s.codes[0][0].kernel.scratchBytes = uint64_t(1) << 60; }},
      {"code at 0+5 of 5", [](SavedGpuPlan &s) { s.codes[0][0].kernel.image = "add12"; }},
      {"code at 0+0 of 0", [](SavedGpuPlan &s) { s.codes[0][0].kernel.image = ""; }},
      {"code at 0+4 of 4", [](SavedGpuPlan &s) { s.codes[0][0].form = GpuCodeForm::Ptx; }},
      {"code at 0+4 of 4", [](SavedGpuPlan &s) { s.target.kind = PlanKind::Cuda; }},
      {"a launch of 0 threads", [](SavedGpuPlan &s) { launchOf(s).block = 0; }},
      {"a launch of 1025 threads", [](SavedGpuPlan &s) { launchOf(s).block = 1025; }},
      {"a launch of 64 threads", [](SavedGpuPlan &s) { launchOf(s).sharedBytes = 1u << 30; }},
      {"a launch of 64 threads", [](SavedGpuPlan &s) { launchOf(s).entry = ""; }},
      {"a tensor map of port 0",
       [](SavedGpuPlan &s) { launchOf(s).maps = {{0, 0, MapType::U8, {8}, {}, {8}, 0}}; }},
      {"a tensor map of port 3",
       [](SavedGpuPlan &s) {
         makeCuda(s);
         launchOf(s).maps[0].port = 3; // the scratch buffer, which it has not
       }},
      {"a tensor map of port 0",
       [](SavedGpuPlan &s) {
         makeCuda(s);
         launchOf(s).maps[0].swizzle = 48;
       }},
      {"a tensor map of port 0",
       [](SavedGpuPlan &s) {
         makeCuda(s);
         launchOf(s).maps[0].strides.clear();
       }},
      {"launches of kernel 0 with 3 and 2 ports",
       [](SavedGpuPlan &s) { s.plan.steps[1].ports.pop_back(); }},
      {"starts 4 bytes into another one",
       [](SavedGpuPlan &s) { s.plan.steps[0].ports[2].offset = 4; }},
      {"need sizes", [](SavedGpuPlan &s) { s.plan.inputs[0].type.shape = {dim::variable("N")}; }},
  };
  for (const BadPlan &bad : table) {
    SavedGpuPlan saved;
    bad.change(saved);
    INFO(bad.what);
    auto file = PlanFile::open(saved.writeGpu());
    REQUIRE_FALSE(file);
    INFO(file.error().message());
    CHECK(file.error().code() == ErrorCode::Input);
    CHECK(file.error().message().find("malformed (") != std::string::npos);
    CHECK(file.error().message().find(bad.what) != std::string::npos);
  }
  SavedGpuPlan good;
  makeCuda(good);
  CHECK(PlanFile::open(good.writeGpu()));
}

TEST_CASE("plans that branch, call libraries or write inputs are none for GPUs", "[gpu plan]") {
  auto refusal = [](void (*change)(Plan &plan)) {
    SavedPlan saved;
    change(saved.plan);
    Status status = checkGpuPlan(saved.plan);
    CHECK(status.code() == ErrorCode::Unsupported);
    return status.message();
  };
  CHECK(checkGpuPlan(SavedPlan().plan).isOk());
  CHECK(refusal([](Plan &plan) { plan.kernels[0].control.kind = Control::Kind::Loop; }) ==
        "double: plans for GPUs do not branch or loop: use --target=cpu");
  CHECK(refusal([](Plan &plan) { plan.kernels[0].symbol = "mine"; }) ==
        "double: plans for GPUs do not call kernels of libraries: use --target=cpu");
  CHECK(refusal([](Plan &plan) { plan.inputs[0].written = true; }) ==
        "input 'x' is written in place, which plans for GPUs do not do: use --target=cpu");
}

TEST_CASE("a damaged header of a GPU plan does no harm", "[gpu plan]") {
  SavedGpuPlan saved;
  std::string good = test::contentOf(saved.writeGpu());
  uint64_t headerBytes = 0;
  std::memcpy(&headerBytes, good.data() + 16, sizeof(headerBytes));
  int refused = 0;
  std::mt19937 random(11);
  for (int round = 0; round < 4000; ++round) {
    std::string bytes = good;
    for (unsigned edits = 1 + random() % 3; edits-- > 0;) {
      char &byte = bytes[planPrefixBytes + random() % headerBytes];
      static constexpr unsigned extremes[] = {0, 1, 0x7f, 0x80, 0xff};
      byte = static_cast<char>(random() % 2 ? extremes[random() % 5] : random());
    }
    PlanPrefix prefix;
    prefix.headerBytes = headerBytes;
    prefix.fileBytes = bytes.size();
    auto header = std::as_bytes(std::span(bytes)).subspan(planPrefixBytes, headerBytes);
    prefix.headerChecksum = planChecksum(header);
    auto encoded = encodePrefix(prefix);
    std::memcpy(bytes.data(), encoded.data(), encoded.size());
    std::string path = saved.folder.file("damaged.zyxp");
    test::replaceContent(path, bytes);
    auto file = PlanFile::open(path);
    if (!file) {
      ++refused;
      REQUIRE(file.error().code() == ErrorCode::Input);
      continue;
    }
    for (size_t target = 0; target < file->numTargets(); ++target) {
      if (file->target(target).kind == PlanKind::X86) {
        continue;
      }
      auto loaded = file->loadGpu(target, vulkanDevice());
      REQUIRE((loaded || loaded.error().code() == ErrorCode::Device));
      for (const GpuKernel &kernel : loaded ? loaded->kernels : std::vector<GpuKernel>()) {
        REQUIRE_FALSE(kernel.image.empty());
      }
    }
  }
  CHECK(refused > 1000);
}
