#include "compiler/graph/Choice.h"
#include <algorithm>
#include <queue>

namespace zyxc::graph {

using egraph::none;

namespace {

constexpr uint64_t maxSize = uint64_t(1) << 60;

struct Found {
  uint64_t size;
  NodeId node;
  bool operator>(const Found &other) const {
    return size != other.size ? size > other.size : node > other.node;
  }
};

} // namespace

// Knuth's generalization of Dijkstra's algorithm: classes are settled by ascending size, and a node
// is a candidate only when all its operands are settled, so that no cycle can be chosen.
Choice smallestChoice(const TensorGraph &graph) {
  const egraph::EGraph &engine = graph.engine();
  uint32_t count = engine.numNodes();
  Choice choice(count, none);
  std::vector<uint64_t> size(count);
  std::vector<uint32_t> missing(count);
  std::priority_queue<Found, std::vector<Found>, std::greater<>> queue;
  for (NodeId node = 0; node < count; ++node) {
    missing[node] = static_cast<uint32_t>(engine.children(node).size());
    if (missing[node] == 0 && engine.isLive(node)) {
      queue.push({1, node});
    }
  }
  while (!queue.empty()) {
    Found found = queue.top();
    queue.pop();
    ClassId cls = engine.find(found.node);
    if (choice[cls] != none) {
      continue;
    }
    choice[cls] = found.node;
    size[cls] = found.size;
    // A node that uses the class twice is met twice.
    for (NodeId user : engine.parentsOf(cls)) {
      if (--missing[user] > 0) {
        continue;
      }
      uint64_t sum = 1;
      for (ClassId child : engine.children(user)) {
        sum = std::min(maxSize, sum + size[engine.find(child)]);
      }
      queue.push({sum, user});
    }
  }
  return choice;
}

Expected<std::vector<ClassId>> chosenOrder(const TensorGraph &graph, const Choice &choice) {
  enum class Mark : uint8_t { New, Open, Done };
  std::vector<Mark> marks(graph.engine().numNodes(), Mark::New);
  std::vector<ClassId> order;
  std::vector<ClassId> stack;
  std::vector<ClassId> starts = graph.roots();
  for (auto root = starts.rbegin(); root != starts.rend(); ++root) {
    stack.push_back(*root);
  }
  while (!stack.empty()) {
    ClassId cls = stack.back();
    if (marks[cls] != Mark::New) {
      stack.pop_back();
      if (marks[cls] == Mark::Open) {
        marks[cls] = Mark::Done;
        order.push_back(cls);
      }
      continue;
    }
    if (cls >= choice.size() || choice[cls] == none) {
      return makeError(ErrorCode::Internal, "no node is chosen for class {}", cls);
    }
    marks[cls] = Mark::Open;
    std::vector<ClassId> operands = graph.operands(choice[cls]);
    for (auto operand = operands.rbegin(); operand != operands.rend(); ++operand) {
      if (marks[*operand] == Mark::Open) {
        return makeError(ErrorCode::Internal, "class {} stands below itself in the choice",
                         *operand);
      }
      if (marks[*operand] == Mark::New) {
        stack.push_back(*operand);
      }
    }
  }
  return order;
}

} // namespace zyxc::graph
