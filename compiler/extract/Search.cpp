#include "compiler/extract/Search.h"
#include "runtime/support/Hash.h"
#include <algorithm>
#include <queue>
#include <unordered_map>

namespace zyxc::extract {

namespace {

/// What the rest of a choice depends on.
struct State {
  std::vector<uint32_t> pending;                   ///< sorted by rank, last one decided next
  std::vector<std::pair<uint32_t, uint32_t>> done; ///< class, option; only what may be asked for
  std::vector<uint32_t> paid;   ///< chosen options with outputs that may be asked for, for free
  std::vector<uint32_t> active; ///< chosen options that exclude others

  bool operator==(const State &) const = default;
  uint64_t hash() const {
    uint64_t h = hashBytes(pending.data(), pending.size() * sizeof(uint32_t), 1);
    h = hashBytes(done.data(), done.size() * sizeof(done[0]), h);
    h = hashBytes(paid.data(), paid.size() * sizeof(uint32_t), h);
    return hashBytes(active.data(), active.size() * sizeof(uint32_t), h);
  }
};

struct StateHash {
  size_t operator()(const State &state) const { return state.hash(); }
};

class Searcher {
public:
  Searcher(const Model &model, const DualBound &bound, Effort &effort, Memory &memory)
      : model(model), dual(bound), effort(effort), memory(memory), held(memory) {}

  SearchResult run(std::vector<uint32_t> incumbent, uint64_t maxNodes) {
    best = std::move(incumbent);
    bestCost = totalCost(model, best);
    dive();
    return bestFirst(maxNodes);
  }

private:
  struct Node {
    const State *state;
    int64_t cost;  ///< of the options chosen so far
    int64_t bound; ///< of the rest
    uint32_t parent;
    uint32_t option;
    bool closed;
  };

  using Entry = std::tuple<int64_t, int64_t, uint32_t>; // cost + bound, bound, node

  State initial() const {
    State state;
    state.pending = model.required;
    sortByRank(state.pending);
    return state;
  }

  void sortByRank(std::vector<uint32_t> &classes) const {
    std::sort(classes.begin(), classes.end(),
              [&](uint32_t a, uint32_t b) { return model.rank[a] < model.rank[b]; });
  }

  int64_t boundOf(const State &state) {
    doneClasses.clear();
    for (auto [cls, k] : state.done) {
      doneClasses.push_back(cls);
    }
    for (uint32_t k : state.paid) {
      const std::vector<uint32_t> &outputs = model.options[k].outputs;
      doneClasses.insert(doneClasses.end(), outputs.begin(), outputs.end());
    }
    return dual.bound(state.pending, doneClasses, touched);
  }

  static uint32_t optionOf(const State &state, uint32_t cls) {
    auto entry = std::lower_bound(state.done.begin(), state.done.end(), std::pair(cls, 0u));
    return entry != state.done.end() && entry->first == cls ? entry->second : ~0u;
  }

  /// True if an input of `option` is made from `target`, which the option is to produce.
  bool closesCycle(const State &state, const Model::Option &option, uint32_t target) const {
    std::vector<uint32_t> work = option.inputs;
    std::vector<uint32_t> seen;
    while (!work.empty()) {
      uint32_t cls = work.back();
      work.pop_back();
      if (cls == target) {
        return true;
      }
      uint32_t producer = optionOf(state, cls);
      if (producer == ~0u || std::find(seen.begin(), seen.end(), cls) != seen.end()) {
        continue;
      }
      seen.push_back(cls);
      const std::vector<uint32_t> &inputs = model.options[producer].inputs;
      work.insert(work.end(), inputs.begin(), inputs.end());
    }
    return false;
  }

  /// Which classes an option for `cls` is said to produce. Inside of a cycle only the class itself:
  /// another way to produce a further output may be needed first; asking the option again is free.
  bool claims(uint32_t cls, uint32_t output) const {
    return output == cls || (model.rank[output] != ~0u && !model.cyclic[model.component[output]]);
  }

  bool isExcluded(const State &state, uint32_t k) const {
    const std::vector<uint32_t> &conflicts = model.conflicts[k];
    return std::any_of(state.active.begin(), state.active.end(), [&](uint32_t active) {
      return std::binary_search(conflicts.begin(), conflicts.end(), active);
    });
  }

  /// The state after choosing option k for the last pending class, if that is allowed, and what
  /// that adds to the cost.
  bool successor(const State &state, uint32_t k, State &next, int64_t &cost) const {
    const Model::Option &option = model.options[k];
    uint32_t cls = state.pending.back();
    if (isExcluded(state, k) ||
        (model.cyclic[model.component[cls]] && closesCycle(state, option, cls))) {
      return false;
    }
    bool isPaid = std::binary_search(state.paid.begin(), state.paid.end(), k);
    cost = isPaid ? 0 : option.cost;
    next = state;
    // Copied, sorted, hashed, and kept in a table.
    touched += 100 + 8 * (state.pending.size() + state.done.size() + state.paid.size());
    for (uint32_t output : option.outputs) {
      if (claims(cls, output)) {
        std::erase(next.pending, output);
        if (optionOf(state, output) == ~0u) {
          next.done.emplace_back(output, k);
        }
      }
    }
    if (!isPaid && option.outputs.size() > 1) {
      next.paid.push_back(k);
    }
    for (uint32_t input : option.inputs) {
      if (optionOf(state, input) == ~0u &&
          std::find(next.pending.begin(), next.pending.end(), input) == next.pending.end()) {
        next.pending.push_back(input);
      }
    }
    sortByRank(next.pending);
    if (!model.conflicts[k].empty()) {
      next.active.push_back(k);
    }
    forget(next);
    return true;
  }

