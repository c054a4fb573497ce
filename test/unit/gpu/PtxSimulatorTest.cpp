// The simulator of NVIDIA GPUs on PTX text: what it computes, and what it finds.
#include "runtime/devices/ptxsim/PtxSimulator.h"
#include <bit>
#include <catch2/catch.hpp>
#include <cstring>

using namespace zyxc;
using namespace zyxc::rt;

/// Runs `body` in one block of `threads` on two ports of 256 bytes; %rd1 and %rd2 are their
/// addresses, %r1 is the number of the thread. Gives the second port back.
static Expected<std::vector<uint32_t>> runBody(const std::string &body, uint32_t threads = 32,
                                               int launches = 1) {
  auto device = makePtxSimulator("sm_90a", 132, 232448);
  GpuKernel kernel;
  kernel.name = "test";
  kernel.image = fmt::format(R"(
.version 8.0
.target sm_90a
.address_size 64
.visible .entry test(.param .u64 test_param_0, .param .u64 test_param_1)
.maxntid {}, 1, 1
{{
  .reg .pred %p<8>;
  .reg .b16 %rs<8>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<8>;
  .shared .align 16 .b8 scratch[1024];
  ld.param.b64 %rd1, [test_param_0];
  ld.param.b64 %rd2, [test_param_1];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;  // this thread's word of the first port
  add.s64 %rd5, %rd2, %rd3;  // and of the second
  {}
  ret;
}})",
                             threads, body);
  kernel.launches.push_back({"test", {1, 1, 1}, threads, 0, {}});
  ZYXC_ASSIGN(auto program, device->load(kernel));
  ZYXC_ASSIGN(GpuAddress in, device->allocate(256));
  ZYXC_ASSIGN(GpuAddress out, device->allocate(256));
  std::vector<uint32_t> words(64);
  for (uint32_t i = 0; i < 64; ++i) {
    words[i] = i;
  }
  ZYXC_RETURN_IF_ERROR(device->upload(in, words.data(), 256));
  ZYXC_RETURN_IF_ERROR(device->fill(out, 0, 256));
  std::vector<GpuAddress> ports = {in, out};
  for (int i = 0; i < launches; ++i) {
    ZYXC_RETURN_IF_ERROR(device->launch(*program, ports));
  }
  ZYXC_RETURN_IF_ERROR(device->download(words.data(), out, 256));
  return words;
}

static std::vector<uint32_t> results(const std::string &body, uint32_t threads = 32) {
  auto words = runBody(body, threads);
  INFO((words ? "" : words.error().message()));
  REQUIRE(words);
  return *words;
}

/// What two launches give in a word: asynchronous work is done early in the first, late in the
/// second.
static std::pair<uint32_t, uint32_t> earlyAndLate(const std::string &body, uint32_t threads = 32) {
  auto early = runBody(body, threads, 1), late = runBody(body, threads, 2);
  REQUIRE(early);
  REQUIRE(late);
  return {(*early)[5], (*late)[5]};
}

static std::string faultOf(const std::string &body, uint32_t threads = 32) {
  auto words = runBody(body, threads);
  REQUIRE(!words);
  return words.error().message();
}

static uint32_t bitsOf(float value) {
  return std::bit_cast<uint32_t>(value);
}

