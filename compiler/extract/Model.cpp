#include "compiler/extract/Model.h"
#include "runtime/support/SubsetIndex.h"
#include <algorithm>
#include <numeric>
#include <tuple>

namespace zyxc::extract {

namespace {

void sortUnique(std::vector<uint32_t> &list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Which classes can be produced from the given ones at all.
std::vector<bool> producible(uint32_t numClasses, const std::vector<Model::Option> &options) {
  std::vector<std::vector<uint32_t>> readers(numClasses);
  std::vector<size_t> missing(options.size());
  std::vector<uint32_t> ready;
  for (uint32_t k = 0; k < options.size(); ++k) {
    missing[k] = options[k].inputs.size();
    for (uint32_t input : options[k].inputs) {
      readers[input].push_back(k);
    }
    if (missing[k] == 0) {
      ready.push_back(k);
    }
  }
  std::vector<bool> done(numClasses, false);
  while (!ready.empty()) {
    uint32_t k = ready.back();
    ready.pop_back();
    for (uint32_t output : options[k].outputs) {
      if (done[output]) {
        continue;
      }
      done[output] = true;
      for (uint32_t reader : readers[output]) {
        if (--missing[reader] == 0) {
          ready.push_back(reader);
        }
      }
    }
  }
  return done;
}

/// Marks options that another one replaces: it costs no more, yields as much from as little, and
/// has no conflicts of its own. Of two equal ones the first stays.
std::vector<bool> findDominated(const std::vector<Model::Option> &options,
                                const std::vector<std::vector<uint32_t>> &producers,
                                const std::vector<bool> &hasConflict) {
  std::vector<bool> dominated(options.size(), false);
  auto strength = [&](uint32_t k) { // what dominates an option stands before it
    const Model::Option &option = options[k];
    return std::tuple(option.inputs.size(), option.cost, ~option.outputs.size(),
                      static_cast<bool>(hasConflict[k]), k);
  };
  for (const std::vector<uint32_t> &list : producers) {
    std::vector<uint32_t> order = list;
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return strength(a) < strength(b); });
    SubsetIndex index;
    for (uint32_t a : order) {
      dominated[a] = dominated[a] || index.anySubset(options[a].inputs, [&](uint32_t b) {
        return options[b].cost <= options[a].cost &&
               std::includes(options[b].outputs.begin(), options[b].outputs.end(),
                             options[a].outputs.begin(), options[a].outputs.end());
      });
      if (!dominated[a] && !hasConflict[a]) {
        index.add(options[a].inputs, a);
      }
    }
  }
  return dominated;
}

/// Tarjan's algorithm without recursion, over class -> inputs of its options, from the required
/// classes. Components are closed inputs first, which gives rank and component numbers.
class Ordering {
public:
  explicit Ordering(Model &model) : model(model) {}

  void run() {
    uint32_t n = model.numClasses();
    model.rank.assign(n, ~0u);
    model.component.assign(n, ~0u);
    number.assign(n, 0);
    low.assign(n, 0);
    onStack.assign(n, false);
    for (uint32_t root : model.required) {
      if (number[root] == 0) {
        visit(root);
      }
    }
  }

private:
  struct Frame {
    uint32_t cls;
    std::vector<uint32_t> next; // inputs still to visit, last first
  };

  void open(uint32_t cls) {
    number[cls] = low[cls] = ++counter;
    onStack[cls] = true;
    stack.push_back(cls);
    std::vector<uint32_t> inputs;
    for (uint32_t k : model.producers[cls]) {
      inputs.insert(inputs.end(), model.options[k].inputs.begin(), model.options[k].inputs.end());
    }
    sortUnique(inputs);
    std::reverse(inputs.begin(), inputs.end());
    frames.push_back({cls, std::move(inputs)});
  }

  void close(uint32_t cls) {
    auto id = static_cast<uint32_t>(model.cyclic.size());
    size_t first = stack.size();
    do {
      --first;
    } while (stack[first] != cls);
    model.cyclic.push_back(stack.size() - first > 1);
    for (size_t i = first; i < stack.size(); ++i) {
      model.component[stack[i]] = id;
      model.rank[stack[i]] = static_cast<uint32_t>(model.byRank.size());
      model.byRank.push_back(stack[i]);
      onStack[stack[i]] = false;
    }
    stack.resize(first);
  }

