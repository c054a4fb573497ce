#include "compiler/plan/choose/Choose.h"
#include "compiler/plan/choose/Parts.h"
#include "compiler/plan/choose/TableProblem.h"
#include <algorithm>

namespace zyxc::plan {

using kernelize::ClassId;

namespace {

/// What is stored in any case.
struct Stored {
  std::vector<ClassId> borders; ///< between parts, operands before users
  std::vector<ClassId> shared;  ///< what many parts read, a mask for example
};

/// Chooses between sets of borders of one table.
class PartChooser {
public:
  PartChooser(const graph::TensorGraph &graph, const kernelize::CandidateTable &table,
              const extract::Limits &limits)
      : table(table), problem(problemOf(graph, table)), solver(problem, limits),
        position(problem.numClasses, 0), mark(problem.numClasses, false) {
    for (uint32_t i = 0; i < table.classes.size(); ++i) {
      position[table.classes[i]] = i;
    }
    for (const kernelize::Candidate &candidate : table.candidates) {
      std::vector<ClassId> &classes = inside.emplace_back();
      for (graph::NodeId node : candidate.nodes) {
        ClassId cls = graph.find(node);
        if (cls < problem.numClasses && cls != candidate.outputs[0]) {
          classes.push_back(cls);
        }
      }
    }
  }

  /// Takes these borders if they give a cheaper choice than those before. False if not.
  bool offer(const std::vector<ClassId> &borders) {
    std::vector<bool> hiding = hidingCandidates(borders);
    std::vector<ClassId> shared = sharedClasses(borders, hiding);
    Stored stored{borders, {}};
    bool isBest = solve(stored, hiding, shared);
    for (ClassId cls : shared) { // one after the other, as long as each saves something
      stored.shared.push_back(cls);
      if (solve(stored, hiding, shared)) {
        isBest = true;
      } else {
        stored.shared.pop_back();
      }
    }
    if (isBest) {
      sharedOfBest = std::move(shared);
    }
    return isBest;
  }

  /// Gives up borders where that saves something: at both ends, where the parts are not like the
  /// others, and every second one if that holds for one in the middle. False if it saves nothing.
  bool relax() {
    bool saves = offerAgain(without(bestStored.borders.size() - 1));
    saves = offerAgain(without(0)) || saves;
    constexpr int rounds = 3; // parts of up to eight equal ones
    for (int round = 0; round < rounds; ++round) {
      std::vector<ClassId> half;
      for (size_t i = 1; i < bestStored.borders.size(); i += 2) {
        half.push_back(bestStored.borders[i]);
      }
      if (!offerAgain(without(bestStored.borders.size() / 2))) {
        break;
      }
      saves = true;
      if (!offerAgain(std::move(half))) {
        break;
      }
    }
    return saves;
  }

  Expected<std::optional<Choice>> take() && {
    if (!best) {
      return std::optional<Choice>();
    }
    ZYXC_RETURN_IF_ERROR(
        extract::check(problem, best->solution).withContext("choice of kernels by parts"));
    Choice choice = choiceOf(std::move(best->solution));
    choice.searchNodes = searchNodes;
    choice.memoryHits = memoryHits;
    choice.borders = bestStored.borders.size() + bestStored.shared.size();
    choice.parts = best->parts;
    choice.distinctParts = best->distinct;
    return std::optional(std::move(choice));
  }

private:
  /// True if this costs less than the best. Of shared classes that are not stored each part
  /// computes what it needs.
  bool solve(const Stored &stored, const std::vector<bool> &hiding,
             const std::vector<ClassId> &shared) {
    std::vector<bool> dropped = hiding;
    if (!shared.empty()) {
      dropReaders(shared, stored.shared, dropped);
    }
    std::vector<ClassId> all = stored.borders;
    all.insert(all.end(), stored.shared.begin(), stored.shared.end());
    std::optional<PartsSolution> found = solver.solve(all, dropped);
    searchNodes += found ? found->solution.searchNodes : 0;
    memoryHits += found ? found->solution.memoryHits : 0;
    if (!found || (best && best->solution.cost <= found->solution.cost)) {
      return false;
    }
    best = std::move(found);
    bestStored = stored;
    return true;
  }

  /// The same shared classes between other borders.
  bool offerAgain(std::vector<ClassId> borders) {
    std::vector<bool> hiding = hidingCandidates(borders);
    return solve({std::move(borders), bestStored.shared}, hiding, sharedOfBest);
  }

