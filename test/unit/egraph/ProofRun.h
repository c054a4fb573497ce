// A program that is saturated with all that proofs need, for tests of proofs.
#pragma once
#include "compiler/egraph/pattern/Program.h"
#include "compiler/egraph/pattern/Saturate.h"
#include "compiler/egraph/proof/CheckProof.h"
#include "compiler/egraph/proof/Explainer.h"
#include <catch2/catch.hpp>
#include <cstdlib>

namespace zyxc::egraph {

inline constexpr GraphOptions withMatches = {
    .keepLog = true, .trackAges = true, .keepMatches = true};

inline Program parse(std::string_view text) {
  Program program;
  Status status = program.add(text);
  INFO(status.message());
  REQUIRE(status.isOk());
  return program;
}

/// A program and its saturated graph.
struct ProofRun {
  Program program;
  EGraph graph{nullptr, withMatches};
  std::vector<uint32_t> commutative;

  explicit ProofRun(std::string_view text, uint64_t maxNodes = 300, unsigned variant = 0)
      : program(parse(text)) {
    if (variant % 5 == 4) {
      commutative.push_back(program.language.op("f", 2));
      graph.setCommutative(commutative[0]);
    }
    program.addStarts(graph);
    SaturateOptions options;
    options.budget = {maxNodes, ~0ull, 12, ~0ull};
    options.timeRules = variant % 2 == 1;
    options.backoffMatches = variant % 3 == 1 ? 5 : 0;
    options.newRows = variant % 3 == 2 ? 0.1 : 0;
    options.leastNewRows = 4;
    Expected<SaturateReport> report = saturate(graph, program.rules, options);
    REQUIRE(report);
    REQUIRE(report->conflict.isOk());
  }
  Axioms axioms() const { return {program.rules, commutative}; }
};

inline bool isLong() {
  return std::getenv("ZYXC_LONG_TESTS") != nullptr;
}

} // namespace zyxc::egraph
