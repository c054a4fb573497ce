// `zyxc egraph explain`: why two terms are equal, as a proof that the checker has replayed.
#include "compiler/egraph/proof/CheckProof.h"
#include "compiler/egraph/proof/Explainer.h"
#include "compiler/egraph/proof/ProofText.h"
#include "tools/zyxc/egraph/ProgramRun.h"

namespace zyxc::tool {

using namespace zyxc::egraph;

/// One term without variables, from the command line.
static Expected<Pattern> readTerm(Program &program, const std::string &text) {
  size_t rules = program.rules.size();
  size_t starts = program.starts.size();
  Status status = program.add(text);
  if (!status.isOk()) {
    return Status(ErrorCode::Usage, fmt::format("term '{}': {}", text, status.message()));
  }
  if (program.rules.size() != rules || program.starts.size() != starts + 1) {
    return makeError(ErrorCode::Usage, "'{}' is not one term: write (OP OPERANDS..) or an atom",
                     text);
  }
  Pattern term = std::move(program.starts.back());
  program.starts.pop_back();
  return term;
}

static Expected<Proof> prove(const EGraphLine &line, const Program &program, const EGraph &graph,
                             const SaturateReport &report, std::span<const Pattern> terms) {
  Expected<Proof> proof = Explainer(graph, program.rules).explain(terms[0], terms[1]);
  if (!proof && !report.conflict.isOk()) {
    return report.conflict; // a graph that is wrong says nothing about other terms
  }
  if (!proof) {
    return makeError(proof.error().code(), "{}: {}: {} after {} iterations{}", line.file,
                     proof.error().message(), toString(report.stop), report.iterations.size(),
                     line.addTerms ? "" : "; --add adds both terms before the run");
  }
  Status checked = checkProof(*proof, {program.rules});
  if (!checked.isOk()) {
    return makeError(ErrorCode::Internal, "{}: {}; please report it", line.file, checked.message());
  }
  return proof;
}

Status explainTerms(const EGraphLine &line) {
  if (line.operands.size() != 2) {
    return makeError(ErrorCode::Usage,
                     "zyxc egraph explain takes two terms behind the file: \"(OP OPERANDS..)\"");
  }
  ZYXC_ASSIGN(Program program, readProgram(line));
  std::vector<Pattern> terms;
  for (const std::string &text : line.operands) {
    ZYXC_ASSIGN(Pattern term, readTerm(program, text));
    terms.push_back(std::move(term));
  }
  EGraph graph(nullptr, {.keepLog = true, .trackAges = true, .keepMatches = true});
  program.addStarts(graph);
  for (const Pattern &term : terms) {
    if (line.addTerms) {
      addTerm(graph, term);
    }
  }
  ZYXC_ASSIGN(SaturateReport report, runProgram(graph, program, line));
  ZYXC_ASSIGN(Proof proof, prove(line, program, graph, report, terms));
  ProgramNames names(program);
  if (line.json) {
    fmt::print("{}\n", toJson(proof, names));
    return Status::ok();
  }
  fmt::print("{}\n{} steps over {} terms, replayed without the e-graph\n", toText(proof, names),
             proof.steps.size(), proof.terms.size());
  return Status::ok();
}

} // namespace zyxc::tool
