#include "compiler/plan/choose/Parts.h"
#include "runtime/support/Hash.h"
#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <set>

namespace zyxc::plan {

using extract::Candidate;
using extract::Problem;
using extract::Solution;

namespace {

constexpr uint32_t unnumbered = ~0u;

/// Which part each class and candidate belongs to.
class Division {
public:
  Division(const Problem &problem, std::span<const uint32_t> borders,
           const std::vector<bool> &dropped)
      : problem(problem), dropped(dropped), isFree(problem.numClasses, false),
        parent(problem.numClasses) {
    for (uint32_t cls : problem.given) {
      isFree[cls] = true;
    }
    isGiven = isFree;
    for (uint32_t cls : borders) {
      isFree[cls] = true;
    }
    std::iota(parent.begin(), parent.end(), 0);
    for (uint32_t k = 0; k < problem.candidates.size(); ++k) {
      const Candidate &candidate = problem.candidates[k];
      if (isDropped(k)) {
        continue;
      }
      for (uint32_t output : candidate.outputs) {
        join(output, candidate.outputs[0]);
      }
      for (uint32_t input : candidate.inputs) {
        if (!isFree[input]) {
          join(input, candidate.outputs[0]);
        }
      }
    }
    collect(borders);
  }

  struct Part {
    std::vector<uint32_t> required; ///< sorted
  };

  bool isDropped(uint32_t k) const { return !dropped.empty() && dropped[k]; }
  uint32_t partOf(uint32_t cls) { return partOfRoot[find(cls)]; }
  /// Candidates of different parts exclude each other.
  bool hasConflictAcross() {
    return std::any_of(problem.conflicts.begin(), problem.conflicts.end(), [&](const auto &pair) {
      return !isDropped(pair.first) && !isDropped(pair.second) &&
             find(problem.candidates[pair.first].outputs[0]) !=
                 find(problem.candidates[pair.second].outputs[0]);
    });
  }

  /// As many parts as borders, and none that is most of the problem.
  bool isWorthIt(std::span<const uint32_t> borders) {
    std::vector<size_t> sizes(parts.size(), 0);
    for (const Candidate &candidate : problem.candidates) {
      if (uint32_t part = partOf(candidate.outputs[0]); part != unnumbered) {
        ++sizes[part];
      }
    }
    return parts.size() >= borders.size() &&
           std::all_of(sizes.begin(), sizes.end(),
                       [&](size_t size) { return 2 * size <= problem.candidates.size(); });
  }

  const Problem &problem;
  const std::vector<bool> &dropped; ///< by candidate; may be empty
  std::vector<bool> isFree;         ///< by class: there without being asked for
  std::vector<bool> isGiven;        ///< by class: not produced at all
  std::vector<Part> parts;          ///< those in which something is required

private:
  uint32_t find(uint32_t cls) {
    while (parent[cls] != cls) {
      cls = parent[cls] = parent[parent[cls]];
    }
    return cls;
  }
  void join(uint32_t a, uint32_t b) {
    a = find(a);
    b = find(b);
    parent[std::max(a, b)] = std::min(a, b);
  }

  void collect(std::span<const uint32_t> borders) {
    std::set<uint32_t> required(problem.required.begin(), problem.required.end());
    required.insert(borders.begin(), borders.end());
    partOfRoot.assign(problem.numClasses, unnumbered);
    for (uint32_t cls : required) {
      if (isGiven[cls]) {
        continue;
      }
      uint32_t &part = partOfRoot[find(cls)];
      if (part == unnumbered) {
        part = static_cast<uint32_t>(parts.size());
        parts.emplace_back();
      }
      parts[part].required.push_back(cls);
    }
  }

