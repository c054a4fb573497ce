// Where the values of a plan live: given by the caller, in an output, in an input that is written,
// in memory that is filled at load, in the arena.
#pragma once
#include "compiler/plan/Placement.h"
#include "compiler/plan/Steps.h"
#include <map>
#include <optional>

namespace zyxc::plan {

/// Gives each class of the steps a place. The methods are called in this order, each once; some add
/// steps that copy.
class Buffers {
public:
  using ClassId = kernelize::ClassId;

  /// All must outlive it. `built.plan` has its inputs and outputs.
  Buffers(const graph::TensorGraph &graph, const kernelize::CandidateTable &table,
          const Choice &choice, BuiltPlan &built, KernelList &kernels)
      : graph(graph), table(table), built(built), kernels(kernels),
        placement(graph, table, choice) {
    addInputs();
  }

  /// What is made of constants alone can be made at load, unless its sizes are known later. The
  /// candidate is noted as one that is.
  bool prepareAtLoad(const kernelize::Candidate &candidate);
  /// One more value of this type, with a buffer of its own.
  ClassId addValue(TensorType type);
  /// One more value of this type that lies in the buffer of another.
  ClassId addPart(TensorType type, Place place);
  /// Makes the value a constant of the plan.
  void setConstant(ClassId root, Tensor value) {
    constants.insert_or_assign(root, std::move(value));
  }
  void setPrepared(ClassId root, bool isMade);
  /// Lets buffers be outputs where that is possible and adds copies where it is not: an output that
  /// is an input, a constant, prepared, a part of another buffer, or one that was placed already.
  void placeOutputs(std::vector<Step> &steps);
  /// Stores what is written into inputs, after everything else: no kernel sees it. A value is made
  /// where it is written, if nothing reads the input from then on.
  void placeWrites(std::vector<Step> &steps);
  void placePrepared();
  void placeArena(const std::vector<Step> &steps);

  Expected<rt::BufferRef> of(ClassId cls);
  /// Where a step puts the class: one without elements, which is a constant for whoever reads it,
  /// is no bytes of the arena.
  Expected<rt::BufferRef> ofResult(ClassId cls);
  const TensorType &typeOf(ClassId cls) const;
  Place placeOf(ClassId cls) const;
  bool isPrepared(ClassId root) const;
  bool isConstant(ClassId root) const { return constants.contains(root); }

private:
  void addInputs();
  bool isGiven(ClassId cls) const;
  bool isEmpty(ClassId cls) const;
  /// Has a place that is not in the arena.
  bool isElsewhere(ClassId root) const;
  /// The class, or one more buffer with a copy of it.
  ClassId kept(ClassId cls, const graph::Write &write, std::vector<Step> &steps);
  bool placeInInput(ClassId cls, const graph::Write &write, std::vector<Step> &steps);
  /// Makes the step, which makes a class of this place in memory of the input, read and write one
  /// port; `start` is the first element of it in the input. False if an element might be read after
  /// it was written.
  bool overwrite(Step &step, ClassId root, ClassId input, int64_t start);
  bool touches(const std::vector<ClassId> &classes, ClassId root) const;
  /// The steps at which memory is first written, or last read; by the root of its place.
  size_t firstWrite(ClassId root, const std::vector<Step> &steps) const;
  std::optional<size_t> lastRead(ClassId root, const std::vector<Step> &steps) const;
  uint32_t constantNumber(ClassId root, const Tensor &constant);

  const graph::TensorGraph &graph;
  const kernelize::CandidateTable &table;
  BuiltPlan &built;
  KernelList &kernels;
  Placement placement;
  std::vector<ClassId> prepared; ///< classes that are computed at load
  std::map<ClassId, size_t> inputIndex;
  std::map<ClassId, size_t> outputOf;                        ///< roots that live in an output
  std::map<ClassId, std::pair<size_t, uint64_t>> inputPlace; ///< roots made in a written input
  struct Added {
    TensorType type;
    Place place;
  };
  std::vector<Added> added;            ///< their classes follow the graph's
  std::map<ClassId, Tensor> constants; ///< beside those that the graph knows
  std::map<ClassId, uint64_t> preparedOffset;
  std::map<ClassId, uint64_t> arenaOffset;
  std::map<ClassId, size_t> arenaBuffer; ///< instead, where sizes are symbolic: the lifetime
  std::map<ClassId, uint32_t> constantIndex;
};

} // namespace zyxc::plan
