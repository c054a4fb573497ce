// Kernels of graphs whose sizes are known at run time only: each is compared with the reference
// interpreter at several values of the variables.
#include "compiler/kernelize/Candidates.h"
#include "test/unit/SymbolicGraphs.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using namespace zyxc::kernelize;

static CandidateTable candidatesOf(const SymbolicGraph &g) {
  Expected<CandidateTable> table = buildCandidates(g.graph);
  INFO((table ? "" : table.error().message()));
  REQUIRE(table);
  return std::move(*table);
}

TEST_CASE("every kernel of a symbolic graph is right at all sizes", "[kernelize][symbolic]") {
  for (const SymbolicCase &one : symbolicCases()) {
    INFO(one.name);
    SymbolicGraph g;
    one.build(g);
    g.finish();
    CHECK(checkAllCuts(g, one.bindings()) > 0);
  }
}

TEST_CASE("no symbolic size reaches a cost", "[kernelize][symbolic]") {
  for (const SymbolicCase &one : symbolicCases()) {
    INFO(one.name);
    SymbolicGraph g;
    one.build(g);
    g.finish();
    for (const PricedProgram &priced : candidatesOf(g).programs) {
      INFO(priced.program.toText());
      CHECK(priced.cost > 0);
      CHECK(priced.cost < int64_t(1) << 40);
      CHECK(priced.bytes > 0);
      CHECK(priced.bytes < int64_t(1) << 30);
      CHECK(priced.flops < int64_t(1) << 30);
    }
  }
}

TEST_CASE("kernels divide by symbolic sizes only where rows do not match",
          "[kernelize][symbolic]") {
  for (const SymbolicCase &one : symbolicCases()) {
    INFO(one.name);
    SymbolicGraph g;
    one.build(g);
    g.finish();
    bool divides = false;
    for (const PricedProgram &priced : candidatesOf(g).programs) {
      std::string text = priced.program.toText();
      for (std::string_view by : {"floordiv N", "floordiv M", "mod N", "mod M"}) {
        divides |= text.find(by) != std::string::npos;
      }
    }
    CHECK(divides == one.divides);
  }
}

TEST_CASE("nothing with symbolic sizes is prepared at load", "[kernelize][symbolic]") {
  for (const SymbolicCase &one : symbolicCases()) {
    INFO(one.name);
    SymbolicGraph g;
    one.build(g);
    g.finish();
    CandidateTable table = candidatesOf(g);
    for (const Candidate &candidate : table.candidates) {
      bool isOpen = candidate.kind == Candidate::Kind::Kernel &&
                    !table.programs[candidate.program].program.dims.empty();
      CHECK_FALSE((candidate.prepare && isOpen));
    }
  }
}

TEST_CASE("a softmax of unknown size is one row program", "[kernelize][symbolic]") {
  SymbolicGraph g;
  g.output("y", g.op(OpKind::Softmax, {g.x({"N", "M"})}, {{"axes", Shape{1}}}));
  g.finish();
  CandidateTable table = candidatesOf(g);
  CHECK(std::any_of(table.programs.begin(), table.programs.end(), [](const PricedProgram &priced) {
    const Program &program = priced.program;
    return program.family == Family::Row && program.extents == sizesOf({"N", "M"}) &&
           program.dims == sizesOf({"N", "M"});
  }));
}

TEST_CASE("an alias may start at a symbolic offset", "[kernelize][symbolic]") {
  SymbolicGraph g;
  ClassId x = g.op(OpKind::Exp, {g.x({"N + M", "3"})});
  g.output("whole", x);
  g.output("tail", g.narrow(x, sizesOf({"N", "0"}), sizesOf({"M", "3"}), {1, 1}));
  g.finish();
  CandidateTable table = candidatesOf(g);
  CHECK(std::any_of(table.candidates.begin(), table.candidates.end(), [](const Candidate &one) {
    return one.kind == Candidate::Kind::Alias &&
           one.offset == static_cast<uint64_t>(sizeOf("12 * N"));
  }));
}

TEST_CASE("prefix sums of unknown length", "[kernelize][symbolic]") {
  SymbolicGraph g;
  ClassId x = g.x({"N", "M", "2"});
  for (int64_t reverse : {0, 1}) {
    ClassId scan = g.op(OpKind::ScanSum, {x},
                        {{"axis", int64_t{1}}, {"exclusive", 1 - reverse}, {"reverse", reverse}});
    g.output("scan", scan);
  }
  g.finish();
  std::vector<dim::Bindings> bindings;
  for (int64_t m : {0, 1, 7}) {
    bindings.push_back({{"N", 2}, {"M", m}});
  }
  CHECK(checkAllCuts(g, bindings) > 0);
}
