// Which of OpenBLAS' kernels are a peer on a processor with AVX2.
#include "test/bench/peer/OpenBlas.h"
#include <catch2/catch.hpp>

using namespace zyxc::bench;

TEST_CASE("OpenBLAS is a peer by the name of its kernels", "[bench]") {
  for (const char *core :
       {"Haswell", "Zen", "Excavator", "SkylakeX", "Cooperlake", "SapphireRapids"}) {
    CHECK(hasAvx2Kernels(core));
  }
  for (const char *core : {"Prescott", "Nehalem", "Sandybridge", "Bulldozer", "Steamroller"}) {
    CHECK(!hasAvx2Kernels(core));
  }
}
