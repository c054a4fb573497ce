// Greedy choice by DAG cost with a queue, as it is usually done, to compare the heap with. A class
// takes an option whenever that is cheaper than what it has, and its readers are looked at again.
#include "compiler/extract/Model.h"
#include <algorithm>
#include <deque>
#include <iterator>

namespace zyxc::extract {

namespace {

class GreedyDagFifo {
public:
  explicit GreedyDagFifo(const Model &model)
      : model(model), best(model.numClasses(), ~0u), cost(model.numClasses(), infinity),
        below(model.numClasses()), readers(readersOf(model)),
        isQueued(model.options.size(), false) {}

  std::vector<uint32_t> run(Effort &effort) {
    for (uint32_t k = 0; k < model.options.size(); ++k) {
      if (model.options[k].inputs.empty()) {
        enqueue(k);
      }
    }
    while (!queue.empty() && !effort.isOver()) {
      uint32_t k = queue.front();
      queue.pop_front();
      isQueued[k] = false;
      if (model.conflicts[k].empty()) {
        evaluate(k);
        effort.spend(1 + set.size());
      }
    }
    return queue.empty() ? best : std::vector<uint32_t>();
  }

private:
  void enqueue(uint32_t k) {
    if (!isQueued[k]) {
      isQueued[k] = true;
      queue.push_back(k);
    }
  }

  void evaluate(uint32_t k) {
    const Model::Option &option = model.options[k];
    set.clear();
    for (uint32_t input : option.inputs) {
      if (best[input] == ~0u) {
        return;
      }
      std::vector<uint32_t> both;
      std::set_union(set.begin(), set.end(), below[input].begin(), below[input].end(),
                     std::back_inserter(both));
      set = std::move(both);
    }
    int64_t total = totalCost(model, set) + option.cost;
    std::vector<uint32_t> cheaper;
    for (uint32_t output : option.outputs) {
      if (total < cost[output] && !isMadeBelow(output)) {
        cheaper.push_back(output);
      }
    }
    set.insert(std::lower_bound(set.begin(), set.end(), k), k);
    for (uint32_t output : cheaper) {
      best[output] = k;
      cost[output] = total;
      below[output] = set;
      for (uint32_t reader : readers.of(output)) {
        enqueue(reader);
      }
    }
  }

  bool isMadeBelow(uint32_t cls) const {
    const std::vector<uint32_t> &options = model.producers[cls];
    return std::any_of(options.begin(), options.end(),
                       [&](uint32_t k) { return std::binary_search(set.begin(), set.end(), k); });
  }

  const Model &model;
  std::vector<uint32_t> best;               ///< option, by class
  std::vector<int64_t> cost;                ///< by class
  std::vector<std::vector<uint32_t>> below; ///< by class: options, sorted
  Readers readers;
  std::vector<bool> isQueued; ///< by option
  std::deque<uint32_t> queue;
  std::vector<uint32_t> set; ///< scratch of evaluate
};

} // namespace

std::vector<uint32_t> greedyDagFifo(const Model &model, Effort &effort) {
  return GreedyDagFifo(model).run(effort);
}

} // namespace zyxc::extract