  void visit(uint32_t root) {
    open(root);
    while (!frames.empty()) {
      Frame &frame = frames.back();
      if (!frame.next.empty()) {
        uint32_t input = frame.next.back();
        frame.next.pop_back();
        if (number[input] == 0) {
          open(input);
        } else if (onStack[input]) {
          low[frame.cls] = std::min(low[frame.cls], number[input]);
        }
        continue;
      }
      uint32_t cls = frame.cls;
      frames.pop_back();
      if (!frames.empty()) {
        low[frames.back().cls] = std::min(low[frames.back().cls], low[cls]);
      }
      if (low[cls] == number[cls]) {
        close(cls);
      }
    }
  }

  Model &model;
  std::vector<uint32_t> number;
  std::vector<uint32_t> low;
  std::vector<bool> onStack;
  std::vector<uint32_t> stack;
  std::vector<Frame> frames;
  uint32_t counter = 0;
};

/// The candidates without given classes; empty outputs mean that the candidate is of no use.
std::vector<Model::Option> withoutGiven(const Problem &problem, const std::vector<bool> &given) {
  std::vector<Model::Option> options;
  auto isGiven = [&](uint32_t cls) {
    return static_cast<bool>(given[cls]);
  };
  for (uint32_t k = 0; k < problem.candidates.size(); ++k) {
    const Candidate &candidate = problem.candidates[k];
    Model::Option option{candidate.inputs, candidate.outputs, candidate.cost, k};
    sortUnique(option.inputs);
    sortUnique(option.outputs);
    std::erase_if(option.inputs, isGiven);
    std::erase_if(option.outputs, isGiven);
    options.push_back(std::move(option));
  }
  return options;
}

/// What Extract.h says of a problem: numbers in range, no negative cost, and no candidate that
/// needs what it makes, unless that is given.
Status checkProblem(const Problem &problem) {
  auto isClass = [&](uint32_t cls) {
    return cls < problem.numClasses;
  };
  if (!std::all_of(problem.given.begin(), problem.given.end(), isClass) ||
      !std::all_of(problem.required.begin(), problem.required.end(), isClass)) {
    return Status(ErrorCode::Input, "extraction: a given or required class is out of range");
  }
  std::vector<bool> isGiven(problem.numClasses, false);
  for (uint32_t cls : problem.given) {
    isGiven[cls] = true;
  }
  for (size_t k = 0; k < problem.candidates.size(); ++k) {
    const Candidate &candidate = problem.candidates[k];
    const std::vector<uint32_t> &outputs = candidate.outputs;
    if (!std::all_of(candidate.inputs.begin(), candidate.inputs.end(), isClass) ||
        !std::all_of(outputs.begin(), outputs.end(), isClass)) {
      return makeError(ErrorCode::Input, "extraction: a class of candidate {} is out of range", k);
    }
    if (candidate.cost < 0) {
      return makeError(ErrorCode::Input, "extraction: candidate {} has a negative cost", k);
    }
    if (std::any_of(candidate.inputs.begin(), candidate.inputs.end(), [&](uint32_t cls) {
          return !isGiven[cls] && std::find(outputs.begin(), outputs.end(), cls) != outputs.end();
        })) {
      return makeError(ErrorCode::Input, "extraction: candidate {} needs what it makes", k);
    }
  }
  auto isCandidate = [&](auto pair) {
    return std::max(pair.first, pair.second) < problem.candidates.size();
  };
  if (!std::all_of(problem.conflicts.begin(), problem.conflicts.end(), isCandidate)) {
    return Status(ErrorCode::Input, "extraction: a conflict names no candidate");
  }
  return Status::ok();
}

/// Marks what the required classes can ask for.
std::vector<bool> reachable(const Model &model) {
  std::vector<bool> marked(model.numClasses(), false);
  std::vector<uint32_t> work = model.required;
  for (uint32_t cls : work) {
    marked[cls] = true;
  }
  while (!work.empty()) {
    uint32_t cls = work.back();
    work.pop_back();
    for (uint32_t k : model.producers[cls]) {
      for (uint32_t input : model.options[k].inputs) {
        if (!marked[input]) {
          marked[input] = true;
          work.push_back(input);
        }
      }
    }
  }
  return marked;
}

/// Keeps the options for which `keep` holds and rebuilds the producer lists.
template <class Keep> void filterOptions(Model &model, Keep keep) {
  std::vector<Model::Option> kept;
  for (uint32_t k = 0; k < model.options.size(); ++k) {
    if (keep(k)) {
      kept.push_back(std::move(model.options[k]));
    }
  }
  model.options = std::move(kept);
  for (std::vector<uint32_t> &list : model.producers) {
    list.clear();
  }
  for (uint32_t k = 0; k < model.options.size(); ++k) {
    for (uint32_t output : model.options[k].outputs) {
      model.producers[output].push_back(k);
    }
  }
}

void addConflicts(Model &model, const Problem &problem) {
  std::vector<uint32_t> position(problem.candidates.size(), ~0u);
  for (uint32_t k = 0; k < model.options.size(); ++k) {
    position[model.options[k].original] = k;
  }
  model.conflicts.assign(model.options.size(), {});
  for (auto [a, b] : problem.conflicts) {
    if (position[a] != ~0u && position[b] != ~0u) {
      model.conflicts[position[a]].push_back(position[b]);
      model.conflicts[position[b]].push_back(position[a]);
    }
  }
  for (std::vector<uint32_t> &list : model.conflicts) {
    sortUnique(list);
  }
}

/// Drops options with an input that cannot be had.
void dropImpossible(Model &model, const std::vector<bool> &canHave) {
  filterOptions(model, [&](uint32_t k) {
    const Model::Option &option = model.options[k];
    return !option.outputs.empty() && std::all_of(option.inputs.begin(), option.inputs.end(),
                                                  [&](uint32_t cls) { return canHave[cls]; });
  });
}

/// Drops options that yield nothing that can be asked for.
void dropUnreachable(Model &model) {
  std::vector<bool> marked = reachable(model);
  filterOptions(model, [&](uint32_t k) {
    const std::vector<uint32_t> &outputs = model.options[k].outputs;
    return std::any_of(outputs.begin(), outputs.end(), [&](uint32_t cls) { return marked[cls]; });
  });
}

} // namespace

