// `zyxc egraph ACTION FILE`: e-graphs without tensors, in egraph-serialize JSON (extract, stats,
// dot) and made by rules from terms in text (saturate, explain). docs/cli.md describes the options;
// the table of options is in EGraphCommandLine.cpp.
#pragma once
#include "tools/zyxc/egraph/WriteEGraph.h"
#include "tools/zyxc/run/Actions.h"
#include <cstdint>

namespace zyxc::tool {

/// How extract chooses: with a proof, or by a heuristic.
enum class ExtractMethod { Exact, GreedyDag, GreedyDagFifo, Tree };

/// The options of all actions.
struct EGraphLine : ActionLine {
  uint64_t budget = 0;  ///< extract: in search nodes; 0: the extractor's default
  double timeLimit = 0; ///< extract: seconds; 0: none
  uint64_t memory = 0;  ///< extract: megabytes; 0: the extractor's default
  ExtractMethod method = ExtractMethod::Exact;
  bool repairRoots = false;    ///< roots that are no class are dropped
  bool json = false;           ///< print JSON
  std::string rules;           ///< saturate: a file with more rules
  uint64_t iterations = 30;    ///< saturate: at most
  uint64_t nodes = 10'000'000; ///< saturate: at most
  uint64_t backoff = 0;        ///< saturate: matches above which a rule is held back; 0: never
  double newRows = 0;       ///< saturate: part of the rows that an iteration takes as new; 0: all
  unsigned threads = 1;     ///< saturate, explain: that search; 0: all cores
  bool timeRules = false;   ///< saturate: search each rule alone, to know its time
  std::string out;          ///< saturate: where the e-graph goes; empty: nowhere
  OpCosts costs;            ///< saturate: of ops, for `out`
  uint64_t mostNodes = 500; ///< dot: of the largest e-graph that is drawn
  bool keepProofs = false;  ///< saturate: keep what proofs need
  bool addTerms = false;    ///< explain: add them to the start terms
};

/// Runs `zyxc egraph` with the arguments after `egraph`. Prints to standard output.
Status egraphCommand(std::span<char *const> arguments);

Status extractFromFile(const EGraphLine &line);
Status printEGraphStats(const EGraphLine &line);
Status printDot(const EGraphLine &line);
Status saturateProgram(const EGraphLine &line);
Status explainTerms(const EGraphLine &line);

} // namespace zyxc::tool
