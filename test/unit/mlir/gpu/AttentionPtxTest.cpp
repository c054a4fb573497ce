// Attention through ptxas: the default schedules must not spill, keep a stack frame or serialize
// wgmma. Results are checked on a GPU only (tools/gpu-check).
#include "compiler/codegen/cuda/PtxCompiler.h"
#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace zyxc;

namespace {

struct Shape {
  const char *element;
  int queries, keys, depth, width;
  unsigned block; ///< threads: which schedule is taken
  const char *domain = "";
  const char *logits = "%t = arith.mulf %s, %c : f32";
};

} // namespace

/// Two heads of one batch, the logits as given.
static std::string kernelOf(const Shape &shape) {
  return fmt::format(R"(
zyxk.kernel @attn ports(%q: in {0}[2, {1}, {3}], %k: in {0}[2, {2}, {3}], %v: in {0}[2, {2}, {4}],
                        %bias: in f32[{1}, {2}], %o: out bf16[2, {1}, {4}])
    axes(h < 2, i < {1}, j < {2}, d < {3}, e < {4} {5}) {{
  %q0 = load %q[h, i, d] : {0}
  %k0 = load %k[h, j, d] : {0}
  %v0 = load %v[h, j, e] : {0}
  %s = contract %q0, %k0 over [d] : {0}, {0} -> f32
  %c = arith.constant 0.125 : f32
  {6}
  %m, %l, %u = expsum %t over [j] weights(unit, %v0 : {0}) : f32
  %r = arith.divf %u, %l : f32
  %z = arith.truncf %r : f32 to bf16
  store %z, %o[h, i, e] : bf16
}})",
                     shape.element, shape.queries, shape.keys, shape.depth, shape.width,
                     shape.domain, shape.logits);
}

TEST_CASE("Attention on wgmma keeps its registers", "[ptx]") {
  const char *biased = "%t0 = arith.mulf %s, %c : f32\n"
                       "%b = load %bias[i, j] : f32\n"
                       "%t = arith.addf %t0, %b : f32";
  const char *capped = "%t0 = arith.mulf %s, %c : f32\n"
                       "%t1 = math.tanh %t0 : f32\n"
                       "%t = arith.divf %t1, %c : f32";
  const Shape shapes[] = {
      {"f16", 512, 512, 64, 64, 640},
      {"bf16", 512, 512, 64, 64, 640, "where j <= i"},
      {"f16", 300, 205, 64, 64, 640},
      {"f16", 300, 300, 64, 64, 640, "where j <= i"},
      {"f16", 300, 300, 48, 56, 640, "where j <= i and j >= i - 99"},
      {"f16", 512, 512, 128, 128, 384},
      {"bf16", 300, 300, 128, 128, 384, "where j <= i"},
      {"f16", 300, 205, 128, 64, 384, "where j <= i + 7"},
      {"f16", 300, 205, 64, 64, 384, "", biased},
      {"f16", 512, 512, 128, 128, 384, "where j <= i", biased},
      {"f16", 512, 512, 64, 128, 384, "", capped},
  };
  auto compiler = PtxCompiler::create(*findTarget("sm_90a"));
  REQUIRE(compiler);
  for (const Shape &shape : shapes) {
    std::string text = kernelOf(shape);
    INFO(text);
    auto kernel = (*compiler)->compile(text);
    INFO((kernel ? "" : kernel.error().message()));
    REQUIRE(kernel);
    CHECK(kernel->faults.empty());
    REQUIRE(kernel->kernel.launches.size() == 1);
    CHECK(kernel->kernel.launches[0].block == shape.block);
    CHECK(kernel->kernel.launches[0].maps.size() == 3);
    if (kernel->report) {
      const PtxResources *entry = kernel->report->find("attn");
      REQUIRE(entry);
      CHECK(entry->stackBytes == 0);
      // What setmaxnreg redistributes.
      CHECK(entry->registers == (shape.block == 640 ? 96 : 168));
    }
  }
}

TEST_CASE("Attention on mma.sync keeps its registers", "[ptx]") {
  const Shape shapes[] = {
      {"f16", 512, 512, 64, 64, 128},
      {"bf16", 300, 205, 128, 128, 128, "where j <= i"},
      {"f16", 77, 91, 40, 24, 128, "where j <= i and j >= i - 9"},
      {"f16", 300, 205, 128, 64, 128, "", "%t = math.tanh %s : f32"},
  };
  for (const char *target : {"sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}) {
    auto compiler = PtxCompiler::create(*findTarget(target));
    REQUIRE(compiler);
    for (const Shape &shape : shapes) {
      std::string text = kernelOf(shape);
      INFO(target << text);
      auto kernel = (*compiler)->compile(text);
      INFO((kernel ? "" : kernel.error().message()));
      REQUIRE(kernel);
      CHECK(kernel->faults.empty());
      CHECK(kernel->kernel.launches[0].block == shape.block);
    }
  }
}

TEST_CASE("Attention on plain threads has code for every target", "[ptx]") {
  const Shape shapes[] = {
      {"f32", 40, 40, 64, 64, 64, "where j <= i"},
      {"f32", 40, 33, 128, 128, 64},
      {"f16", 1, 70, 60, 60, 64},
      {"bf16", 40, 40, 200, 100, 64},
  };
  for (const char *target : {"sm_75", "sm_80", "sm_90a", "sm_120"}) {
    auto compiler = PtxCompiler::create(*findTarget(target));
    REQUIRE(compiler);
    for (const Shape &shape : shapes) {
      std::string text = kernelOf(shape);
      INFO(target << text);
      auto kernel = (*compiler)->compile(text);
      INFO((kernel ? "" : kernel.error().message()));
      REQUIRE(kernel);
      CHECK(kernel->kernel.launches[0].block == shape.block);
      CHECK(kernel->kernel.launches[0].maps.empty());
    }
  }
}
