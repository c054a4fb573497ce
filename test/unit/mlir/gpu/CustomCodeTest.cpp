// Code of custom kernels for GPUs: what is read of it, and what is refused without a toolkit.
#include "compiler/codegen/cuda/CustomPtx.h"
#include "compiler/codegen/vulkan/CustomSpirv.h"
#include "compiler/codegen/vulkan/SpirvValidator.h"
#include <catch2/catch.hpp>

using namespace zyxc;

static CustomSource sourceOf(CustomSource::Form form, std::string code) {
  CustomSource source;
  source.form = form;
  source.kernel = "k";
  source.entry = "main";
  source.code = std::move(code);
  source.dims = {7};
  return source;
}

/// What compileCustomPtx says of a text, for one port and one size; empty: nothing.
static std::string refusalOf(const CustomSource &source) {
  auto codes = compileCustomPtx(CudaToolkit(), source, 1, "sm_90");
  CHECK((codes || codes.error().code() == ErrorCode::Input));
  return codes ? "" : codes.error().message();
}
static std::string refusalOf(std::string ptx) {
  return refusalOf(sourceOf(CustomSource::Form::Ptx, std::move(ptx)));
}

TEST_CASE("The entry of PTX takes as many parameters as it is given", "[ptx]") {
  CHECK(refusalOf(".visible .entry main(.param .u64 a, .param .u64 n) { ret; }").empty());
  CHECK(refusalOf("// .entry main(.param .u64 a)\n.entry\n main (\n.param .b64 a, // .param\n"
                  "/* .param ) */ .param .b64 n) { ret; }")
            .empty());
  CHECK(refusalOf(".entry main2(.param .u64 a) { } .entry main(.param .u64 a,.param .u64 n) { }")
            .empty());
  CHECK(refusalOf(".visible .entry main(.param .u64 a) { ret; }") ==
        "kernel @k, ptx entry 'main': it has 1 parameters, but is given 2: 1 addresses and 1 "
        "sizes, 64 bits each");
  CHECK(refusalOf(".visible .entry main { ret; }").find("it has 0 parameters") !=
        std::string::npos);
  for (const char *none : {"", "main", ".entry", ".entry main2(.param .u64 a)", "/* .entry main",
                           ".func main(.param .u64 a, .param .u64 n)"}) {
    CHECK(refusalOf(none) == "kernel @k, ptx entry 'main': its code has no .entry of this name");
  }
}

TEST_CASE("Launches that no GPU takes are refused", "[ptx]") {
  CustomSource good =
      sourceOf(CustomSource::Form::Ptx, ".entry main(.param .u64 a, .param .u64 n) { ret; }");
  auto codes = compileCustomPtx(CudaToolkit(), good, 1, "sm_90");
  REQUIRE(codes);
  REQUIRE(codes->size() == 1);
  CHECK(codes->front().kernel.image == good.code);
  CHECK(codes->front().kernel.launches.front().entry == "main");
  CustomSource source = good;
  source.grid = {1, 65536, 1};
  CHECK(refusalOf(source) ==
        "kernel @k, ptx entry 'main': 65536 blocks in y, a GPU has at most 65535");
  source = good;
  source.block = 1025;
  CHECK(refusalOf(source) ==
        "kernel @k, ptx entry 'main': a block of 1025 threads, a GPU has 1 to 1024");
}

static const std::string module = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %f "other"
OpEntryPoint GLCompute %g "main"
OpExecutionMode %f LocalSize 2 2 1
OpExecutionMode %g LocalSize 32 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f = OpFunction %void None %fn
%a = OpLabel
OpReturn
OpFunctionEnd
%g = OpFunction %void None %fn
%b = OpLabel
OpBranch %c
%c = OpLabel
BODY
OpReturn
OpFunctionEnd
)";

static CustomSource spirvOf(const std::string &body) {
  std::string text = module;
  text.replace(text.find("BODY"), 4, body);
  return sourceOf(CustomSource::Form::Spirv, text);
}

TEST_CASE("The entry of SPIR-V is found among others", "[spirv]") {
  if (!hasSpirvValidator()) {
    WARN("no SPIRV-Tools");
    return;
  }
  CustomSource source = spirvOf("");
  source.grid = {5, 1, 1};
  auto compiled = compileCustomSpirv(source);
  INFO((compiled ? "" : compiled.error().message()));
  REQUIRE(compiled);
  CHECK(compiled->code.kernel.launches.front().block == 32);
  CHECK(compiled->code.kernel.launches.front().grid == std::array<uint32_t, 3>{5, 1, 1});
  CHECK(compiled->code.loopTurns == 0);
  CHECK(compiled->needs.features == std::vector<std::string>{"threads32"});
  // The same as words.
  source.code = compiled->code.kernel.image;
  auto again = compileCustomSpirv(source);
  REQUIRE(again);
  CHECK(again->code.kernel.image == source.code);
  // Cut off anywhere it is refused, never read past its end.
  for (size_t length = 0; length < source.code.size(); ++length) {
    CustomSource cut = source;
    cut.code.resize(length);
    CHECK_FALSE(compileCustomSpirv(cut));
  }
  source.entry = "other";
  auto square = compileCustomSpirv(source);
  REQUIRE_FALSE(square);
  CHECK(square.error().message().find("2x2x1 threads") != std::string::npos);
  source.entry = "none";
  CHECK_FALSE(compileCustomSpirv(source));
}

TEST_CASE("Turns of loops of SPIR-V are not known", "[spirv]") {
  if (!hasSpirvValidator()) {
    WARN("no SPIRV-Tools");
    return;
  }
  auto compiled = compileCustomSpirv(
      spirvOf("OpLoopMerge %d %e None\nOpBranch %h\n%h = OpLabel\nOpBranch %d\n%e = "
              "OpLabel\nOpBranch %c\n%d = OpLabel"));
  INFO((compiled ? "" : compiled.error().message()));
  REQUIRE(compiled);
  CHECK(compiled->code.loopTurns == INT64_MAX);
}
