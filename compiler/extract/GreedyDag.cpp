// Greedy choice by DAG cost: what a class costs is the sum of the distinct options below it. With a
// heap each class is settled once, cheapest first: an option costs at least as much as each of its
// inputs, so no class that is settled later could make an earlier one cheaper (Knuth's argument of
// 1977, for what the extractor greedy-dag of extraction-gym does with a queue). What is settled
// never changes, so a class is made in the same way wherever it is used, and never in a circle.
#include "compiler/extract/Model.h"
#include "compiler/extract/SparseSet.h"
#include <algorithm>
#include <queue>
#include <tuple>

namespace zyxc::extract {

namespace {

class GreedyDag {
public:
  explicit GreedyDag(const Model &model)
      : model(model), best(model.numClasses(), ~0u), setOf(model.numClasses(), ~0u),
        treeCost(model.numClasses(), infinity), queued(model.numClasses(), Entry{infinity, 0, 0}),
        waiting(model.options.size()) {}

  std::vector<uint32_t> run() {
    readers = readersOf(model);
    for (uint32_t k = 0; k < model.options.size(); ++k) {
      const Model::Option &option = model.options[k];
      waiting[k].inputs = static_cast<uint32_t>(option.inputs.size());
      waiting[k].output = option.outputs.size() == 1 ? option.outputs[0] : ~0u;
      if (waiting[k].inputs == 0) {
        offer(k);
      }
    }
    while (!queue.empty() && words.size() <= mostWords) {
      uint32_t k = queue.top().option;
      queue.pop();
      settle(k);
    }
    return words.size() <= mostWords ? best : std::vector<uint32_t>(model.numClasses(), ~0u);
  }

private:
  static constexpr size_t mostWords = size_t(1) << 25; ///< 512 MB

  /// Options by cost; of equal ones that of the cheaper tree is taken.
  struct Entry {
    int64_t cost;
    int64_t tree;
    uint32_t option;

    bool operator<(const Entry &other) const { // the least is on top of the queue
      return std::tie(other.cost, other.tree, other.option) < std::tie(cost, tree, option);
    }
  };

  /// What is asked of an option most often, close together.
  struct Waiting {
    uint32_t inputs; ///< that are not settled
    uint32_t output; ///< ~0u for several
  };

  /// The words [begin, end) of all, and what the options of the set cost.
  struct Set {
    size_t begin;
    size_t end;
    int64_t cost;
  };

  /// Queues an option whose inputs are settled, unless a better one is queued for each output.
  void offer(uint32_t k) {
    const Model::Option &option = model.options[k];
    if (isSettled(k) || !model.conflicts[k].empty()) {
      return; // without the options that exclude others no conflict can arise
    }
    Entry entry{0, 0, k};
    for (uint32_t input : option.inputs) {
      entry.cost = std::max(entry.cost, sets[setOf[input]].cost);
    }
    entry.cost += option.cost;
    if (!isBetter(entry, option)) {
      return;
    }
    entry.tree = treeCostOf(option);
    if (option.inputs.size() > 1) {
      uniteInputs(option);
      entry.cost = below.cost() + option.cost;
      below.clear();
    }
    if (isBetter(entry, option)) {
      for (uint32_t output : option.outputs) {
        queued[output] = std::max(queued[output], entry);
      }
      queue.push(entry);
    }
  }

  bool isSettled(uint32_t k) const {
    if (waiting[k].output != ~0u) {
      return best[waiting[k].output] != ~0u;
    }
    const std::vector<uint32_t> &outputs = model.options[k].outputs;
    return std::all_of(outputs.begin(), outputs.end(),
                       [&](uint32_t output) { return best[output] != ~0u; });
  }

  bool isBetter(const Entry &entry, const Model::Option &option) const {
    return std::any_of(option.outputs.begin(), option.outputs.end(), [&](uint32_t output) {
      return best[output] == ~0u && queued[output] < entry;
    });
  }

  int64_t treeCostOf(const Model::Option &option) const {
    int64_t cost = option.cost;
    for (uint32_t input : option.inputs) {
      cost = std::min(cost + treeCost[input], infinity);
    }
    return cost;
  }

  void settle(uint32_t k) {
    const Model::Option &option = model.options[k];
    auto id = static_cast<uint32_t>(sets.size());
    if (isSettled(k)) {
      return;
    }
    int64_t tree = treeCostOf(option);
    uniteInputs(option);
    below.addElement(option.cost);
    below.insert(id);
    size_t begin = words.size();
    below.appendTo(words);
    sets.push_back({begin, words.size(), below.cost()});
    below.clear();
    for (uint32_t output : option.outputs) {
      if (best[output] == ~0u) {
        best[output] = k;
        setOf[output] = id;
        treeCost[output] = tree;
      }
    }
    for (uint32_t output : option.outputs) {
      for (uint32_t reader :
           setOf[output] == id ? readers.of(output) : std::span<const uint32_t>()) {
        if (--waiting[reader].inputs == 0) {
          offer(reader);
        }
      }
    }
  }

  /// The dearest input first: that is likely to be the largest set.
  void uniteInputs(const Model::Option &option) {
    auto cheaper = [&](uint32_t a, uint32_t b) {
      return sets[setOf[a]].cost < sets[setOf[b]].cost;
    };
    auto first = std::max_element(option.inputs.begin(), option.inputs.end(), cheaper);
    if (first != option.inputs.end()) {
      insert(sets[setOf[*first]]);
    }
    for (auto input = option.inputs.begin(); input != option.inputs.end(); ++input) {
      if (input != first) {
        insert(sets[setOf[*input]]);
      }
    }
  }

  void insert(const Set &set) {
    below.insert({words.data() + set.begin, words.data() + set.end}, set.cost);
  }

  const Model &model;
  std::vector<uint32_t> best;    ///< option, by class
  std::vector<uint32_t> setOf;   ///< by class
  std::vector<int64_t> treeCost; ///< by class
  std::vector<Entry> queued;     ///< by class: the best
  std::vector<Waiting> waiting;  ///< by option
  Readers readers;
  std::vector<Set> sets;      ///< in the order in which options were taken
  std::vector<SetWord> words; ///< of the sets; elements are positions in `sets`
  SetUnion below;
  std::priority_queue<Entry> queue;
};

} // namespace

std::vector<uint32_t> greedyDag(const Model &model) {
  return GreedyDag(model).run();
}

} // namespace zyxc::extract
