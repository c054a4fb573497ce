// Random terms of exact arithmetic, saturated with laws that hold: every node of every class has
// the value of the class, so whatever is extracted from it has the value of the start term. Values
// are in the field of integers modulo 2^61 - 1, in which the rational numbers of programs have a
// value.
#include "compiler/egraph/pattern/Program.h"
#include "compiler/egraph/pattern/Saturate.h"
#include "compiler/extract/Extract.h"
#include "test/unit/egraph/ProofRun.h"
#include <catch2/catch.hpp>
#include <optional>

using namespace zyxc;
using namespace zyxc::egraph;

namespace {

const char *const laws[] = {
    "(+ a b) = (+ b a)",
    "(* a b) = (* b a)",
    "(+ a (+ b c)) = (+ (+ a b) c)",
    "(* a (* b c)) = (* (* a b) c)",
    "(* a (+ b c)) => (+ (* a b) (* a c))",
    "(+ (* a b) (* a c)) => (* a (+ b c))",
    "(- a b) = (+ a (* -1 b))",
    "(- a a) => 0",
    "(+ a 0) => a",
    "(* a 1) => a",
    "(* a 0) => 0",
    "(+ a a) => (* 2 a)",
    "(neg a) = (* -1 a)",
    "(neg (neg a)) => a",
    "(* 1/2 (+ a a)) => a",
    "(/ a 2) = (* a 1/2)",
    "(f (+ a b)) => (f (+ b a))",
    "(sq a) = (* a a)",
    "(sq (+ a b)) => (+ (sq a) (+ (* 2 (* a b)) (sq b)))",
    "(+ a b) as s, (- s b) as d => d = a",
    "(+ a b) as s, (+ c b) as s => a = c", // a field: what is added can be taken away
    "(* 2 a) as p, (* 2 b) as p => a = b",
    "(f a) as p, (f b) as q, (+ a b) as s => p = (f (- s b)), q = (f (- s a))",
};

std::string randomArithmetic(std::mt19937 &random, int depth) {
  const char *atoms[] = {"x", "y", "z", "0", "1", "2", "-1", "1/2", "3"};
  if (depth == 0 || random() % 8 == 0) {
    return atoms[random() % std::size(atoms)];
  }
  std::string first = randomArithmetic(random, depth - 1);
  switch (random() % 12) {
  case 0: return fmt::format("(neg {})", first);
  case 1: return fmt::format("(f {})", first);
  case 2: return fmt::format("(/ {} 2)", first);
  case 3: return fmt::format("(sq {})", first);
  default:
    return fmt::format("({} {} {})", "+*-"[random() % 3], first,
                       randomArithmetic(random, depth - 1));
  }
}

constexpr uint64_t prime = (1ull << 61) - 1;
using Wide = unsigned __int128;

uint64_t times(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>(Wide(a) * b % prime);
}

uint64_t inverse(uint64_t a) {
  uint64_t result = 1;
  for (uint64_t power = prime - 2; power > 0; power /= 2) { // Fermat
    result = power % 2 == 1 ? times(result, a) : result;
    a = times(a, a);
  }
  return result;
}

uint64_t modulo(int64_t a) {
  return a < 0 ? prime - static_cast<uint64_t>(-a) : uint64_t(a);
}

/// The value of a node over the values of its operands; `f` is some function.
uint64_t valueOf(const std::string &label, bool isNumber, const Number &number,
                 std::span<const uint64_t> of) {
  if (isNumber) {
    return times(modulo(number.numerator), inverse(modulo(number.denominator)));
  }
  if (of.empty()) {
    return 1'000'003u * static_cast<uint64_t>(label[0]); // x, y, z
  }
  switch (label[0]) {
  case '+': return (of[0] + of[1]) % prime;
  case '-': return (of[0] + prime - of[1]) % prime;
  case '*': return times(of[0], of[1]);
  case '/': return times(of[0], inverse(of[1]));
  case 'n': return (prime - of[0]) % prime;
  case 's': return times(of[0], of[0]);
  default: return times(of[0] ^ 0x5bd1e995, of[0] + 12'345);
  }
}

using ClassValues = std::vector<std::optional<uint64_t>>; // by canonical class

/// The value of a node, if the values of its operands are known.
std::optional<uint64_t> nodeValue(const EGraph &graph, const Language &language, NodeId node,
                                  const ClassValues &known) {
  std::vector<uint64_t> operands;
  for (Id child : graph.children(node)) {
    std::optional<uint64_t> operand = known[graph.find(child)];
    if (!operand) {
      return std::nullopt;
    }
    operands.push_back(*operand);
  }
  bool isNumber = graph.op(node) == Language::numberOp;
  return valueOf(language.label(graph, node), isNumber,
                 isNumber ? language.numberOf(graph.payload(node)) : Number(), operands);
}

/// Values of all classes, from the first node of each whose value becomes known.
ClassValues allValues(const EGraph &graph, const Language &language) {
  ClassValues known(graph.numNodes());
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeId node = 0; node < graph.numNodes(); ++node) {
      std::optional<uint64_t> &value = known[graph.find(node)];
      if (graph.isLive(node) && !value) {
        value = nodeValue(graph, language, node, known);
        changed |= value.has_value();
      }
    }
  }
  return known;
}

