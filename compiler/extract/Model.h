// The reduced problem that the solver works on: given classes removed, useless candidates dropped,
// classes in an order that puts inputs before outputs wherever that is possible.
#pragma once
#include "compiler/extract/Effort.h"
#include "compiler/extract/Extract.h"
#include <span>

namespace zyxc::extract {

inline constexpr int64_t infinity = INT64_MAX / 4;

/// A Problem after its reductions.
struct Model {
  struct Option {
    std::vector<uint32_t> inputs;  ///< without given classes; sorted, distinct
    std::vector<uint32_t> outputs; ///< sorted, distinct
    int64_t cost = 0;
    uint32_t original = 0; ///< index in the problem
  };
  std::vector<Option> options;
  std::vector<std::vector<uint32_t>> producers; ///< per class, by option index
  std::vector<uint32_t> required;               ///< not given; sorted, distinct
  /// Position of a class in an order of strongly connected components, inputs first.
  std::vector<uint32_t> rank;
  /// Component of a class; components are numbered in rank order.
  std::vector<uint32_t> component;
  std::vector<bool> cyclic;                     ///< per component: more than one class
  std::vector<uint32_t> byRank;                 ///< reachable classes in rank order
  std::vector<std::vector<uint32_t>> conflicts; ///< per option, sorted
  /// Per class: classes that each way to produce it needs, the nearest ones; empty if not known.
  std::vector<std::vector<uint32_t>> implied;
  /// Of the classes, if they were given other numbers than those of the problem.
  std::vector<uint32_t> names;
  uint32_t nameOf(uint32_t cls) const { return names.empty() ? cls : names[cls]; }
  uint32_t numClasses() const { return static_cast<uint32_t>(producers.size()); }
};

/// Drops the options that are marked; `settle` must follow.
void dropOptions(Model &model, const std::vector<bool> &dropped);

/// Rebuilds what follows from the options, after some were dropped or lost inputs: drops options
/// that cannot be had or are never asked for, and orders the classes. False if a required class
/// cannot be produced. For models without conflicts.
bool settle(Model &model);

/// Drops unproducible, unreachable and dominated candidates and orders the classes.
Expected<Model> makeModel(const Problem &problem);

/// The options that read a class, in their order.
struct Readers {
  std::vector<uint32_t> first; ///< per class, and the end of the last
  std::vector<uint32_t> options;
  std::span<const uint32_t> of(uint32_t cls) const {
    return {options.data() + first[cls], options.data() + first[cls + 1]};
  }
};
Readers readersOf(const Model &model);

/// A feasible choice, cheapest tree first: options in execution order.
Expected<std::vector<uint32_t>> greedyChoice(const Model &model);

/// Local search from a feasible choice: one class at a time is produced in another way, as long as
/// the total falls and the effort is not over. Options in execution order.
std::vector<uint32_t> improve(const Model &model, const std::vector<uint32_t> &choice,
                              Effort &effort);

/// The same from one option for each class, ~0u for that of the cheapest tree; empty if these run
/// in a circle.
std::vector<uint32_t> improveMap(const Model &model, std::vector<uint32_t> options, Effort &effort);

/// The cheapest option of each class by tree cost, without options that exclude others; ~0u where
/// there is none. Following it from any class never runs in a circle.
std::vector<uint32_t> cheapestTrees(const Model &model);

/// The option of each class by DAG cost, with a heap; as above. ~0u everywhere if the sets that it
/// keeps would need more than 512 MB.
std::vector<uint32_t> greedyDag(const Model &model);

/// The same with a queue; empty if that has not run empty when the effort is over.
std::vector<uint32_t> greedyDagFifo(const Model &model, Effort &effort);

/// What the required classes come to by one option for each class, in execution order. Unsupported
/// if one of them has none.
Expected<std::vector<uint32_t>> choiceOf(const Model &model, const std::vector<uint32_t> &options);

/// The options of a closed, acyclic set in execution order.
std::vector<uint32_t> inExecutionOrder(const Model &model, std::vector<uint32_t> set);

/// Sum of the costs of distinct options.
int64_t totalCost(const Model &model, const std::vector<uint32_t> &options);

} // namespace zyxc::extract