  std::vector<ClassId> without(size_t place) const {
    std::vector<ClassId> borders = bestStored.borders;
    borders.erase(borders.begin() + static_cast<std::ptrdiff_t>(place));
    return borders;
  }

  /// Candidates that compute a border only to use it.
  std::vector<bool> hidingCandidates(const std::vector<ClassId> &borders) {
    setMark(borders, true);
    std::vector<bool> hiding(inside.size());
    for (size_t k = 0; k < hiding.size(); ++k) {
      hiding[k] =
          std::any_of(inside[k].begin(), inside[k].end(), [&](ClassId cls) { return mark[cls]; });
    }
    setMark(borders, false);
    return hiding;
  }

  /// Classes that candidates of many parts read, operands before users: they would join the parts.
  std::vector<ClassId> sharedClasses(const std::vector<ClassId> &borders,
                                     const std::vector<bool> &hiding) {
    std::vector<uint32_t> places; // of the borders
    places.reserve(borders.size());
    for (ClassId cls : borders) {
      places.push_back(position[cls]);
    }
    std::vector<uint64_t> reads; // class, part of the reader
    setMark(borders, true);
    setMark(problem.given, true);
    for (size_t k = 0; k < hiding.size(); ++k) {
      const kernelize::Candidate &candidate = table.candidates[k];
      uint32_t place = position[candidate.outputs[0]];
      auto part = std::lower_bound(places.begin(), places.end(), place) - places.begin();
      for (ClassId input : candidate.inputs) {
        if (!hiding[k] && !mark[input]) {
          reads.push_back(uint64_t(input) << 32 | static_cast<uint64_t>(part));
        }
      }
    }
    setMark(borders, false);
    setMark(problem.given, false);
    std::sort(reads.begin(), reads.end());
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
    std::vector<ClassId> shared;
    constexpr size_t fewestReaders = 3; // a part and its neighbours are no reason
    for (size_t i = 0; i + fewestReaders <= reads.size(); ++i) {
      auto cls = static_cast<ClassId>(reads[i] >> 32);
      bool isShared = reads[i + fewestReaders - 1] >> 32 == cls;
      if (isShared && (shared.empty() || shared.back() != cls)) {
        shared.push_back(cls);
      }
    }
    constexpr size_t most = 8;
    std::sort(shared.begin(), shared.end(),
              [&](ClassId a, ClassId b) { return position[a] < position[b]; });
    return shared.size() <= most ? shared : std::vector<ClassId>();
  }

  /// Drops candidates that read a shared class which is not stored, but for those that make shared
  /// ones.
  void dropReaders(const std::vector<ClassId> &shared, const std::vector<ClassId> &stored,
                   std::vector<bool> &dropped) {
    std::vector<bool> isShared(problem.numClasses, false);
    for (ClassId cls : shared) {
      isShared[cls] = true;
    }
    setMark(shared, true);
    setMark(stored, false);
    for (size_t k = 0; k < dropped.size(); ++k) {
      const kernelize::Candidate &candidate = table.candidates[k];
      bool reads = std::any_of(candidate.inputs.begin(), candidate.inputs.end(),
                               [&](ClassId cls) { return mark[cls]; });
      dropped[k] = dropped[k] || (reads && !isShared[candidate.outputs[0]]);
    }
    setMark(shared, false);
  }

  void setMark(const std::vector<ClassId> &classes, bool value) {
    for (ClassId cls : classes) {
      mark[cls] = value;
    }
  }

  const kernelize::CandidateTable &table;
  extract::Problem problem;
  PartSolver solver;
  std::vector<uint32_t> position;           ///< by class: its place in the order of the table
  std::vector<bool> mark;                   ///< by class; scratch, false between uses
  std::vector<std::vector<ClassId>> inside; ///< by candidate: what it computes and does not store
  std::optional<PartsSolution> best;
  Stored bestStored;
  std::vector<ClassId> sharedOfBest; ///< stored or not
  uint64_t searchNodes = 0;
  uint64_t memoryHits = 0;
};

} // namespace

Expected<std::optional<Choice>> chooseByParts(const graph::TensorGraph &graph,
                                              const kernelize::CandidateTable &table,
                                              std::span<const Borders> sets,
                                              const extract::Limits &limits) {
  if (sets.empty()) {
    return std::optional<Choice>();
  }
  PartChooser chooser(graph, table, limits);
  for (const Borders &borders : sets) {
    if (chooser.offer(borders.classes) && !chooser.relax()) {
      break; // storing these costs nothing: no others are better
    }
  }
  return std::move(chooser).take();
}

} // namespace zyxc::plan