  std::vector<uint32_t> parent;
  std::vector<uint32_t> partOfRoot;
};

/// A part as a problem of its own. Classes and candidates are numbered in the order in which a walk
/// from what is required meets them, so that parts of equal structure become equal problems.
class PartProblem {
public:
  PartProblem(Division &division, const std::vector<std::vector<uint32_t>> &producers,
              const std::vector<std::vector<uint32_t>> &conflicts,
              std::vector<uint32_t> &classNumbers, std::vector<uint32_t> &candidateNumbers,
              const Division::Part &part)
      : division(division), classNumbers(classNumbers), candidateNumbers(candidateNumbers) {
    words = {0};
    words.push_back(static_cast<int64_t>(part.required.size()));
    for (uint32_t cls : part.required) {
      words.push_back(number(cls));
    }
    for (size_t i = 0; i < classes.size(); ++i) {
      for (uint32_t k : producers[classes[i]]) {
        if (!division.isDropped(k)) {
          add(k);
        }
      }
    }
    words[0] = static_cast<int64_t>(classes.size());
    words.push_back(-1);
    for (uint32_t k : originals) {
      for (uint32_t other : conflicts[k]) {
        if (k < other && candidateNumbers[other] != unnumbered) {
          words.push_back(candidateNumbers[k]);
          words.push_back(candidateNumbers[other]);
        }
      }
    }
    for (uint32_t cls : classes) { // as they were, for the next part
      classNumbers[cls] = unnumbered;
    }
    for (uint32_t k : originals) {
      candidateNumbers[k] = unnumbered;
    }
  }

  /// All that the solution depends on: the number of classes, those that are required, the
  /// candidates (cost, outputs, inputs) up to a -1, pairs that exclude each other.
  std::vector<int64_t> words;
  std::vector<uint32_t> originals; ///< by candidate: its index in the whole

private:
  uint32_t number(uint32_t cls) {
    if (classNumbers[cls] == unnumbered) {
      classNumbers[cls] = static_cast<uint32_t>(classes.size());
      classes.push_back(cls);
    }
    return classNumbers[cls];
  }

  void add(uint32_t k) {
    if (candidateNumbers[k] != unnumbered) {
      return;
    }
    candidateNumbers[k] = static_cast<uint32_t>(originals.size());
    originals.push_back(k);
    const Candidate &whole = division.problem.candidates[k];
    words.push_back(whole.cost);
    words.push_back(static_cast<int64_t>(whole.outputs.size()));
    for (uint32_t output : whole.outputs) {
      words.push_back(number(output));
    }
    // Another part's border is there; one of this part must come first, so it stays an input.
    uint32_t part = division.partOf(whole.outputs[0]);
    size_t count = words.size();
    words.push_back(0);
    for (uint32_t input : whole.inputs) {
      bool isOwn = !division.isGiven[input] && division.partOf(input) == part;
      if (!division.isFree[input] || isOwn) {
        words.push_back(number(input));
        ++words[count];
      }
    }
  }

  Division &division;
  std::vector<uint32_t> &classNumbers;
  std::vector<uint32_t> &candidateNumbers;
  std::vector<uint32_t> classes;
};

/// What the words of a part say.
Problem problemOf(std::span<const int64_t> words) {
  auto take = [&] {
    int64_t word = words.front();
    words = words.subspan(1);
    return word;
  };
  auto takeList = [&] {
    std::vector<uint32_t> list(static_cast<size_t>(take()));
    for (uint32_t &number : list) {
      number = static_cast<uint32_t>(take());
    }
    return list;
  };
  Problem problem;
  problem.numClasses = static_cast<uint32_t>(take());
  problem.required = takeList();
  while (words.front() != -1) { // costs are 0 and more
    Candidate candidate;
    candidate.cost = take();
    candidate.outputs = takeList();
    candidate.inputs = takeList();
    problem.candidates.push_back(std::move(candidate));
  }
  take();
  while (!words.empty()) {
    auto a = static_cast<uint32_t>(take());
    auto b = static_cast<uint32_t>(take());
    problem.conflicts.emplace_back(a, b);
  }
  return problem;
}

/// The producers of each class, in an order that equal parts share: by cost and inputs first.
std::vector<std::vector<uint32_t>> producersOf(const Problem &problem) {
  std::vector<std::vector<uint32_t>> producers(problem.numClasses);
  for (uint32_t k = 0; k < problem.candidates.size(); ++k) {
    for (uint32_t output : problem.candidates[k].outputs) {
      producers[output].push_back(k);
    }
  }
  auto rank = [&](uint32_t k) {
    const Candidate &candidate = problem.candidates[k];
    return std::tuple(candidate.cost, candidate.inputs.size(), k);
  };
  for (std::vector<uint32_t> &list : producers) {
    std::sort(list.begin(), list.end(), [&](uint32_t a, uint32_t b) { return rank(a) < rank(b); });
  }
  return producers;
}

std::vector<std::vector<uint32_t>> conflictsOf(const Problem &problem) {
  std::vector<std::vector<uint32_t>> conflicts(problem.candidates.size());
  for (auto [a, b] : problem.conflicts) {
    conflicts[a].push_back(b);
    conflicts[b].push_back(a);
  }
  return conflicts;
}

/// Parts in an order in which each comes after those whose borders it reads; fewer than there are
/// if some need each other.
std::vector<uint32_t> orderParts(Division &division,
                                 const std::vector<std::vector<uint32_t>> &chosen) {
  std::vector<std::vector<uint32_t>> readers(chosen.size());
  std::vector<uint32_t> missing(chosen.size(), 0);
  for (uint32_t part = 0; part < chosen.size(); ++part) {
    std::set<uint32_t> needed;
    for (uint32_t k : chosen[part]) {
      for (uint32_t input : division.problem.candidates[k].inputs) {
        if (!division.isGiven[input]) {
          needed.insert(division.partOf(input));
        }
      }
    }
    needed.erase(part);
    missing[part] = static_cast<uint32_t>(needed.size());
    for (uint32_t other : needed) {
      readers[other].push_back(part);
    }
  }
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t part = 0; part < chosen.size(); ++part) {
    if (missing[part] == 0) {
      ready.push(part);
    }
  }
  std::vector<uint32_t> order;
  while (!ready.empty()) {
    uint32_t part = ready.top();
    ready.pop();
    order.push_back(part);
    for (uint32_t reader : readers[part]) {
      if (--missing[reader] == 0) {
        ready.push(reader);
      }
    }
  }
  return order;
}

} // namespace

