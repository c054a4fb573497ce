#include "runtime/support/File.h"
#include "tools/zyxc/egraph/ProgramRun.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace zyxc::tool {

using namespace zyxc::egraph;

namespace {

/// Live nodes and classes of an op.
struct OpCount {
  std::string name;
  uint32_t nodes = 0;
  uint32_t classes = 0; ///< that have such a node
};

} // namespace

static std::vector<OpCount> countOps(const EGraph &graph, const Language &language) {
  std::vector<OpCount> counts;
  std::vector<uint32_t> seenBy(graph.numNodes(), none);
  for (uint32_t op = 0; op < language.numOps(); ++op) {
    OpCount count = {language.opName(op)};
    for (NodeId node : graph.nodesWithOp(op)) {
      if (graph.isLive(node)) {
        uint32_t &seen = seenBy[graph.find(node)];
        count.classes += seen != op;
        seen = op;
        ++count.nodes;
      }
    }
    if (count.nodes > 0) {
      counts.push_back(std::move(count));
    }
  }
  return counts;
}

static void printText(const EGraph &graph, const Language &language, const SaturateReport &report) {
  fmt::print("{} after {} iterations and {} matches: {} nodes in {} classes\n",
             toString(report.stop), report.iterations.size(), report.matches, graph.numLiveNodes(),
             graph.numClasses());
  fmt::print("\n{:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  (ms)\n", "matches", "nodes", "classes",
             "search", "apply", "rebuild");
  for (const IterationReport &iteration : report.iterations) {
    fmt::print("{:>9} {:>9} {:>9} {:>9.1f} {:>9.1f} {:>9.1f}\n", iteration.matches, iteration.nodes,
               iteration.classes, iteration.search, iteration.apply, iteration.rebuild);
  }
  fmt::print("\n{:>9} {:>9}  op\n", "nodes", "classes");
  for (const OpCount &count : countOps(graph, language)) {
    fmt::print("{:>9} {:>9}  {}\n", count.nodes, count.classes, count.name);
  }
  fmt::print("\n{:>9} {:>9} {:>9} {:>9}  rule\n", "matches", "unions", "nodes", "ms");
  for (const RuleReport &rule : report.rules) {
    fmt::print("{:>9} {:>9} {:>9} {:>9.1f}  {}{}\n", rule.matches, rule.unions, rule.nodes,
               rule.search + rule.apply, rule.name,
               rule.heldBack > 0 ? fmt::format(" (held back {} times)", rule.heldBack) : "");
  }
}

static llvm::json::Object iterationJson(const IterationReport &iteration) {
  return llvm::json::Object{{"matches", static_cast<int64_t>(iteration.matches)},
                            {"nodes", iteration.nodes},
                            {"classes", iteration.classes},
                            {"searchMs", iteration.search},
                            {"applyMs", iteration.apply},
                            {"rebuildMs", iteration.rebuild}};
}

static llvm::json::Object ruleJson(const RuleReport &rule) {
  return llvm::json::Object{{"name", rule.name},
                            {"matches", static_cast<int64_t>(rule.matches)},
                            {"unions", static_cast<int64_t>(rule.unions)},
                            {"nodes", static_cast<int64_t>(rule.nodes)},
                            {"heldBack", rule.heldBack},
                            {"searchMs", rule.search},
                            {"applyMs", rule.apply}};
}

static void printJson(const EGraph &graph, const Language &language, const SaturateReport &report) {
  llvm::json::Array iterations, ops, rules;
  for (const IterationReport &iteration : report.iterations) {
    iterations.push_back(iterationJson(iteration));
  }
  for (const OpCount &count : countOps(graph, language)) {
    ops.push_back(llvm::json::Object{
        {"name", count.name}, {"nodes", count.nodes}, {"classes", count.classes}});
  }
  for (const RuleReport &rule : report.rules) {
    rules.push_back(ruleJson(rule));
  }
  llvm::json::Object object{{"stop", toString(report.stop)},
                            {"matches", static_cast<int64_t>(report.matches)},
                            {"nodes", graph.numLiveNodes()},
                            {"classes", graph.numClasses()},
                            {"bytes", static_cast<int64_t>(graph.memoryBytes())},
                            {"iterations", std::move(iterations)},
                            {"ops", std::move(ops)},
                            {"rules", std::move(rules)}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  fmt::print("{}\n", text);
}

Status saturateProgram(const EGraphLine &line) {
  ZYXC_ASSIGN(Program program, readProgram(line));
  EGraph graph(nullptr, {.keepLog = true, .trackAges = true, .keepMatches = line.keepProofs});
  std::vector<Id> roots = program.addStarts(graph);
  ZYXC_ASSIGN(SaturateReport report, runProgram(graph, program, line));
  if (!report.conflict.isOk()) {
    return makeError(report.conflict.code(), "{}: {}{}", line.file, report.conflict.message(),
                     line.keepProofs ? "" : "; --proofs gives the rules of a proof, in order");
  }
  if (!line.out.empty()) {
    ZYXC_ASSIGN(std::string text, toSerializeJson(graph, program.language, roots, line.costs));
    ZYXC_RETURN_IF_ERROR(writeFile(line.out, text));
  }
  (line.json ? printJson : printText)(graph, program.language, report);
  return Status::ok();
}

} // namespace zyxc::tool
