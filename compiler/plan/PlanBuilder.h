// From a candidate table to a host program: choose, order, place buffers. MLIR-free; the driver
// compiles BuiltPlan::programs and fills in what only codegen knows.
#pragma once
#include "compiler/extract/Extract.h"
#include "compiler/plan/Borders.h"
#include "runtime/plan/Plan.h"
#include <optional>
#include <span>

namespace zyxc::plan {

/// The chosen candidates (indices into the table, in execution order) with their certificate.
struct Choice {
  std::vector<uint32_t> candidates;
  int64_t cost = 0;       ///< picoseconds
  int64_t lowerBound = 0; ///< no other choice from the table costs less
  bool proved = false;
  uint64_t searchNodes = 0;
  uint64_t memoryHits = 0; ///< see extract::Solution
  /// Classes that were stored in any case, between equal parts of the graph: bound and proof are
  /// about choices that store them. 0: about all choices.
  size_t borders = 0;
  size_t parts = 0;         ///< that were chosen on their own
  size_t distinctParts = 0; ///< of them, those that had to be searched
};

/// Picks the cheapest closed set of candidates; checked by extract::check.
Expected<Choice> choose(const graph::TensorGraph &graph, const kernelize::CandidateTable &table,
                        const extract::Limits &limits = {});

/// The same part by part: for the best of these sets of borders. Nothing if none of them cuts the
/// table into parts.
Expected<std::optional<Choice>> chooseByParts(const graph::TensorGraph &graph,
                                              const kernelize::CandidateTable &table,
                                              std::span<const Borders> sets,
                                              const extract::Limits &limits = {});

/// Where a plan runs.
struct PlanUse {
  /// Goes before the names of kernels, so that those of all plans of a program differ.
  std::string kernelPrefix = {};
  /// The plan is a body of another: its outputs may start at any address that suits their elements.
  bool isBody = false;
};

/// A kernel of a plan that runs other plans: the caller puts them into rt::Plan::bodies, and their
/// numbers into the kernel's control.
struct PlannedCall {
  uint32_t kernel = 0;
  size_t callee = 0; ///< in TensorGraph::callees
};

/// A plan whose kernels are still to be compiled.
struct BuiltPlan {
  rt::Plan plan;
  /// The program of each kernel of the plan (by index), to be compiled under the kernel's name.
  std::vector<kernelize::Program> programs;
  /// Per kernel: the input ports that only ever read constants (they may be packed at load).
  std::vector<std::vector<uint32_t>> constantPorts;
  /// Per kernel: the ports that every launch writes at a multiple of rt::outputAlignment.
  std::vector<std::vector<uint32_t>> alignedPorts;
  std::vector<PlannedCall> calls; ///< of regions
  /// By program of the table: the number of the kernel that it became, or ~0u.
  std::vector<uint32_t> kernelOf;
  /// The most bytes of the arena that are in use at one time, which no arrangement of buffers goes
  /// below; 0 where sizes are not known.
  uint64_t liveBytes = 0;
};

/// Launch order, buffers and names. Deterministic: the same choice gives the same plan.
Expected<BuiltPlan> buildPlan(const graph::TensorGraph &graph,
                              const kernelize::CandidateTable &table, const Choice &choice,
                              const PlanUse &use = {});

/// A port that a compiled kernel wants in a packed form, made once at load by `pack`
/// (port 0: the plain tensor, port 1: `bytes` of packed data).
struct PackedPort {
  uint32_t kernel = 0; ///< index into Plan::kernels
  uint32_t port = 0;
  uint64_t bytes = 0;
  rt::Kernel pack;
};

/// Rewrites the launches of these kernels to read packed data from Prepared memory and adds the
/// launches that pack: one per (tensor, pack kernel name).
Status usePackedPorts(rt::Plan &plan, std::span<const PackedPort> ports);

/// What a choice by parts is about, in a line; nothing for any other choice.
std::string describeParts(const Choice &choice);

} // namespace zyxc::plan
