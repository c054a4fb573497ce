// Targets of plans, and the runtime's own look at the processor beside LLVM's.
#include "compiler/codegen/cpu/HostTarget.h"
#include "runtime/support/CpuFeatures.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include <catch2/catch.hpp>

using namespace zyxc;

TEST_CASE("the runtime finds the features that LLVM finds", "[host target]") {
  CpuFeatures found = CpuFeatures::detect();
  for (const auto &flag : llvm::sys::getHostCPUFeatures()) {
    std::string name = flag.first().str();
    INFO(name);
    if (CpuFeatures::isKnown(name)) {
      CHECK(found.has(name) == flag.second);
    } else {
      CHECK_FALSE(flag.second); // code for this machine could not be saved
    }
  }
}

TEST_CASE("targets of models", "[host target]") {
  auto v3 = HostTarget::ofModel("cpu:x86-64-v3");
  auto v4 = HostTarget::ofModel("cpu:x86-64-v4");
  REQUIRE((v3 && v4));
  CpuFeatures three(v3->neededFeatures());
  CpuFeatures four(v4->neededFeatures());
  for (const char *name : {"avx2", "fma", "bmi2", "f16c", "movbe", "lzcnt"}) {
    CHECK(three.has(name));
    CHECK(four.has(name));
  }
  for (const char *name : {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}) {
    CHECK_FALSE(three.has(name));
    CHECK(four.has(name));
  }
  CHECK_FALSE(four.has("avx512vnni"));
  for (const CpuFeatures &level : {three, four}) {
    for (const std::string &name : level.names()) {
      INFO(name);
      CHECK(CpuFeatures::isKnown(name));
    }
  }
  CHECK(HostTarget::ofModel("cpu")->describe() == HostTarget::detect().describe());
  CHECK(HostTarget::fullName("cpu") == "cpu:native");
  CHECK_FALSE(HostTarget::ofModel("cpu:386"));
}
