// Object files of kernels joined into position-independent code, and what cannot be.
#include "compiler/codegen/cpu/FlatImage.h"
#include "compiler/codegen/cpu/HostCompiler.h"
#include "runtime/exec/Executor.h"
#include "runtime/plan/PlanFile.h"
#include "test/unit/fixtures/SavedPlan.h"
#include <catch2/catch.hpp>

using namespace zyxc;

static CompiledKernel compileOne(HostCompiler &compiler, const std::string &text) {
  auto compiled = compiler.compile(std::span(&text, 1), 1);
  INFO((compiled ? std::string() : compiled.error().message()));
  REQUIRE(compiled);
  return compiled->front();
}

static std::unique_ptr<HostCompiler> baselineCompiler() {
  auto compiler = HostCompiler::create(HostTarget::baseline());
  REQUIRE(compiler);
  return *std::move(compiler);
}

static Expected<FlatImage> imageOf(const std::string &text) {
  auto compiler = baselineCompiler();
  CompiledKernel kernel = compileOne(*compiler, text);
  std::string_view object = *kernel.object;
  return makeFlatImage(std::span(&object, 1));
}

/// Rows of 8, sorted: the code calls a routine.
static constexpr const char *sortText =
    "zyxk.kernel @sort_rows ports(%x: in f32[3, 8], %v: out f32[3, 8], %i: out i64[3, 8]) axes() {"
    " opaque @sort(%x, %v, %i) params(0) cost(480) }";

TEST_CASE("instructions, data and slots stand in pages of their own", "[flat image]") {
  auto image = imageOf("zyxk.kernel @k ports(%x: in f32[64], %y: out f32[64]) axes(i < 64) {"
                       " %a = load %x[i] : f32  %b = math.exp %a : f32  store %b, %y[i] : f32 }");
  REQUIRE(image);
  CHECK(image->functions.front().contains("k"));
  CHECK(image->textBytes > 0);
  CHECK(image->bytes.size() > FlatImage::pageBytes); // constants of exp
  CHECK(image->slotsOffset % FlatImage::pageBytes == 0);
  CHECK(image->slotsOffset == image->bytes.size());
  CHECK(image->slots.empty());
}

TEST_CASE("a kernel that calls a routine is saved and run", "[flat image]") {
  auto compiler = baselineCompiler();
  CompiledKernel kernel = compileOne(*compiler, sortText);
  std::vector<std::string_view> objects(2, *kernel.object); // two kernels share a slot
  auto image = makeFlatImage(objects);
  REQUIRE(image);
  REQUIRE(image->slots.size() == 1);
  CHECK(image->slots.front().symbol == "zyxc_routine_sort");

  test::SavedPlan saved;
  TensorType values{DType::F32, {3, 8}}, positions{DType::I64, {3, 8}};
  saved.plan = {};
  saved.plan.inputs = {{"x", values}};
  saved.plan.outputs = {{"v", values}, {"i", positions}};
  rt::Kernel sort{"sort", nullptr, kernel.numTasks, kernel.scratchBytes};
  saved.plan.kernels = {sort};
  using enum rt::Space;
  saved.plan.steps = {{0, {{Input, 0, 0, 96}, {Output, 0, 0, 96}, {Output, 1, 0, 192}}, "s"}};
  saved.program.code = image->bytes;
  saved.program.layout = {image->textBytes,
                          image->slotsOffset,
                          {{"zyxc_routine_sort", image->slots.front().offset}},
                          {{image->functions[1].at("sort_rows"), 0}}};
  auto file = rt::PlanFile::open(saved.write());
  REQUIRE(file);
  auto loaded = file->load(0);
  REQUIRE(loaded);
  auto executor = rt::Executor::load(loaded->plan, {2, 0});
  REQUIRE(executor);
  Tensor x = Tensor::zeros(values);
  for (int64_t i = 0; i < 24; ++i) {
    x.setDouble(i, static_cast<double>((i * 5) % 8));
  }
  auto outputs = (*executor)->run(std::array{x});
  REQUIRE(outputs);
  for (int64_t i = 0; i < 24; ++i) {
    CHECK((*outputs)[0].asDouble(i) == static_cast<double>(i % 8));
    CHECK((*outputs)[1].asInt(i) == (i % 8) * 5 % 8);
  }
}

TEST_CASE("a symbol from outside is an error that names it", "[flat image]") {
  auto compiler = baselineCompiler();
  std::string object = *compileOne(*compiler, sortText).object;
  for (size_t at = 0; (at = object.find("zyxc_routine_sort")) != std::string::npos;) {
    object.replace(at, 17, "some_other_symbol");
  }
  std::string_view view = object;
  auto image = makeFlatImage(std::span(&view, 1));
  REQUIRE_FALSE(image);
  CHECK(image.error().message().find("symbol 'some_other_symbol'") != std::string::npos);
}

TEST_CASE("what is no object file is an error", "[flat image]") {
  for (std::string_view object : {std::string_view(""), std::string_view("not an object file")}) {
    auto image = makeFlatImage(std::span(&object, 1));
    REQUIRE_FALSE(image);
    CHECK(image.error().code() == ErrorCode::Internal);
  }
  auto none = makeFlatImage({});
  REQUIRE(none);
  CHECK(none->bytes.empty());
}
