// What users give the simulator: sizes behind the addresses, and text that is no PTX.
#include "runtime/devices/ptxsim/PtxSimulator.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using namespace zyxc::rt;

static GpuKernel kernelOf(std::string image) {
  GpuKernel kernel;
  kernel.name = "test";
  kernel.image = std::move(image);
  kernel.launches.push_back({"test", {1, 1, 1}, 1, 0, {}});
  return kernel;
}

TEST_CASE("A kernel finds its sizes behind the addresses", "[ptxsim]") {
  GpuKernel kernel = kernelOf(R"(
.visible .entry test(.param .u64 y, .param .u64 n, .param .u64 m)
{
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [y];
  ld.param.u64 %rd2, [n];
  ld.param.u64 %rd3, [m];
  st.global.u64 [%rd1], %rd2;
  st.global.u64 [%rd1+8], %rd3;
  ret;
})");
  kernel.sizes = {7, uint64_t(1) << 40};
  auto device = makePtxSimulator("sm_90a", 1, 1024);
  auto program = device->load(kernel);
  REQUIRE(program);
  auto memory = device->allocate(16);
  REQUIRE(memory);
  REQUIRE(device->launch(**program, std::array{*memory}).isOk());
  std::array<uint64_t, 2> values = {};
  REQUIRE(device->download(values.data(), *memory, sizeof values).isOk());
  CHECK(values[0] == kernel.sizes[0]);
  CHECK(values[1] == kernel.sizes[1]);
  // One that takes fewer is refused, not run with what is there.
  kernel.sizes.pop_back();
  auto other = device->load(kernel);
  REQUIRE(other);
  CHECK_FALSE(device->launch(**other, std::array{*memory}).isOk());
}

TEST_CASE("Text that is no PTX is refused", "[ptxsim]") {
  auto device = makePtxSimulator("sm_90a", 1, 1024);
  for (const char *text :
       {"", "nonsense", ".entry test", ".entry test(", ".entry test(.param .u64 a", ".entry test()",
        ".entry test(.param x) { mov.u32 %r1, ; }", ".entry test { add.s32 , , ; }",
        ".entry test { bra $nowhere; }"}) {
    CAPTURE(text);
    CHECK_FALSE(device->load(kernelOf(text)));
  }
}
