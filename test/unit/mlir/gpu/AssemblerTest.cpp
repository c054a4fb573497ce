// ptxas as a process that text goes to and the image comes from.
#include "compiler/codegen/cuda/Assembler.h"
#include <catch2/catch.hpp>

using namespace zyxc;

static const std::string head = ".version 8.0\n.target sm_90a\n.address_size 64\n";

TEST_CASE("Text goes to ptxas and the image comes back", "[ptx]") {
  CudaToolkit toolkit = CudaToolkit::find();
  if (toolkit.ptxas.empty()) {
    WARN("no ptxas found");
    return;
  }
  for (int level : {2, 3}) {
    auto assembler = Assembler::start(toolkit, "sm_90a", level);
    REQUIRE(assembler);
    // More than a pipe holds.
    std::string text = head + "//" + std::string(1 << 20, 'x') + "\n.visible .entry k() { ret; }\n";
    auto cubin = (*assembler)->assemble(text);
    INFO((cubin ? "" : cubin.error().message()));
    REQUIRE(cubin);
    CHECK(cubin->image.starts_with("\x7f"
                                   "ELF"));
    REQUIRE(cubin->report.find("k"));
    CHECK(cubin->report.find("k")->spillStoreBytes == 0);
  }
  auto refuses = Assembler::start(toolkit, "sm_90a");
  REQUIRE(refuses);
  auto cubin = (*refuses)->assemble(head + ".visible .entry k() { nonsense; }\n");
  REQUIRE(!cubin);
  CHECK(cubin.error().message().find("nonsense") != std::string::npos);
  // One that gets no text is ended.
  CHECK(Assembler::start(toolkit, "sm_90a"));
}

TEST_CASE("Programs that are no ptxas", "[ptx]") {
  CudaToolkit toolkit;
  toolkit.ptxas = "/no/such/ptxas";
  CHECK(!Assembler::start(toolkit, "sm_90a"));
  // Ends without reading: an error, not a signal.
  toolkit.ptxas = "/bin/true";
  auto assembler = Assembler::start(toolkit, "sm_90a");
  REQUIRE(assembler);
  auto cubin = (*assembler)->assemble(std::string(1 << 20, 'x'));
  REQUIRE(!cubin);
  CHECK(cubin.error().message() == "/bin/true failed (exit code 0): ");
}
