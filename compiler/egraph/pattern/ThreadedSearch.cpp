// A search in parts, on several threads: each part begins with some of the nodes that a root of the
// machine reads. What the parts find is joined in their order, so that threads change nothing.
#include "compiler/egraph/pattern/Search.h"
#include <atomic>
#include <functional>
#include <future>
#include <system_error>

namespace zyxc::egraph {

namespace {

struct Part {
  uint32_t root;
  std::span<const NodeId> nodes;
  std::vector<MatchTable> found = {};
  uint64_t count = 0;
};

} // namespace

static std::vector<Part> partsOf(const Search &search) {
  constexpr size_t nodesOfPart = 4096;
  std::vector<Part> parts;
  for (uint32_t root : search.roots()) {
    std::span<const NodeId> nodes = search.nodesOfRoot(root);
    for (size_t from = 0; from < nodes.size(); from += nodesOfPart) {
      parts.push_back({root, nodes.subspan(from, std::min(nodesOfPart, nodes.size() - from))});
    }
  }
  return parts;
}

/// Runs `work` on this thread and on more of them, fewer if no more can be made.
static void runOn(unsigned threads, const std::function<void()> &work) {
  std::vector<std::future<void>> others;
  bool canStart = true;
  while (canStart && others.size() + 1 < threads) {
    try {
      others.push_back(std::async(std::launch::async, work));
    } catch (const std::system_error &) {
      canStart = false;
    }
  }
  work();
  for (std::future<void> &other : others) {
    other.get();
  }
}

static void append(const MatchTable &from, MatchTable &to) {
  std::copy_n(from.values.data(), from.values.size(), to.values.extend(from.values.size()));
}

bool Machine::search(const EGraph &graph, TimeSpan times, uint64_t limit,
                     std::vector<MatchTable> &tables, unsigned threads) const {
  assert(graph.isClean() && graph.tracksAges());
  NewNodes newNodes = NewNodes::collect(graph, times);
  Search alone(*this, graph, times, newNodes, limit, tables);
  std::vector<Part> parts;
  if (threads > 1) {
    parts = partsOf(alone);
  }
  if (parts.size() < 2) {
    return alone.run();
  }
  std::atomic<size_t> next = 0;
  runOn(threads, [&] {
    for (size_t i = next++; i < parts.size(); i = next++) {
      Part &part = parts[i];
      for (const MatchTable &table : tables) {
        part.found.emplace_back().width = table.width;
      }
      Search search(*this, graph, times, newNodes, limit, part.found);
      search.runRoot(part.root, part.nodes);
      part.count = search.numFound();
    }
  });
  uint64_t total = 0;
  for (const Part &part : parts) {
    total += part.count;
  }
  if (total > limit) { // those within the limit are the first in order
    parts.clear();
    return alone.run();
  }
  for (Part &part : parts) {
    for (size_t rule = 0; rule < tables.size(); ++rule) {
      append(part.found[rule], tables[rule]);
      part.found[rule].values.release();
    }
  }
  return true;
}

} // namespace zyxc::egraph
