#include "runtime/support/CpuFeatures.h"
#include <catch2/catch.hpp>

using namespace zyxc;

TEST_CASE("features that are missing are named in order", "[cpu features]") {
  CpuFeatures machine({"fma", "avx2", "avx"});
  CHECK(machine.names() == std::vector<std::string>{"avx", "avx2", "fma"});
  CHECK(machine.has("avx2"));
  CHECK_FALSE(machine.has("avx512f"));
  std::vector<std::string> needed = {"avx512f", "fma", "amx-tile"};
  CHECK(machine.missing(needed) == std::vector<std::string>{"avx512f", "amx-tile"});
  CHECK(machine.missing({}).empty());
}

TEST_CASE("lists of features as text", "[cpu features]") {
  CHECK(splitFeatures("").empty());
  CHECK(splitFeatures("avx") == std::vector<std::string>{"avx"});
  CHECK(splitFeatures("avx,fma") == std::vector<std::string>{"avx", "fma"});
}

#if defined(__x86_64__)
TEST_CASE("every x86-64 processor has SSE2", "[cpu features]") {
  CHECK(CpuFeatures::detect().has("sse2"));
  CHECK(CpuFeatures::isKnown("avx512vl"));
  CHECK_FALSE(CpuFeatures::isKnown("avx512"));
}
#endif
