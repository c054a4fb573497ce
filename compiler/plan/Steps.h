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
};

/// The kernels of a plan, one for each program.
class KernelList {
public:
  /// Adds kernels to `built`, which must outlive it.
  KernelList(BuiltPlan &built, const PlanUse &use) : built(built), use(use) {}

  /// The number of the kernel of a program, which is added if it is new.
  uint32_t add(const kernelize::Program &program, int64_t picoseconds);

private:
  void addCall(const kernelize::Program &program, uint32_t index, rt::Kernel &kernel);

  BuiltPlan &built;
  const PlanUse &use;
};

/// Fills in BuiltPlan::constantPorts and alignedPorts of a plan with launches.
void findPortFacts(BuiltPlan &built, bool isBody);

} // namespace zyxc::plan
