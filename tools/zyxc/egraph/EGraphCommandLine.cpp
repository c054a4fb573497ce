#include "tools/zyxc/egraph/EGraphCommand.h"
#include "tools/zyxc/run/OptionText.h"
#include <algorithm>
#include <fmt/core.h>

namespace zyxc::tool {

namespace {

/// Actions that take an option, as bits.
constexpr unsigned onExtract = 1, onStats = 2, onSaturate = 4, onExplain = 8;
constexpr unsigned onFiles = onExtract | onStats, onRuns = onSaturate | onExplain, onAll = 15;

struct Action {
  std::string_view name;
  unsigned bit;
  std::string_view help;
  Status (*run)(const EGraphLine &line);
};

constexpr Action actions[] = {
    {"extract", onExtract, "the cheapest choice of one node for each class that the roots need",
     extractFromFile},
    {"stats", onStats, "count nodes, classes, cycles and what can be chosen", printEGraphStats},
    {"saturate", onSaturate, "apply rules to terms, both in FILE, until nothing is new",
     saturateProgram},
    {"explain", onExplain, "prove that two terms are equal, by the rules and start terms in FILE",
     explainTerms},
};

struct Option {
  std::string_view name;
  unsigned actions;
  std::string_view value; ///< what the help calls its value; empty for a switch
  std::string_view help;
  Status (*set)(EGraphLine &line, std::string_view text);
};

/// A switch that sets a member.
template <bool EGraphLine::*member> Status turnOn(EGraphLine &line, std::string_view) {
  line.*member = true;
  return Status::ok();
}

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

constexpr Option options[] = {
    {"budget", onExtract, "N", "states that branch and bound may expand (default 200000)",
     [](EGraphLine &line, std::string_view text) {
       return setNumber<uint64_t>(line.budget, text, 1, 1'000'000'000'000);
     }},
    {"method", onExtract, "NAME",
     "exact (default), or without proof: greedy-dag, greedy-dag-fifo (slower, to compare), tree",
     setMethod},
    {"repair-roots", onFiles, "",
     "drop roots that are no class; if none is left take the classes that no other class uses",
     turnOn<&EGraphLine::repairRoots>},
    {"rules", onRuns, "FILE", "more rules, from a file that has nothing else",
     [](EGraphLine &line, std::string_view text) {
       line.rules = text;
       return Status::ok();
     }},
    {"iterations", onRuns, "N", "rounds of search, apply and rebuild, at most (default 30)",
     [](EGraphLine &line, std::string_view text) {
       return setNumber<uint64_t>(line.iterations, text, 0, 1'000'000'000);
     }},
    {"nodes", onRuns, "N", "stop at this many nodes (default 10000000)",
     [](EGraphLine &line, std::string_view text) {
       return setNumber<uint64_t>(line.nodes, text, 1, 4'000'000'000);
     }},
    {"backoff", onRuns, "N",
     "a rule with more matches in one iteration waits for 5 iterations; both double each time",
     [](EGraphLine &line, std::string_view text) {
       return setNumber<uint64_t>(line.backoff, text, 1, 1'000'000'000);
     }},
    {"time-rules", onSaturate, "", "search each rule alone, so that its time is known",
     turnOn<&EGraphLine::timeRules>},
    {"proofs", onSaturate, "", "keep what proofs need; two numbers in one class are then explained",
     turnOn<&EGraphLine::keepProofs>},
    {"add", onExplain, "", "add both terms to the start terms", turnOn<&EGraphLine::addTerms>},
    {"json", onAll, "", "print JSON", turnOn<&EGraphLine::json>},
};

} // namespace

static std::string_view operandsOf(const Action &action) {
  return action.bit == onExplain ? "FILE TERM TERM" : "FILE";
}

static void printOverview() {
  fmt::print("zyxc egraph: e-graphs in files\n\n");
  for (const Action &action : actions) {
    fmt::print("  zyxc egraph {:<8} {:<14}  {}\n", action.name, operandsOf(action), action.help);
  }
  fmt::print("\nFILE is egraph-serialize JSON, for saturate and explain terms and rules as text. "
             "Exit codes:\n"
             "0 ok, 2 usage, 3 input unreadable or malformed, 4 negative or too large costs, 5 not "
             "proved.\n\n"
             "Options of an action: zyxc egraph ACTION --help\n");
}

static void printHelp(const Action &action) {
  fmt::print("zyxc egraph {0}: {1}\n\nusage: zyxc egraph {0} [options] {2}\n\noptions:\n",
             action.name, action.help, operandsOf(action));
  for (const Option &option : options) {
    if (option.actions & action.bit) {
      fmt::print("  --{}{}{}\n      {}\n", option.name, option.value.empty() ? "" : " ",
                 option.value, option.help);
    }
  }
  fmt::print("  --help\n      print this\n");
}

/// Takes an option and its value; returns how many arguments it took.
static Expected<size_t> parseOption(EGraphLine &line, const Action &action,
                                    std::span<char *const> arguments) {
  std::string_view text = arguments[0];
  text.remove_prefix(text.starts_with("--") ? 2 : 1);
  size_t equals = text.find('=');
  std::string_view name = text.substr(0, equals);
  const auto *option = std::find_if(std::begin(options), std::end(options), [&](const Option &o) {
    return o.name == name && o.actions & action.bit;
  });
  if (option == std::end(options)) {
    return makeError(ErrorCode::Usage,
                     "zyxc egraph {0} has no option '{1}': see zyxc egraph {0} --help", action.name,
                     arguments[0]);
  }
  bool hasValue = equals != text.npos;
  if (option->value.empty() && hasValue) {
    return makeError(ErrorCode::Usage, "--{} takes no value", name);
  }
  std::string_view value = hasValue ? text.substr(equals + 1) : std::string_view();
  size_t taken = 1;
  if (!option->value.empty() && !hasValue) {
    if (arguments.size() < 2) {
      return makeError(ErrorCode::Usage, "--{} needs a value: {}", name, option->value);
    }
    value = arguments[1];
    taken = 2;
  }
  Status status = option->set(line, value);
  if (!status.isOk()) {
    return std::move(status).withContext(fmt::format("--{}={}", name, value));
  }
  return taken;
}

/// A term and no option: "-1/2".
static bool isNegative(std::string_view text) {
  return text.size() > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9';
}

static Expected<EGraphLine> parseLine(const Action &action, std::span<char *const> arguments) {
  EGraphLine line;
  for (size_t i = 0; i < arguments.size();) {
    std::string_view text = arguments[i];
    bool isTerm = action.bit == onExplain && !line.file.empty() && isNegative(text);
    if (text.starts_with("-") && text.size() > 1 && !isTerm) {
      ZYXC_ASSIGN(size_t taken, parseOption(line, action, arguments.subspan(i)));
      i += taken;
      continue;
    }
    if (action.bit == onExplain && !line.file.empty() && line.terms.size() < 2) {
      line.terms.emplace_back(text);
      ++i;
      continue;
    }
    if (!line.file.empty()) {
      return makeError(ErrorCode::Usage, "'{}': zyxc egraph {} takes {}", text, action.name,
                       action.bit == onExplain ? "one file and two terms" : "one file");
    }
    line.file = text;
    ++i;
  }
  if (line.file.empty()) {
    return makeError(ErrorCode::Usage, "no file is given: zyxc egraph {} FILE", action.name);
  }
  return line;
}

Status egraphCommand(std::span<char *const> arguments) {
  std::string_view first = arguments.empty() ? "--help" : arguments[0];
  if (first == "--help" || first == "-h" || first == "help") {
    printOverview();
    return Status::ok();
  }
  for (const Action &action : actions) {
    if (action.name != first) {
      continue;
    }
    for (std::string_view argument : arguments.subspan(1)) {
      if (argument == "--help" || argument == "-h") {
        printHelp(action);
        return Status::ok();
      }
    }
    ZYXC_ASSIGN(EGraphLine line, parseLine(action, arguments.subspan(1)));
    return action.run(line);
  }
  return makeError(ErrorCode::Usage,
                   "zyxc egraph has no action '{}': use extract, stats, saturate or explain",
                   first);
}

} // namespace zyxc::tool
