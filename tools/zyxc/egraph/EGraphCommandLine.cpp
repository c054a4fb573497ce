#include "tools/zyxc/egraph/EGraphCommand.h"
#include <thread>

namespace zyxc::tool {

namespace {

/// Actions that take an option, as bits.
constexpr unsigned onExtract = 1, onStats = 2, onSaturate = 4, onExplain = 8, onDot = 16;
constexpr unsigned onFiles = onExtract | onStats | onDot, onRuns = onSaturate | onExplain;
constexpr unsigned onAll = onFiles | onRuns;

constexpr Operands fileAndTerms = {"FILE TERM TERM", "one file and two terms", 1, 3};

constexpr Action<EGraphLine> actions[] = {
    {"extract", onExtract, oneFile,
     "the cheapest choice of one node for each class that the roots need", extractFromFile},
    {"stats", onStats, oneFile, "count nodes, classes, cycles and what can be chosen",
     printEGraphStats},
    {"dot", onDot, oneFile, "print a small e-graph as text for Graphviz", printDot},
    {"saturate", onSaturate, oneFile, "apply rules to terms, both in FILE, until nothing is new",
     saturateProgram},
    {"explain", onExplain, fileAndTerms,
     "prove that two terms are equal, by the rules and start terms in FILE", explainTerms},
};

Status setMethod(EGraphLine &line, std::string_view text) {
  constexpr std::pair<std::string_view, ExtractMethod> methods[] = {
      {"exact", ExtractMethod::Exact},
      {"greedy-dag", ExtractMethod::GreedyDag},
      {"greedy-dag-fifo", ExtractMethod::GreedyDagFifo},
      {"tree", ExtractMethod::Tree},
  };
  for (const auto &[name, method] : methods) {
    if (name == text) {
      line.method = method;
      return Status::ok();
    }
  }
  return makeError(ErrorCode::Usage, "use exact, greedy-dag, greedy-dag-fifo or tree");
}

constexpr ActionOption<EGraphLine> options[] = {
    {"budget", onExtract, "N",
     "effort in search nodes, of about the same time on any file (default 200000)",
     setInRange<&EGraphLine::budget, 1, 1'000'000'000'000>},
    {"time-limit", onExtract, "SECONDS",
     "end after this time, too; the result then depends on the machine",
     [](EGraphLine &line, std::string_view text) {
       return setNumber<double>(line.timeLimit, text, 0.001, 1e6);
     }},
    {"memory", onExtract, "MB",
     "what the search may hold, its states above all, in units of 2^20 bytes (default 2048)",
     setInRange<&EGraphLine::memory, 1, 1'000'000>},
    {"method", onExtract, "NAME",
     "exact (default), or without proof: greedy-dag, greedy-dag-fifo (slower, to compare), tree",
     setMethod},
    {"repair-roots", onFiles, "",
     "drop roots that are no class; if none is left take the classes that no other class uses",
     turnOn<&EGraphLine::repairRoots>},
    {"rules", onRuns, "FILE", "more rules, from a file that has nothing else",
     setText<&EGraphLine::rules>},
    {"iterations", onRuns, "N", "rounds of search, apply and rebuild, at most (default 30)",
     setInRange<&EGraphLine::iterations, 0, 1'000'000'000>},
    {"nodes", onRuns, "N", "stop at this many nodes (default 10000000)",
     setInRange<&EGraphLine::nodes, 1, 4'000'000'000>},
    {"backoff", onRuns, "N",
     "a rule with more matches in one iteration waits for 5 iterations; both double each time",
     setInRange<&EGraphLine::backoff, 1, 1'000'000'000>},
    {"new-rows", onRuns, "X",
     "an iteration takes this part of the rows as new, the oldest first (default 0: all)",
     setInRange<&EGraphLine::newRows, 0.0, 1.0>},
    {"threads", onRuns, "N", "threads that search (default 1; 0: all cores)",
     setInRange<&EGraphLine::threads, 0, 1024>},
    {"time-rules", onSaturate, "", "search each rule alone, so that its time is known",
     turnOn<&EGraphLine::timeRules>},
    {"out", onSaturate, "FILE", "write the e-graph as JSON, with the start terms as roots",
     setText<&EGraphLine::out>},
    {"cost", onSaturate, "OP=COST,..", "with --out: costs of ops' nodes (default 1)",
     [](EGraphLine &line, std::string_view text) { return addCosts(line.costs, text); }},
    {"most-nodes", onDot, "N", "the most nodes that are drawn (default 500)",
     setInRange<&EGraphLine::mostNodes, 1, 1'000'000>},
    {"proofs", onSaturate, "", "keep what proofs need; two numbers in one class are then explained",
     turnOn<&EGraphLine::keepProofs>},
    {"add", onExplain, "", "add both terms to the start terms", turnOn<&EGraphLine::addTerms>},
    {"json", onAll & ~onDot, "", "print JSON", turnOn<&EGraphLine::json>},
};

/// Options against each other; the threads of this machine.
Status finishLine(EGraphLine &line) {
  if (!line.costs.empty() && line.out.empty()) {
    return makeError(ErrorCode::Usage, "--cost says what nodes cost in the file of --out");
  }
  line.threads =
      line.threads == 0 ? std::max(1u, std::thread::hardware_concurrency()) : line.threads;
  return Status::ok();
}

constexpr ActionCommand<EGraphLine> command = {
    .name = "zyxc egraph",
    .help = "e-graphs in files",
    .notes = "FILE is egraph-serialize JSON, for saturate and explain terms and rules as text. "
             "Exit codes:\n"
             "0 ok, 2 usage, 3 input unreadable or malformed, 4 negative or too large costs, 5 not "
             "proved.\n",
    .actions = actions,
    .options = options,
    .finish = finishLine,
};

} // namespace

Status egraphCommand(std::span<char *const> arguments) {
  return runActions(command, arguments);
}

} // namespace zyxc::tool
