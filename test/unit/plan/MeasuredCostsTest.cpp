#include "compiler/cost/MeasuredCosts.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using cost::MeasuredCosts;

TEST_CASE("times are scaled by the median of their ratios to estimates", "[cost]") {
  MeasuredCosts costs("cpu:x86-64-v3");
  costs.note(1, 100, 300, "map0_1");
  CHECK(costs.find(1, 100) == 100); // a machine that is three times as slow, as a whole
  costs.note(2, 100, 200, "map1_2");
  costs.note(3, 100, 800, "map2_3");
  CHECK(costs.find(1, 100) == 100);
  CHECK(costs.find(2, 100) == 67);
  CHECK(costs.find(3, 100) == 267);
  CHECK(costs.find(4, 100) == std::nullopt);
  CHECK(costs.find(3, 101) == std::nullopt); // by another cost table
}

TEST_CASE("the least time of several counts, and a later file replaces what it knows", "[cost]") {
  MeasuredCosts costs("cpu:x86-64-v3");
  costs.note(1, 100, 300, "map0_1");
  costs.note(1, 100, 200, "map0_1");
  costs.note(1, 100, 400, "map0_1");
  CHECK(costs.text() == "zyxc costs 1 cpu:x86-64-v3\n0000000000000001\t100\t200\tmap0_1\n");
  MeasuredCosts later("cpu:x86-64-v3");
  later.note(1, 100, 500, "map0_1");
  later.note(2, 7, 5, "row1_2");
  uint64_t before = costs.id();
  costs.addAll(later);
  CHECK(costs.size() == 2);
  CHECK(costs.text().find("100\t500") != std::string::npos);
  CHECK(costs.id() != before);
}

TEST_CASE("costs are read as they were written", "[cost]") {
  MeasuredCosts costs("cuda:sm_90");
  costs.note(0xfedcba9876543210, 9'000'000'000, 1, "contract0_fedcba98");
  Expected<MeasuredCosts> read = MeasuredCosts::parse(costs.text(), "file");
  REQUIRE(read);
  CHECK(read->text() == costs.text());
  CHECK(read->target() == "cuda:sm_90");
}

TEST_CASE("damaged costs are refused with their line", "[cost]") {
  for (const char *text : {"", "x", "zyxc costs 2 cpu\n1\t1\t1\tk\n", "zyxc costs 1 cpu\n"}) {
    CHECK(MeasuredCosts::parse(text, "f").error().message().starts_with("f: no times of kernels"));
  }
  for (const char *line :
       {"1", "g\t1\t1\tk", "1\t-1\t1\tk", "1\t1\t0\tk", "1\t1\t1.5\tk", "\t1\t1\tk",
        "1\t99999999999999999999\t1\tk", "1\t1\t9223372036854775807\tk"}) {
    std::string text = std::string("zyxc costs 1 cpu\n1\t1\t1\tk\n") + line + "\n";
    Expected<MeasuredCosts> read = MeasuredCosts::parse(text, "f");
    REQUIRE(!read);
    CHECK(read.error().message().starts_with("f: line 3: expected hash"));
  }
}
