// From a candidate table to a host program: choose, order, place buffers. MLIR-free; the driver
// compiles BuiltPlan::programs and fills in what only codegen knows.
#pragma once
#include "compiler/plan/choose/Choose.h"
#include "runtime/plan/Plan.h"
#include <optional>
#include <span>

namespace zyxc::plan {

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
  /// Two layers that follow each other are not computed alike, so that those which the graph leaves
  /// out could not be added (graph::Layers): there is no plan.
  bool layersDiffer = false;
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

} // namespace zyxc::plan
