#include "compiler/extract/Branch.h"
#include "compiler/extract/Search.h"
#include "compiler/extract/Tighten.h"
#include <algorithm>
#include <numeric>
#include <utility>

namespace zyxc::extract {

namespace {

/// States that are tried at each node of the tree below the first ones.
constexpr uint64_t deepStates = 200;

/// Levels of the tree: a level takes some 2 kB of the stack.
constexpr uint32_t mostDepth = 1000;

/// What a model takes up, and as much again for those that are made of it.
uint64_t bytesOf(const Model &model) {
  uint64_t numbers = 16 * uint64_t(model.numClasses());
  for (const Model::Option &option : model.options) {
    numbers += 24 + option.inputs.size() + 2 * option.outputs.size();
  }
  return 2 * sizeof(uint32_t) * numbers;
}

uint64_t bytesOf(const Prices &prices) {
  uint64_t bytes = sizeof(Prices::Link) * prices.links.size();
  for (const Prices::Cut &cut : prices.cuts) {
    bytes += sizeof(cut) + sizeof(uint32_t) * cut.circle.size();
  }
  return bytes;
}

} // namespace

struct Brancher::Node {
  Model model;
  BranchResult result; ///< result.cost is the cutoff until a choice is found
  Prices prices;       ///< the best of this node, before those of where it comes from
  uint32_t depth;
  uint32_t rounds = 0;           ///< of the bound by prices
  bool isHard = false;           ///< states did not solve it: more is spent on its bound
  int64_t unit = 1;              ///< all costs are multiples of it
  std::vector<double> frequency; ///< per class: how often relaxed choices have it
  std::vector<uint32_t> suggestion;

