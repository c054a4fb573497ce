// A first feasible choice: Knuth's generalization of Dijkstra's algorithm (1977) takes classes in
// order of tree cost, so the choice is acyclic even where candidates form cycles.
#include "compiler/extract/Model.h"
#include <algorithm>
#include <queue>

namespace zyxc::extract {

std::vector<uint32_t> cheapestTrees(const Model &model) {
  // Without the candidates that exclude others no conflict can arise.
  std::vector<bool> allowed(model.options.size());
  for (uint32_t k = 0; k < model.options.size(); ++k) {
    allowed[k] = model.conflicts[k].empty();
  }
  using Entry = std::pair<int64_t, uint32_t>; // cost, option
  std::vector<uint32_t> best(model.numClasses(), ~0u);
  std::vector<int64_t> cost(model.numClasses(), infinity);
  Readers readers = readersOf(model);
  std::vector<size_t> missing(model.options.size());
  std::vector<int64_t> sum(model.options.size());
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (uint32_t k = 0; k < model.options.size(); ++k) {
    missing[k] = model.options[k].inputs.size();
    sum[k] = model.options[k].cost;
    if (missing[k] == 0 && allowed[k]) {
      queue.push({sum[k], k});
    }
  }
  while (!queue.empty()) {
    auto [value, k] = queue.top();
    queue.pop();
    for (uint32_t output : model.options[k].outputs) {
      if (best[output] != ~0u) {
        continue;
      }
      best[output] = k;
      cost[output] = value;
      for (uint32_t reader : readers.of(output)) {
        sum[reader] = std::min(sum[reader] + value, infinity);
        if (--missing[reader] == 0 && allowed[reader]) {
          queue.push({sum[reader], reader});
        }
      }
    }
  }
  return best;
}

std::vector<uint32_t> inExecutionOrder(const Model &model, std::vector<uint32_t> set) {
  auto position = [&](uint32_t k) {
    uint32_t first = ~0u;
    for (uint32_t output : model.options[k].outputs) {
      first = std::min(first, model.rank[output]);
    }
    return first;
  };
  std::sort(set.begin(), set.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(position(a), a) < std::pair(position(b), b);
  });
  std::vector<uint32_t> order;
  std::vector<bool> present(model.numClasses(), false);
  auto isReady = [&](uint32_t k) {
    const std::vector<uint32_t> &inputs = model.options[k].inputs;
    return std::all_of(inputs.begin(), inputs.end(), [&](uint32_t cls) { return present[cls]; });
  };
  // One sweep, unless the set has candidates from a cycle, whose ranks say little.
  while (!set.empty()) {
    [[maybe_unused]] size_t before = set.size();
    std::vector<uint32_t> waiting;
    for (uint32_t k : set) {
      if (!isReady(k)) {
        waiting.push_back(k);
        continue;
      }
      order.push_back(k);
      for (uint32_t output : model.options[k].outputs) {
        present[output] = true;
      }
    }
    assert(waiting.size() < before && "the set is acyclic");
    set = std::move(waiting);
  }
  return order;
}

Expected<std::vector<uint32_t>> choiceOf(const Model &model, const std::vector<uint32_t> &best) {
  std::vector<uint32_t> chosen;
  std::vector<bool> seen(model.numClasses(), false);
  std::vector<uint32_t> work = model.required;
  while (!work.empty()) {
    uint32_t cls = work.back();
    work.pop_back();
    if (seen[cls]) {
      continue;
    }
    seen[cls] = true;
    if (best[cls] == ~0u) {
      return makeError(ErrorCode::Unsupported,
                       "class {} can only be produced by candidates that exclude others", cls);
    }
    chosen.push_back(best[cls]);
    const std::vector<uint32_t> &inputs = model.options[best[cls]].inputs;
    work.insert(work.end(), inputs.begin(), inputs.end());
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return inExecutionOrder(model, std::move(chosen));
}

Expected<std::vector<uint32_t>> greedyChoice(const Model &model) {
  return choiceOf(model, cheapestTrees(model));
}

} // namespace zyxc::extract
