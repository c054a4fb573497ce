#include "compiler/extract/Heuristic.h"
#include "tools/zyxc/egraph/EGraphCommand.h"
#include "tools/zyxc/egraph/EGraphProblem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>

namespace zyxc::tool {

namespace {

/// A file's e-graph with its extraction.
struct Extraction {
  EGraphFile graph;
  EGraphProblem problem;
  extract::Solution solution;
  double seconds = 0; ///< of CPU time, for the choice alone

  const EGraphFile::Node &chosenNode(uint32_t candidate) const {
    return graph.nodes[problem.node[candidate]];
  }
};

} // namespace

static Status solveExactly(const EGraphLine &line, Extraction &result) {
  extract::Limits limits;
  if (line.budget != 0) {
    limits.searchNodes = line.budget;
  }
  if (line.memory != 0) {
    limits.memory = line.memory << 20;
  }
  limits.seconds = line.timeLimit;
  std::clock_t start = std::clock();
  ZYXC_ASSIGN(result.solution, extract::solve(result.problem.problem, limits));
  result.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return Status::ok();
}

static Status solveBy(extract::Heuristic heuristic, Extraction &result) {
  ZYXC_ASSIGN(extract::HeuristicSolution found,
              extract::solveBy(heuristic, result.problem.problem));
  result.solution = std::move(found.solution);
  result.seconds = found.seconds;
  return Status::ok();
}

static Status solveProblem(const EGraphLine &line, Extraction &result) {
  switch (line.method) {
  case ExtractMethod::Exact: return solveExactly(line, result);
  case ExtractMethod::GreedyDag: return solveBy(extract::Heuristic::GreedyDag, result);
  case ExtractMethod::GreedyDagFifo: return solveBy(extract::Heuristic::GreedyDagFifo, result);
  case ExtractMethod::Tree: return solveBy(extract::Heuristic::Tree, result);
  }
  return Status::ok();
}

static Expected<Extraction> solveFile(const EGraphLine &line) {
  Extraction result;
  ZYXC_ASSIGN(result.graph, EGraphFile::read(line.file, line.repairRoots));
  Expected<EGraphProblem> problem = makeProblem(result.graph);
  if (!problem) {
    return std::move(problem).error().withContext(line.file);
  }
  result.problem = *std::move(problem);
  Status status = solveProblem(line, result);
  if (status.isOk()) {
    status = extract::check(result.problem.problem, result.solution);
  }
  if (!status.isOk()) {
    return std::move(status).withContext(line.file);
  }
  return result;
}

static std::string_view whyItEnded(const EGraphLine &line, const extract::Solution &solution) {
  if (solution.proved) {
    return "proved";
  }
  if (line.method != ExtractMethod::Exact) {
    return "heuristic";
  }
  bool hasEffort = solution.effort < (line.budget ? line.budget : extract::Limits().searchNodes);
  return solution.endedByTime ? "time" : hasEffort && solution.memoryHits > 0 ? "memory" : "budget";
}

/// Costs are written as decimals of their own, not as the nearest doubles.
static void printJson(const EGraphLine &line, const Extraction &result) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  const extract::Solution &solution = result.solution;
  auto number = [&](llvm::StringRef key, int64_t cost) {
    json.attributeBegin(key);
    json.rawValue(result.problem.text(cost));
    json.attributeEnd();
  };
  json.object([&] {
    number("cost", solution.cost);
    number("lowerBound", solution.lowerBound);
    number("gap", solution.gap());
    json.attribute("optimal", solution.proved);
    json.attribute("endedBy", llvm::StringRef(whyItEnded(line, solution)));
    json.attribute("decimals", result.problem.decimals);
    json.attribute("rounded", result.problem.rounded);
    json.attribute("searchNodes", static_cast<int64_t>(solution.searchNodes));
    json.attribute("memoryHits", static_cast<int64_t>(solution.memoryHits));
    json.attribute("seconds", result.seconds);
    json.attributeObject("choice", [&] {
      for (uint32_t candidate : solution.chosen) {
        const EGraphFile::Node &node = result.chosenNode(candidate);
        json.attribute(result.graph.classes[node.cls], node.name);
      }
    });
  });
  fmt::print("{}\n", text);
}

static void printText(const EGraphLine &line, const Extraction &result) {
  const extract::Solution &solution = result.solution;
  for (const std::string &repair : result.graph.repairs) {
    fmt::print("repair: {}\n", repair);
  }
  fmt::print("cost {}\nlower bound {}\ngap {}\n{}\n", result.problem.text(solution.cost),
             result.problem.text(solution.lowerBound), result.problem.text(solution.gap()),
             solution.proved
                 ? "optimal"
                 : fmt::format("not proved optimal, ended by {}", whyItEnded(line, solution)));
  if (solution.memoryHits > 0) {
    fmt::print("--memory ended parts of the search: {}\n", solution.memoryHits);
  }
  if (result.problem.rounded) {
    fmt::print("costs are rounded to {} decimals\n", result.problem.decimals);
  }
  for (uint32_t candidate : solution.chosen) {
    const EGraphFile::Node &node = result.chosenNode(candidate);
    fmt::print("class {}: node {} ({})\n", result.graph.classes[node.cls], node.name, node.op);
  }
}

Status extractFromFile(const EGraphLine &line) {
  ZYXC_ASSIGN(Extraction result, solveFile(line));
  line.json ? printJson(line, result) : printText(line, result);
  return Status::ok();
}

} // namespace zyxc::tool
