// Launches before their buffers are known, and the kernels that they launch.
#pragma once
#include "compiler/plan/PlanBuilder.h"

namespace zyxc::plan {

/// A launch of a kernel on classes.
struct Step {
  uint32_t kernel = 0;
  std::vector<kernelize::ClassId> inputs = {};
  std::vector<kernelize::ClassId> outputs = {};
  int64_t copyTo = -1;  ///< number of the program output that a copy writes
  int64_t writeTo = -1; ///< number of the program input that is written
  std::string label = {};
  std::vector<std::string> origins = {};         ///< source nodes; the label, where there are any
  std::vector<kernelize::ClassId> computes = {}; ///< outputs, and what is not stored
  uint32_t program = ~0u; ///< of the candidate table; none of steps that only copy
};

/// The kernels of a plan, one for each program.
class KernelList {
public:
  /// Adds kernels to `built`, which must outlive it.
  KernelList(BuiltPlan &built, const PlanUse &use) : built(built), use(use) {}

  /// The number of the kernel of a program, which is added if it is new.
  uint32_t add(const kernelize::Program &program, int64_t picoseconds);
  /// Drops the kernels that none of these steps launches, and renumbers the others.
  void dropUnused(std::span<std::vector<Step> *const> steps);
  const kernelize::Program &program(uint32_t kernel) const { return built.programs[kernel]; }
  int64_t picoseconds(uint32_t kernel) const { return built.plan.kernels[kernel].picoseconds; }

private:
  void addCall(const kernelize::Program &program, uint32_t index, rt::Kernel &kernel);

  BuiltPlan &built;
  const PlanUse &use;
};

/// Fills in BuiltPlan::constantPorts and alignedPorts of a plan with launches.
void findPortFacts(BuiltPlan &built, bool isBody);

} // namespace zyxc::plan