TEST_CASE("Simulated arithmetic", "[ptxsim]") {
  auto one = [](const std::string &instructions) {
    return results(instructions + "\n st.global.b32 [%rd5], %r2;")[5]; // thread 5
  };
  CHECK(one("mad.lo.s32 %r2, %r1, -3, 7;") == uint32_t(-8));
  CHECK(one("sub.s32 %r2, %r1, 8; shr.s32 %r2, %r2, 1;") == uint32_t(-2));
  CHECK(one("sub.s32 %r2, %r1, 8; shr.u32 %r2, %r2, 28;") == 15);
  CHECK(one("mul.hi.u32 %r2, %r1, 0xffffffff;") == 4);
  CHECK(one(".pragma \"nounroll\"; mov.b32 %r2, 3;") == 3);
  CHECK(one("bfe.u32 %r2, %r1, 1, 2;") == 2);
  CHECK(one("prmt.b32 %r2, 0x83, 0, 0x9880U;") == 0x00ffff83);
  CHECK(one("setp.gt.s32 %p1, %r1, 4; selp.b32 %r2, 1, 2, %p1;") == 1);
  CHECK(one("mov.b32 %r2, 9; setp.gt.s32 %p1, %r1, 4; @%p1 mov.b32 %r2, 10;") == 10);
  CHECK(one("cvt.rn.f32.s32 %r2, %r1; mul.rn.f32 %r2, %r2, 0f3F000000;") == bitsOf(2.5F));
  CHECK(one("cvt.rn.f32.s32 %r3, %r1; cvt.rn.f16x2.f32 %r2, %r3, 0f3F800000;") == 0x45003c00);
  CHECK(one("ex2.approx.ftz.f32 %r2, 0f40400000;") == bitsOf(8));
  CHECK(one("max.f32 %r2, 0f7FC00000, 0f3F800000;") == bitsOf(1));
  CHECK((one("max.NaN.f32 %r2, 0f7FC00000, 0f3F800000;") & 0x7fc00000) == 0x7fc00000);
  CHECK(one("cvt.rzi.s32.f32 %r2, 0fC0600000;") == uint32_t(-3));
  CHECK(one("setp.ltu.f32 %p1, 0f7FC00000, 0f00000000; selp.b32 %r2, 1, 0, %p1;") == 1);
}

TEST_CASE("Simulated threads exchange values", "[ptxsim]") {
  auto shuffled = results("shfl.sync.bfly.b32 %r2, %r1, 3, 31, -1; st.global.b32 [%rd5], %r2;");
  CHECK(shuffled[0] == 3);
  CHECK(shuffled[5] == 6);
  // Through shared memory, in two warps.
  auto reversed = results(R"(
  mov.b32 %r2, scratch;
  shl.b32 %r3, %r1, 2;
  add.s32 %r4, %r2, %r3;
  st.shared.b32 [%r4], %r1;
  bar.sync 0;
  sub.s32 %r5, %r2, %r3;
  ld.shared.b32 %r6, [%r5+252];
  st.global.b32 [%rd5], %r6;)",
                          64);
  CHECK(reversed[0] == 63);
  CHECK(reversed[63] == 0);
  auto loop = results(R"(
  mov.b32 %r2, 0;
L0:
  add.s32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, %r1;
  @%p1 bra L0;
  st.global.b32 [%rd5], %r2;)");
  CHECK(loop[0] == 1);
  CHECK(loop[31] == 31);
}

TEST_CASE("Simulated copies wait where they are told to", "[ptxsim]") {
  // Word 5 of the first port goes to thread 5 through shared memory.
  auto copy = [](const std::string &wait) {
    return earlyAndLate(R"(
  mov.b32 %r2, scratch;
  shl.b32 %r3, %r1, 2;
  add.s32 %r4, %r2, %r3;
  st.shared.b32 [%r4], -1;
  cp.async.ca.shared.global [%r4], [%rd4], 4;
  cp.async.commit_group;
  )" + wait + R"(
  ld.shared.b32 %r5, [%r4];
  st.global.b32 [%rd5], %r5;)");
  };
  CHECK(copy("cp.async.wait_group 0;") == std::pair(5U, 5U));
  CHECK(copy("cp.async.wait_group 1;") == std::pair(5U, ~0U));
  // Products of zeros: the accumulators, 7 before, stay so up to the wait.
  auto product = [](const std::string &wait) {
    return earlyAndLate(R"(
  mov.b32 %r2, 0;
  mov.b64 %rd6, 0x4000000000000000;
  mov.b32 %r3, 7; mov.b32 %r4, 7; mov.b32 %r5, 7; mov.b32 %r6, 7;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r3, %r4, %r5, %r6}, {%r2, %r2, %r2, %r2}, %rd6, 0, 1, 1, 1;
  wgmma.commit_group.sync.aligned;
  )" + wait + R"(
  setp.lt.u32 %p1, %r1, 32;
  @%p1 st.global.b32 [%rd5], %r3;)",
                        128);
  };
  auto waited = product("wgmma.wait_group.sync.aligned 0;");
  CHECK(waited.first == waited.second);
  CHECK(product("wgmma.wait_group.sync.aligned 1;").second == 7);
}