  bool isDone() const { return result.lowerBound >= result.cost; }
  /// Can a choice that costs this or more be better than the best?
  bool isHopeless(int64_t bound) const { return (bound + unit - 1) / unit * unit >= result.cost; }
  void raise(int64_t bound) {
    bound = std::min((bound + unit - 1) / unit * unit, result.cost);
    result.lowerBound = std::max(result.lowerBound, bound);
  }
  void offer(const std::vector<uint32_t> &options) {
    if (int64_t cost = totalCost(model, options); !options.empty() && cost < result.cost) {
      result.found = true;
      result.cost = cost;
      result.candidates.clear();
      for (uint32_t k : options) {
        result.candidates.push_back(model.options[k].original);
      }
    }
  }
  bool hasSharedOutputs() const {
    return std::any_of(model.options.begin(), model.options.end(),
                       [](const Model::Option &option) { return option.outputs.size() > 1; });
  }
};

static int64_t unitOf(const Model &model) {
  int64_t unit = 0;
  for (const Model::Option &option : model.options) {
    unit = std::gcd(unit, option.cost);
  }
  return std::max<int64_t>(unit, 1);
}

BranchResult Brancher::solve(Model model, int64_t cutoff, const Prices &prices, uint32_t depth) {
  Node node{std::move(model), {}, prices, depth, 0, false, 1, {}, {}};
  node.result.cost = cutoff;
  if (effort->isOver()) {
    return std::move(node.result);
  }
  ++nodes;
  effort->spend(numbersPerNode);
  if (!settle(node.model)) {
    node.result.lowerBound = infinity;
    return std::move(node.result);
  }
  if (node.model.required.empty()) { // nothing to do, at no cost
    node.result = {true, 0, {}, 0};
    return std::move(node.result);
  }
  node.rounds = depth < 2 ? 400 : 100;
  Held held(memory, bytesOf(node.model));
  if (boundAndSplit(node)) {
    return std::move(node.result);
  }
  held.add(bytesOf(node.prices));
  Effort part(*effort, stateShare == 0 ? 0 : effort->left() / stateShare);
  bool isSolved = !part.isOver() && solveByStates(node, part, node.depth < 2 ? ~0u : deepStates);
  if (isSolved || effort->isOver()) {
    return std::move(node.result);
  }
  if (depth < 2 && !node.hasSharedOutputs()) { // all that is below begins with these prices
    node.rounds = 4000;
    node.isHard = true;
    if (boundAndSplit(node)) {
      return std::move(node.result);
    }
  }
  branch(node);
  return std::move(node.result);
}

/// Bounds a node, and solves its parts if there are several. True if there is no more to do.
bool Brancher::boundAndSplit(Node &node) {
  if (!bound(node) || node.isDone()) {
    node.raise(infinity);
    return true;
  }
  std::vector<Model> parts = splitParts(node.model);
  if (parts.size() == 1) {
    return false;
  }
  solveParts(node, std::move(parts));
  return true;
}

/// False if there is no choice.
bool Brancher::offerGreedy(Node &node) {
  Expected<std::vector<uint32_t>> greedy = greedyChoice(node.model);
  if (greedy) {
    node.offer(improve(node.model, *greedy, *effort));
  }
  return static_cast<bool>(greedy);
}

/// Marks options that no better choice has, and requires classes that each better choice has.
void Brancher::boundByPrices(Node &node, std::vector<bool> &dropped, bool isFirst) {
  Model &model = node.model;
  PriceBound bound(model, node.result.cost, node.prices);
  Effort part(*effort, node.depth < 2 ? effort->left() / 4 : effort->left());
  bound.raise(node.rounds, part);
  node.prices = bound.prices();
  std::vector<int64_t> left = bound.residual(); // then what a choice with the option has at least
  int64_t rest = 0;
  if (node.isHard) {
    // Prices do not see that what is cheap under them runs in circles. Dual ascent on what they
    // leave does, and the bounds add up (Fischetti and Toth, "An additive bounding procedure for
    // combinatorial optimization problems", 1989).
    DualBound dual(model, left, 1000, *effort);
    rest = dual.total();
    for (uint32_t k = 0; k < left.size(); ++k) {
      left[k] = dual.boundWith(k);
    }
  }
  node.raise(bound.boundWith(rest));
  node.suggestion = bound.suggestion();
  if (isFirst) {
    node.offer(improveMap(model, bound.suggestion(), *effort));
  }
  for (uint32_t k = 0; k < dropped.size(); ++k) {
    dropped[k] = node.isHopeless(bound.boundWith(left[k]));
  }
  node.frequency.assign(model.numClasses(), 0);
  std::vector<bool> isRequired(model.numClasses(), false);
  for (uint32_t cls : model.required) {
    isRequired[cls] = true;
  }
  for (uint32_t cls : model.byRank) {
    node.frequency[cls] = bound.frequency(cls);
    if (!isRequired[cls] && node.isHopeless(bound.boundWithout(cls, rest))) {
      model.required.push_back(cls);
    }
  }
  std::sort(model.required.begin(), model.required.end());
}

/// Reduces and bounds until nothing changes. False if no choice is left that could be better.
bool Brancher::bound(Node &node) {
  constexpr int mostPasses = 8;
  for (int pass = 0; pass < mostPasses; ++pass) {
    Model &model = node.model;
    if (!tighten(model, *effort)) {
      return false;
    }
    node.unit = unitOf(model);
    if (node.depth < 2 && !offerGreedy(node)) {
      return false;
    }
    std::vector<bool> dropped(model.options.size(), false);
    size_t required = model.required.size();
    if (!node.hasSharedOutputs()) {
      boundByPrices(node, dropped, pass == 0);
    }
    if (node.isDone()) {
      return true;
    }
    DualBound dual(model, node.depth < 2 ? 1000 : 200, *effort);
    node.raise(dual.total());
    for (uint32_t k = 0; k < dropped.size(); ++k) {
      dropped[k] = dropped[k] || node.isHopeless(dual.boundWith(k));
    }
    auto count = std::count(dropped.begin(), dropped.end(), true);
    if (node.isDone() || effort->isOver() || (count == 0 && model.required.size() == required)) {
      return true;
    }
    dropOptions(model, dropped);
    if (!settle(model)) {
      return false;
    }
  }
  return true;
}

void Brancher::take(Node &node, const BranchResult &result) const {
  if (result.found && result.cost < node.result.cost) {
    node.result.found = true;
    node.result.cost = result.cost;
    node.result.candidates = result.candidates;
  }
}

/// Parts are solved on their own; together they may not cost more than the best.
void Brancher::solveParts(Node &node, std::vector<Model> parts) {
  std::sort(parts.begin(), parts.end(),
            [](const Model &a, const Model &b) { return a.options.size() < b.options.size(); });
  BranchResult sum;
  sum.found = true;
  for (Model &part : parts) {
    bool isLast = &part == &parts.back();
    BranchResult result =
        solve(std::move(part), node.result.cost - sum.lowerBound, node.prices, node.depth + 1);
    sum.lowerBound += std::min(result.lowerBound, infinity / 4);
    sum.found = sum.found && result.found;
    if (node.isHopeless(sum.lowerBound) && !(sum.found && isLast)) {
      node.raise(infinity);
      return;
    }
    if (sum.found) {
      sum.cost += result.cost;
      sum.candidates.insert(sum.candidates.end(), result.candidates.begin(),
                            result.candidates.end());
    }
  }
  take(node, sum);
  node.raise(sum.lowerBound);
}

/// Best-first search over states is strong where few classes are open at a time. True if it ends.
bool Brancher::solveByStates(Node &node, Effort &part, uint64_t mostStates) {
  Expected<std::vector<uint32_t>> greedy = greedyChoice(node.model);
  if (!greedy) {
    node.raise(infinity);
    return true;
  }
  DualBound dual(node.model, 256, part);
  SearchResult found =
      search(node.model, dual, improve(node.model, *greedy, part), mostStates, part, memory);
  nodes += found.searchNodes;
  node.offer(found.options);
  node.raise(found.lowerBound);
  return node.isDone();
}

/// Solves a child with a part of the effort, and takes what is better.
BranchResult Brancher::solveWithin(Effort &part, Model model, Node &node) {
  Effort *whole = std::exchange(effort, &part);
  BranchResult result = solve(std::move(model), node.result.cost, node.prices, node.depth + 1);
  effort = whole;
  take(node, result);
  return result;
}

/// Of a split: a class that is produced or not, or, where it is required, produced by one option or
/// by another.
struct Brancher::Split {
  uint32_t cls = ~0u; ///< none if each class has one option
  bool isRequired = false;
  uint32_t pick = 0; ///< the option
};

Brancher::Split Brancher::splitOf(const Node &node) {
  const Model &model = node.model;
  std::vector<bool> isRequired(model.numClasses(), false);
  for (uint32_t cls : model.required) {
    isRequired[cls] = true;
  }
  std::vector<uint32_t> users(model.numClasses(), 0);
  for (const Model::Option &option : model.options) {
    for (uint32_t input : option.inputs) {
      ++users[input];
    }
  }
  Split best;
  double bestScore = -1;
  for (uint32_t cls : model.byRank) {
    bool hasChoice = !isRequired[cls] || model.producers[cls].size() > 1;
    double frequency = node.frequency.empty() ? 0.5 : node.frequency[cls];
    double open = isRequired[cls] ? 0.001 : 0.01 + std::min(frequency, 1 - frequency);
    double score = open * (1 + users[cls]);
    if (hasChoice && score > bestScore) {
      bool isSuggested = !node.suggestion.empty() && node.suggestion[cls] != ~0u;
      best = {cls, isRequired[cls], isSuggested ? node.suggestion[cls] : model.producers[cls][0]};
      bestScore = score;
    }
  }
  return best;
}

/// The model where the class is produced, by the picked option if it is required; or the other one.
Model Brancher::caseOf(const Model &model, const Split &split, bool isPicked) {
  std::vector<bool> dropped(model.options.size(), false);
  for (uint32_t k : model.producers[split.cls]) {
    dropped[k] = split.isRequired ? (k == split.pick) != isPicked : !isPicked;
  }
  Model result = model;
  dropOptions(result, dropped);
  if (!split.isRequired && isPicked) {
    auto place = std::lower_bound(result.required.begin(), result.required.end(), split.cls);
    result.required.insert(place, split.cls);
  }
  return result;
}

bool Brancher::hasRoom(const Node &node) {
  bool isThere = !memory.isOver() && node.depth < mostDepth;
  if (!isThere) {
    memory.countHit();
  }
  return isThere;
}

void Brancher::branch(Node &node) {
  Split split = splitOf(node);
  if (split.cls == ~0u) { // the greedy choice is all there is
    offerGreedy(node);
    node.raise(infinity);
    return;
  }
  if (split.isRequired && node.hasSharedOutputs()) {
    // Two options of a class can both be needed, for what they produce beside it.
    solveByStates(node, *effort, ~0u);
    return;
  }
  if (!hasRoom(node)) {
    return;
  }
  bool likely = node.frequency.empty() || split.isRequired || node.frequency[split.cls] >= 0.3;
  // Something is left for the second, so that both bounds rise; what it leaves goes to the first.
  Effort most(*effort, effort->left() - effort->left() / 10);
  BranchResult a = solveWithin(most, caseOf(node.model, split, likely), node);
  BranchResult b = solveWithin(*effort, caseOf(node.model, split, !likely), node);
  if (!node.isHopeless(a.lowerBound) && effort->left() > most.spent()) {
    BranchResult again = solveWithin(*effort, caseOf(node.model, split, likely), node);
    a.lowerBound = std::max(a.lowerBound, again.lowerBound);
  }
  node.raise(std::min(a.lowerBound, b.lowerBound));
}

} // namespace zyxc::extract
