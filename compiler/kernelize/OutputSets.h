// Kernels of several outputs: what is read once or computed once serves all of them. Two ways lead
// there. A kernel may store a value that it computes on the way and that others need too (softmax
// and its exponentials, the moments of an optimizer's step), and kernels that read the same tensors
// may be one (a sum and a maximum over the same rows). Each is one more candidate, which competes
// with the kernels of one output and is paid once.
#pragma once
#include "compiler/kernelize/Cuts.h"

namespace zyxc::kernelize {

/// What kernels of one output were chosen for: only there can others of several outputs matter.
struct OutputUse {
  std::vector<ClassId> stored;   ///< what they store
  std::vector<ClassId> computed; ///< what they compute, once for each kernel
  std::vector<ClassId> there;    ///< what can be read: stored, a view of that, or prepared
};

/// Proposes such cuts: about classes that are stored, or computed several times.
class OutputSets {
public:
  /// All but `use` must outlive this.
  OutputSets(const graph::TensorGraph &graph, const CutTable &cuts, OutputUse use,
             const Caps &caps);

  /// Classes that kernels store, operands before users.
  const std::vector<ClassId> &stored() const { return use.stored; }

  /// The cut with classes of its interior stored, each of which something else reads: all of them,
  /// and where there are several each alone.
  std::vector<Cut> withStores(ClassId cls, const Cut &cut);
  /// Cuts that compute `cls` and classes of its shape that come later among the stored ones, or
  /// smaller ones: those that share at least half of the bytes that either reads.
  std::vector<Cut> siblings(ClassId cls);

  int64_t siblingCapHits() const { return siblingHits; }

private:
  void findReaders();
  bool isReadElsewhere(ClassId cls, const Cut &cut) const;
  bool mayBeStored(ClassId cls, const Cut &cut) const;
  /// The cut that is offered to siblings, or null: of those that read what is there, without a
  /// contraction, the most fused one of the best.
  const Cut *representative(ClassId cls) const { return representatives[cls]; }
  const Cut *findRepresentative(ClassId cls) const;
  bool isBeside(ClassId other, ClassId cls) const;
  bool shareInputs(const Cut &a, const Cut &b) const;
  bool reads(const Cut &cut, ClassId cls) const;

  const graph::TensorGraph &graph;
  const CutTable &cuts;
  const Caps &caps;
  OutputUse use;
  // By class:
  std::vector<uint32_t> place;               ///< among the stored ones, plus one; 0: none of them
  std::vector<bool> isOffered;               ///< may be stored beside something else
  std::vector<bool> isResult;                ///< an output of the graph
  std::vector<bool> isThere;                 ///< can be read
  std::vector<const Cut *> representatives;  ///< of stored ones
  std::vector<std::vector<ClassId>> readers; ///< classes with a node over it
  std::vector<std::vector<ClassId>> readBy;  ///< stored classes whose representative reads it
  int64_t siblingHits = 0;
};

/// What one more candidate would save in a choice from a table: a quick test before it is searched
/// with. Both must outlive it.
class LocalGain {
public:
  LocalGain(const graph::TensorGraph &graph, const CandidateTable &table,
            std::span<const uint32_t> chosen);

  /// Picoseconds that the choice saves with this candidate in it, which is not of the table yet:
  /// the cost of those whose outputs it makes or nobody reads any more, less its own. Below 0 where
  /// it costs more, and where it reads what the choice does not produce.
  int64_t of(const Candidate &candidate);

private:
  const CandidateTable &table;
  std::span<const uint32_t> chosen; ///< in execution order
  // By class:
  std::vector<uint32_t> reads; ///< by chosen candidates, and as results
  std::vector<bool> isThere;   ///< produced or given
  std::vector<uint32_t> left;  ///< scratch: of `reads`
};

} // namespace zyxc::kernelize
