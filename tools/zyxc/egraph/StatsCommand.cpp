#include "tools/zyxc/egraph/EGraphCommand.h"
#include "tools/zyxc/egraph/EGraphProblem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

namespace zyxc::tool {

namespace {

/// A count with the key that JSON calls it by.
struct Count {
  std::string_view key;
  std::string_view text;
  size_t value;
};

} // namespace

/// Classes that lie on a cycle of classes: what is left when classes without an edge from or to
/// such a class are taken away again and again.
static size_t countCyclic(const EGraphFile &graph) {
  size_t n = graph.classes.size();
  std::vector<std::vector<uint32_t>> edges[2] = {std::vector<std::vector<uint32_t>>(n),
                                                 std::vector<std::vector<uint32_t>>(n)};
  for (const EGraphFile::Node &node : graph.nodes) {
    for (uint32_t child : node.children) {
      edges[0][node.cls].push_back(child);
      edges[1][child].push_back(node.cls);
    }
  }
  std::vector<bool> away(n, false);
  for (int direction : {0, 1}) {
    std::vector<size_t> degree(n, 0);
    std::vector<uint32_t> ready;
    for (uint32_t cls = 0; cls < n; ++cls) {
      const std::vector<uint32_t> &out = edges[direction][cls];
      degree[cls] = static_cast<size_t>(
          std::count_if(out.begin(), out.end(), [&](uint32_t other) { return !away[other]; }));
      if (degree[cls] == 0 && !away[cls]) {
        ready.push_back(cls);
      }
    }
    while (!ready.empty()) {
      uint32_t cls = ready.back();
      ready.pop_back();
      away[cls] = true;
      for (uint32_t other : edges[1 - direction][cls]) {
        if (!away[other] && --degree[other] == 0) {
          ready.push_back(other);
        }
      }
    }
  }
  return static_cast<size_t>(std::count(away.begin(), away.end(), false));
}

static std::vector<Count> countAll(const EGraphFile &graph) {
  size_t edges = 0;
  size_t selfLoops = 0;
  size_t most = 0;
  std::vector<size_t> nodesOf(graph.classes.size(), 0);
  for (const EGraphFile::Node &node : graph.nodes) {
    edges += node.children.size();
    selfLoops +=
        std::find(node.children.begin(), node.children.end(), node.cls) != node.children.end();
    most = std::max(most, ++nodesOf[node.cls]);
  }
  auto choices = std::count_if(nodesOf.begin(), nodesOf.end(), [](size_t n) { return n > 1; });
  return {{"nodes", "nodes", graph.nodes.size()},
          {"classes", "classes", graph.classes.size()},
          {"edges", "edges", edges},
          {"roots", "roots", graph.roots.size()},
          {"choices", "classes with more than one node", static_cast<size_t>(choices)},
          {"largestClass", "nodes of the largest class", most},
          {"selfLoops", "nodes that use their own class", selfLoops},
          {"cyclicClasses", "classes on or between cycles", countCyclic(graph)}};
}

Status printEGraphStats(const EGraphLine &line) {
  ZYXC_ASSIGN(EGraphFile graph, EGraphFile::read(line.file, line.repairRoots));
  std::vector<Count> counts = countAll(graph);
  if (!line.json) {
    for (const Count &count : counts) {
      fmt::print("{} {}\n", count.value, count.text);
    }
    return Status::ok();
  }
  llvm::json::Object object;
  for (const Count &count : counts) {
    object[llvm::StringRef(count.key)] = static_cast<int64_t>(count.value);
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  fmt::print("{}\n", text);
  return Status::ok();
}

} // namespace zyxc::tool