size_t PartSolver::Hash::operator()(const std::vector<int64_t> &words) const {
  return hashBytes(words.data(), words.size() * sizeof(int64_t));
}

PartSolver::PartSolver(const Problem &problem, const extract::Limits &limits)
    : problem(problem), limits(limits), producers(producersOf(problem)),
      conflicts(conflictsOf(problem)) {}

extract::Limits PartSolver::limitsLeft() const {
  extract::Limits left = limits;
  uint64_t unspent = limits.searchNodes - std::min(spent, limits.searchNodes);
  left.searchNodes = std::max(unspent, limits.searchNodes / 100);
  return left;
}

std::optional<PartsSolution> PartSolver::solve(std::span<const uint32_t> borders,
                                               const std::vector<bool> &dropped) {
  Division division(problem, borders, dropped);
  if (!division.isWorthIt(borders) || division.hasConflictAcross()) {
    return std::nullopt;
  }
  std::vector<uint32_t> classNumbers(problem.numClasses, unnumbered);
  std::vector<uint32_t> candidateNumbers(problem.candidates.size(), unnumbered);
  std::vector<std::vector<uint32_t>> chosen;
  std::set<const Solution *> used;
  PartsSolution result;
  result.solution.proved = true;
  for (const Division::Part &part : division.parts) {
    PartProblem own(division, producers, conflicts, classNumbers, candidateNumbers, part);
    auto [entry, isNew] = known.try_emplace(own.words);
    if (isNew) {
      if (Expected<Solution> solved = extract::solve(problemOf(own.words), limitsLeft())) {
        entry->second = *std::move(solved);
        result.solution.searchNodes += entry->second->searchNodes;
        result.solution.memoryHits += entry->second->memoryHits;
        spent += entry->second->effort;
      }
    }
    if (!entry->second) {
      return std::nullopt;
    }
    const Solution &solution = *entry->second;
    used.insert(&solution);
    result.solution.cost += solution.cost;
    result.solution.lowerBound += solution.lowerBound;
    result.solution.proved = result.solution.proved && solution.proved;
    std::vector<uint32_t> &list = chosen.emplace_back();
    for (uint32_t k : solution.chosen) {
      list.push_back(own.originals[k]);
    }
  }
  std::vector<uint32_t> order = orderParts(division, chosen);
  if (order.size() < chosen.size()) {
    return std::nullopt;
  }
  for (uint32_t part : order) {
    result.solution.chosen.insert(result.solution.chosen.end(), chosen[part].begin(),
                                  chosen[part].end());
  }
  result.parts = chosen.size();
  result.distinct = used.size();
  return result;
}

} // namespace zyxc::plan