  /// Drops what can play no part in the rest: classes and exclusions behind the last pending class.
  void forget(State &state) const {
    uint32_t current = state.pending.empty() ? 0 : model.component[state.pending.back()];
    bool over = state.pending.empty();
    std::erase_if(state.done, [&](const std::pair<uint32_t, uint32_t> &entry) {
      return over || model.component[entry.first] > current;
    });
    std::sort(state.done.begin(), state.done.end());
    std::erase_if(state.paid, [&](uint32_t k) { return over || isBehind(k, current); });
    std::sort(state.paid.begin(), state.paid.end());
    std::erase_if(state.active, [&](uint32_t k) {
      return over || std::all_of(model.conflicts[k].begin(), model.conflicts[k].end(),
                                 [&](uint32_t other) { return isBehind(other, current); });
    });
    std::sort(state.active.begin(), state.active.end());
    state.active.erase(std::unique(state.active.begin(), state.active.end()), state.active.end());
  }

  bool isBehind(uint32_t k, uint32_t current) const {
    const std::vector<uint32_t> &outputs = model.options[k].outputs;
    return std::all_of(outputs.begin(), outputs.end(), [&](uint32_t cls) {
      return model.rank[cls] == ~0u || model.component[cls] > current;
    });
  }

  /// Follows the successor of least cost + bound to the end: an incumbent, if it does not get
  /// stuck.
  void dive() {
    State state = initial();
    std::vector<uint32_t> chosen;
    State next;
    while (!state.pending.empty()) {
      spend();
      if (effort.isOver()) {
        return;
      }
      State follow;
      int64_t least = infinity;
      int64_t cost = 0;
      uint32_t option = ~0u;
      for (uint32_t k : model.producers[state.pending.back()]) {
        if (successor(state, k, next, cost)) {
          int64_t value = cost + boundOf(next);
          if (value < least) {
            least = value;
            option = k;
            follow = next;
          }
        }
      }
      if (option == ~0u) {
        return;
      }
      chosen.push_back(option);
      state = std::move(follow);
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    chosen = improve(model, chosen, effort);
    if (int64_t cost = totalCost(model, chosen); cost < bestCost) {
      bestCost = cost;
      best = std::move(chosen);
    }
  }

  void spend() {
    effort.spend(touched);
    touched = 0;
  }

  /// Of the table of states for one of them, its places in the lists and in the queue included.
  static uint64_t bytesOf(const State &state) {
    constexpr uint64_t perEntry = sizeof(Node) + sizeof(State) + sizeof(Entry) + 64;
    return perEntry + sizeof(uint32_t) * (state.pending.size() + 2 * state.done.size() +
                                          state.paid.size() + state.active.size());
  }

  void add(State &&state, int64_t cost, uint32_t parent, uint32_t option) {
    auto [entry, isNew] = known.try_emplace(std::move(state), static_cast<uint32_t>(nodes.size()));
    if (isNew) {
      held.add(bytesOf(entry->first));
      nodes.push_back({&entry->first, cost, boundOf(entry->first), parent, option, false});
    } else if (Node &node = nodes[entry->second]; cost < node.cost) {
      node.cost = cost;
      node.parent = parent;
      node.option = option;
      node.closed = false;
    } else {
      return;
    }
    const Node &node = nodes[entry->second];
    if (node.cost + node.bound < bestCost) {
      queue.push({node.cost + node.bound, node.bound, entry->second});
    }
  }

  void takeGoal(uint32_t index) {
    best.clear();
    bestCost = nodes[index].cost;
    for (; nodes[index].parent != ~0u; index = nodes[index].parent) {
      best.push_back(nodes[index].option);
    }
  }

  SearchResult bestFirst(uint64_t maxNodes) {
    SearchResult result;
    add(initial(), 0, ~0u, ~0u);
    State next;
    int64_t cost = 0;
    result.lowerBound = bestCost; // if the queue runs empty the incumbent is optimal
    while (!queue.empty()) {
      auto [value, bound, index] = queue.top();
      if (value >= bestCost) {
        break;
      }
      spend();
      if (memory.isOver()) {
        memory.countHit();
      }
      if (result.searchNodes == maxNodes || effort.isOver() || memory.isOver()) {
        result.lowerBound = value;
        break;
      }
      queue.pop();
      if (nodes[index].closed || nodes[index].cost + nodes[index].bound != value) {
        continue; // reached more cheaply since
      }
      nodes[index].closed = true;
      ++result.searchNodes;
      const State &state = *nodes[index].state;
      if (state.pending.empty()) {
        takeGoal(index);
        result.lowerBound = bestCost;
        break;
      }
      for (uint32_t k : model.producers[state.pending.back()]) {
        if (successor(state, k, next, cost)) {
          add(std::move(next), nodes[index].cost + cost, index, k);
        }
      }
    }
    std::sort(best.begin(), best.end());
    best.erase(std::unique(best.begin(), best.end()), best.end());
    result.options = best;
    return result;
  }

  const Model &model;
  const DualBound &dual;
  Effort &effort;
  Memory &memory;
  Held held;                    ///< by the table of states
  mutable uint64_t touched = 0; ///< not yet counted as effort
  std::vector<uint32_t> best;
  int64_t bestCost = infinity;
  std::unordered_map<State, uint32_t, StateHash> known;
  std::vector<Node> nodes;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::vector<uint32_t> doneClasses;
};

} // namespace

SearchResult search(const Model &model, const DualBound &bound, std::vector<uint32_t> incumbent,
                    uint64_t maxNodes, Effort &effort, Memory &memory) {
  return Searcher(model, bound, effort, memory).run(std::move(incumbent), maxNodes);
}

} // namespace zyxc::extract
