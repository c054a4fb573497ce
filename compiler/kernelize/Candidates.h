// The candidate table: every way that was found to produce a stored class, as a hypergraph beside
// the e-graph. Compiling never edits the e-graph.
#pragma once
#include "compiler/cost/MeasuredCosts.h"
#include "compiler/graph/TensorGraph.h"
#include "compiler/kernelize/library/LibraryUse.h"
#include "compiler/kernelize/program/Program.h"
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace zyxc::kernelize {

using graph::ClassId;
using graph::NodeId;

/// A way to have a class stored.
struct Candidate {
  enum class Kind : uint8_t {
    Kernel,        ///< run `program`
    Alias,         ///< the output is inputs[0]'s bytes from `offset` on
    ConcatInPlace, ///< the inputs are written side by side into the output's buffer
  };
  Kind kind = Kind::Kernel;
  uint32_t program = 0;         ///< Kernel: index into CandidateTable::programs
  std::vector<ClassId> inputs;  ///< Kernel: one per input port, in port order
  std::vector<ClassId> outputs; ///< Kernel: one per output port
  int64_t cost = 0;             ///< picoseconds
  uint64_t offset = 0;          ///< Alias: in bytes; a size, which may be symbolic
  bool prepare = false;         ///< depends on constants only: run once at load
  std::vector<NodeId> nodes;    ///< the e-nodes that it computes, by id
};

/// A priced program. Identical programs are one.
struct PricedProgram {
  Program program;
  int64_t cost = 0;  ///< picoseconds
  int64_t bytes = 0; ///< read and written
  int64_t flops = 0;
};

/// A limit of the search for candidates, and how often it cut something off.
struct CapHit {
  std::string_view name;
  int64_t limit = 0;
  int64_t hits = 0;
};

/// Limits of the search, in counts: the same graph gives the same candidates on every machine.
struct Caps {
  int cutsPerClass = 12;      ///< beside the stored cut and the one with the fewest inputs
  int mergesPerNode = 64;     ///< combinations of operand cuts that are tried
  int ports = 12;             ///< of one kernel
  int ops = 256;              ///< body values of one kernel; fewer in graphs of over 2048 classes
  int reductionLevels = 3;    ///< nested reductions of one kernel
  int siblings = 4;           ///< classes that are tried beside another as outputs of one kernel
  int recomputePercent = 200; ///< work of a kernel against that of its ops computed once each
  bool attention = true;      ///< softmax(scores) * values in one kernel: sums are reordered
  LibraryUse blas = LibraryUse::Off;
  const cost::MeasuredCosts *measured = nullptr; ///< what is known of programs, or null
  bool reuse = true; ///< equal cuts become one program without being built again
};

/// All ways to compute the classes of a graph.
struct CandidateTable {
  std::vector<PricedProgram> programs;
  std::vector<Candidate> candidates;
  /// Classes that some candidate produces or reads, operands before users.
  std::vector<ClassId> classes;
  /// Classes that need no candidate: leaves, constants and tensors without elements.
  std::vector<ClassId> given;
  /// Pairs of candidates that cannot both be chosen (two places for one buffer).
  std::vector<std::pair<uint32_t, uint32_t>> conflicts;
  std::vector<CapHit> caps; ///< all caps, also those never hit
  size_t cutsBuilt = 0;     ///< cuts that were made into programs; the others were equal to one

  /// By class id: the indices of the candidates that produce it.
  std::vector<std::vector<uint32_t>> producers() const;
};

/// Fills candidate tables of one graph, which must outlive it and stay as it is.
class CandidateFinder {
public:
  explicit CandidateFinder(const graph::TensorGraph &graph, const Caps &caps = {});
  CandidateFinder(CandidateFinder &&other) noexcept;
  ~CandidateFinder();

  /// Candidates for everything that the graph's outputs can need, but for kernels of several
  /// outputs. Unsupported, naming the op, if an output cannot be produced.
  Expected<CandidateTable> find();
  /// Adds kernels of several outputs to the table that find() gave (OutputSets.h), about what these
  /// candidates of it store. Returns how many.
  size_t addOutputSets(CandidateTable &table, std::span<const uint32_t> chosen);

private:
  class Impl;
  std::unique_ptr<Impl> impl;
};

/// The table of find().
Expected<CandidateTable> buildCandidates(const graph::TensorGraph &graph, const Caps &caps = {});

} // namespace zyxc::kernelize