void dropOptions(Model &model, const std::vector<bool> &dropped) {
  filterOptions(model, [&](uint32_t k) { return !dropped[k]; });
}

bool settle(Model &model) {
  std::vector<bool> canHave = producible(model.numClasses(), model.options);
  for (uint32_t cls : model.required) {
    if (!canHave[cls]) {
      return false;
    }
  }
  dropImpossible(model, canHave);
  dropUnreachable(model);
  model.conflicts.assign(model.options.size(), {});
  model.byRank.clear();
  model.cyclic.clear();
  Ordering(model).run();
  return true;
}

Expected<Model> makeModel(const Problem &problem) {
  ZYXC_RETURN_IF_ERROR(checkProblem(problem));
  std::vector<bool> given(problem.numClasses, false);
  for (uint32_t cls : problem.given) {
    given[cls] = true;
  }
  Model model;
  model.producers.resize(problem.numClasses);
  model.options = withoutGiven(problem, given);
  for (uint32_t cls : problem.required) {
    if (!given[cls]) {
      model.required.push_back(cls);
    }
  }
  sortUnique(model.required);
  std::vector<bool> canHave = producible(problem.numClasses, model.options);
  for (uint32_t cls : model.required) {
    if (!canHave[cls]) {
      return makeError(ErrorCode::Unsupported, "no candidate can produce class {}", cls);
    }
  }
  dropImpossible(model, canHave);
  std::vector<bool> hasConflict(problem.candidates.size(), false);
  for (auto [a, b] : problem.conflicts) {
    hasConflict[a] = hasConflict[b] = true;
  }
  std::vector<bool> optionConflict;
  optionConflict.reserve(model.options.size());
  for (const Model::Option &option : model.options) {
    optionConflict.push_back(hasConflict[option.original]);
  }
  std::vector<bool> dominated = findDominated(model.options, model.producers, optionConflict);
  filterOptions(model, [&](uint32_t k) { return !dominated[k]; });
  dropUnreachable(model);
  addConflicts(model, problem);
  Ordering(model).run();
  return model;
}

Readers readersOf(const Model &model) {
  Readers readers;
  readers.first.assign(model.numClasses() + 2, 0);
  for (const Model::Option &option : model.options) {
    for (uint32_t input : option.inputs) {
      ++readers.first[input + 2];
    }
  }
  std::partial_sum(readers.first.begin(), readers.first.end(), readers.first.begin());
  readers.options.resize(readers.first.back());
  for (uint32_t k = 0; k < model.options.size(); ++k) {
    for (uint32_t input : model.options[k].inputs) {
      readers.options[readers.first[input + 1]++] = k;
    }
  }
  return readers;
}

int64_t totalCost(const Model &model, const std::vector<uint32_t> &options) {
  return std::accumulate(options.begin(), options.end(), int64_t{0},
                         [&](int64_t sum, uint32_t k) { return sum + model.options[k].cost; });
}

} // namespace zyxc::extract
