#include "compiler/egraph/pattern/Saturate.h"
#include "compiler/egraph/proof/CheckProof.h"
#include "compiler/egraph/proof/Explainer.h"
#include "compiler/egraph/proof/ProofText.h"
#include <fmt/format.h>

using namespace zyxc;
using namespace zyxc::egraph;

/// Prints whether (x << 1) / 2 is x.
Status example() {
  // Rules and start terms as text; Rule.h has them as data.
  Program program;
  ZYXC_RETURN_IF_ERROR(program.add(R"(
    shift:     (<< a 1) => (* a 2)
    associate: (/ (* a b) c) = (* a (/ b c))
    cancel:    (/ a a) => 1
    one:       (* a 1) => a
    (/ (<< x 1) 2)
    x
  )"));

  // A graph that finds new matches only, and keeps why classes are equal.
  EGraph graph(nullptr, {.trackAges = true, .keepMatches = true});
  std::vector<Id> terms = program.addStarts(graph);

  SaturateOptions options;
  options.budget.maxNodes = 1000;
  ZYXC_ASSIGN(SaturateReport report, saturate(graph, program.rules, options));
  ZYXC_RETURN_IF_ERROR(report.conflict);

  fmt::print("{} after {} iterations: {} nodes in {} classes; the terms are {}\n",
             toString(report.stop), report.iterations.size(), graph.numLiveNodes(),
             graph.numClasses(),
             graph.same(terms[0], terms[1]) ? "equal" : "not known to be equal");
  for (const RuleReport &rule : report.rules) {
    fmt::print("  {}: {} matches, {} unions\n", rule.name, rule.matches, rule.unions);
  }

  // Why the terms are equal: a proof, which is replayed without the graph.
  ZYXC_ASSIGN(Proof proof, Explainer(graph, program.rules).explain(terms[0], terms[1]));
  ZYXC_RETURN_IF_ERROR(checkProof(proof, {program.rules}));
  fmt::print("{}", toText(proof, ProgramNames(program)));

  // The graph: classes have nodes, nodes have an op, a payload and operand classes.
  for (NodeId node : graph.nodesOf(terms[1])) {
    fmt::print("  x is also: {} of {} operands\n", program.language.label(graph, node),
               graph.children(node).size());
  }
  return Status::ok();
}
// Up to here it is the example of docs/egraph.md, which test/docs compares.
#include <catch2/catch.hpp>

TEST_CASE("the example of docs/egraph.md runs", "[saturate]") {
  Status status = example();
  INFO(status.message());
  CHECK(status.isOk());
}