TEST_CASE("Signed loads fill the register with the sign", "[ptxsim]") {
  for (const char *type : {"s8", "s16", "s32"}) {
    INFO(type);
    auto high = results(fmt::format(R"(
  neg.s32 %r2, %r1;
  st.global.b32 [%rd5], %r2;
  ld.global.{} %rd6, [%rd5];
  shr.u64 %rd6, %rd6, 32;
  st.global.b32 [%rd5], %rd6;)",
                                    type));
    CHECK(high[0] == 0);
    CHECK(high[1] == 0xffffffff);
    CHECK(high[31] == 0xffffffff);
  }
}

TEST_CASE("What the simulator finds", "[ptxsim]") {
  CHECK(faultOf("ld.global.b32 %r2, [%rd4+256];").find("are in no allocation") !=
        std::string::npos);
  CHECK(faultOf("st.global.v2.b32 [%rd4+4], {%r1, %r1};").find("is not a multiple of 8") !=
        std::string::npos);
  CHECK(faultOf("mov.b32 %r2, scratch; ld.shared.b32 %r3, [%r2+1024];")
            .find("4 bytes at 1024 of 1024 bytes of shared memory") != std::string::npos);
  CHECK(faultOf("sinh.f32 %r2, %r1;") == "not simulated: 'sinh.f32 %r2, %r1'");
  // Half of the warp never comes.
  std::string hang =
      faultOf("setp.lt.u32 %p1, %r1, 16; @%p1 bra L0; bar.warp.sync -1; L0: bar.sync 1, 64;");
  CHECK(hang.find("block 0 hangs: 16 threads at 'bar.warp.sync -1'") != std::string::npos);
  // An mbarrier that expects two arrivals and gets one.
  hang = faultOf(R"(
  mov.b32 %r2, scratch;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra L0;
  mbarrier.init.shared::cta.b64 [%r2], 2;
  mbarrier.arrive.shared::cta.b64 _, [%r2];
L0:
  bar.sync 0;
  { .reg .pred P; W0: mbarrier.try_wait.parity.shared::cta.b64 P, [%r2], 0; @!P bra W0; })");
  CHECK(hang.find("hangs: 32 threads at 'mbarrier.try_wait") != std::string::npos);
}

/// What a copy of a box of 8 x 8 f16 at column `column` of a port of 16 x 16 gives.
static Status copyBoxAt(int column) {
  auto device = makePtxSimulator("sm_90a", 132, 232448);
  GpuKernel kernel;
  kernel.name = "test";
  kernel.image = fmt::format(R"(
.version 8.0
.target sm_90a
.address_size 64
.visible .entry test(.param .u64 test_param_0, .param .align 64 .b8 test_param_1[128])
.maxntid 1, 1, 1
{{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .shared .align 128 .b8 box[256];
  mov.b64 %rd1, test_param_1;
  cvta.param.u64 %rd2, %rd1;
  mov.b32 %r1, box;
  add.s32 %r2, %r1, 128;
  mov.b32 %r3, {};
  mov.b32 %r4, 0;
  mbarrier.init.shared::cta.b64 [%r2], 1;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 128;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2, {{%r3, %r4}}], [%r2];
  {{ .reg .pred P; W0: mbarrier.try_wait.parity.shared::cta.b64 P, [%r2], 0; @!P bra W0; }}
  ret;
}})",
                             column);
  TensorMap map;
  map.dims = {16, 16};
  map.strides = {32};
  map.box = {8, 8};
  kernel.launches.push_back({"test", {1, 1, 1}, 1, 0, {map}});
  ZYXC_ASSIGN(auto program, device->load(kernel));
  ZYXC_ASSIGN(GpuAddress port, device->allocate(512));
  ZYXC_RETURN_IF_ERROR(device->fill(port, 0, 512));
  std::vector<GpuAddress> ports = {port};
  ZYXC_RETURN_IF_ERROR(device->launch(*program, ports));
  return device->synchronize();
}

TEST_CASE("Simulated tensor copies start at units of 16 bytes, as the hardware asks", "[ptxsim]") {
  CHECK(copyBoxAt(8).isOk());
  CHECK(copyBoxAt(5).message().find("no multiple of 16 bytes") != std::string::npos);
}