/// The value of the term that extraction chooses for a class, from the chosen nodes alone.
uint64_t extractedValue(const EGraph &graph, const Language &language, Id root) {
  extract::Problem problem;
  problem.numClasses = graph.numNodes();
  problem.required = {graph.find(root)};
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < graph.numNodes(); ++node) {
    std::vector<uint32_t> inputs;
    for (Id child : graph.children(node)) {
      inputs.push_back(graph.find(child));
    }
    std::ranges::sort(inputs);
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    bool usesItself = std::ranges::find(inputs, graph.find(node)) != inputs.end();
    if (graph.isLive(node) && !usesItself) {
      problem.candidates.push_back({std::move(inputs), {graph.find(node)}, 1});
      nodes.push_back(node);
    }
  }
  Expected<extract::Solution> solution = extract::solve(problem, {.searchNodes = 20});
  REQUIRE(solution);
  REQUIRE(extract::check(problem, *solution).isOk());
  ClassValues known(graph.numNodes());
  for (uint32_t chosen : solution->chosen) {
    known[graph.find(nodes[chosen])] = nodeValue(graph, language, nodes[chosen], known);
  }
  REQUIRE(known[graph.find(root)].has_value());
  return *known[graph.find(root)];
}

/// A program of some laws and two terms, saturated in one of the ways that there are. Returns how
/// many nodes were added.
uint32_t checkProgram(unsigned seed) {
  std::mt19937 random(seed);
  std::string text;
  for (uint32_t count = 5 + random() % 12; count > 0; --count) {
    text += fmt::format("{}\n", laws[random() % std::size(laws)]);
  }
  text += randomArithmetic(random, 5) + "\n" + randomArithmetic(random, 3) + "\n";
  INFO("seed " << seed << ":\n" << text);
  Program program;
  REQUIRE(program.add(text).isOk());
  EGraph graph(nullptr, {.keepLog = seed % 2 == 0,
                         .trackAges = true,
                         .keepMatches = seed % 4 == 0,
                         .rowsPerTime = 1 + seed % 5});
  std::vector<Id> starts = program.addStarts(graph);
  std::vector<uint64_t> before;
  before.reserve(starts.size());
  uint32_t nodesBefore = graph.numNodes();
  ClassValues values = allValues(graph, program.language);
  for (Id start : starts) {
    before.push_back(*values[graph.find(start)]);
  }
  SaturateOptions options;
  options.budget = {200 + random() % 600, 6'000, 7, ~0ull};
  options.backoffMatches = seed % 3 == 0 ? 10 : 0;
  options.newRows = seed % 5 < 2 ? 0.1 : 0;
  options.leastNewRows = 8;
  options.threads = seed % 16 == 0 ? 2 : 1;
  options.verify = true;
  Expected<SaturateReport> report = saturate(graph, program.rules, options);
  REQUIRE(report);
  INFO(report->conflict.message());
  REQUIRE(report->conflict.isOk());
  values = allValues(graph, program.language);
  for (NodeId node = 0; node < graph.numNodes(); ++node) {
    if (graph.isLive(node)) {
      REQUIRE(nodeValue(graph, program.language, node, values) == values[graph.find(node)]);
    }
  }
  for (size_t i = 0; i < starts.size(); ++i) {
    REQUIRE(*values[graph.find(starts[i])] == before[i]);
    REQUIRE(extractedValue(graph, program.language, starts[i]) == before[i]);
  }
  return graph.numNodes() - nodesBefore;
}

} // namespace

TEST_CASE("random terms keep their values when they are saturated and extracted", "[saturate]") {
  const unsigned count = isLong() ? 10'000 : 500;
  uint64_t added = 0;
  for (unsigned seed = 0; seed < count; ++seed) {
    added += checkProgram(seed);
  }
  CHECK(added > 30 * count); // else programs are too small to mean much
}

TEST_CASE("a law that does not hold changes the value of a term", "[saturate]") {
  Program program;
  REQUIRE(program.add("(- a b) => (- b a)\n(- x y)").isOk());
  EGraph graph(nullptr, {.keepLog = true, .trackAges = true});
  Id start = program.addStarts(graph)[0];
  REQUIRE(saturate(graph, program.rules));
  ClassValues values = allValues(graph, program.language);
  bool differs = false;
  for (NodeId node : graph.nodesOf(start)) {
    differs |= nodeValue(graph, program.language, node, values) != values[graph.find(start)];
  }
  CHECK(differs);
}
