// A saved plan: opened, checked and made ready to run, without LLVM. The weights and the code are
// the file's own pages, mapped. docs/plans.md describes format and guarantees.
#pragma once
#include "runtime/plan/PlanHeader.h"
#include "runtime/support/CpuFeatures.h"
#include "runtime/support/File.h"

namespace zyxc::rt {

/// A plan with the memory that its kernels' entries are in; it must outlive every executor. The
/// entries of custom kernels are still to be found: Executor::load does.
struct LoadedPlan {
  Plan plan;
  std::shared_ptr<const void> code;
};

/// An open file. It holds at least one target. The file must not be written to while it, or a plan
/// loaded from it, is in use; replacing it by renaming another one does no harm.
class PlanFile {
public:
  /// Maps the file and checks all of it: checksums of every byte, then every offset, length, index,
  /// count and shape of the header. Input errors that name the file.
  static Expected<PlanFile> open(const std::string &path);

  /// Inputs and outputs, the same for all targets.
  const std::vector<NamedType> &inputs() const { return header.programs.front().plan.inputs; }
  const std::vector<NamedType> &outputs() const { return header.programs.front().plan.outputs; }
  size_t numTargets() const { return header.programs.size(); }
  const PlanTarget &target(size_t i) const { return header.programs[i].target; }

  /// The target to run on a processor: of those that it can execute the one with the widest
  /// vectors, then with the most instruction sets, then the first. With a `name` only that one.
  /// Usage if the file has no target of the name; Device, with what each lacks, if none runs.
  Expected<size_t> choose(const CpuFeatures &machine, std::string_view name = {}) const;

  /// Maps the code of a target executable. Device errors if the system refuses that, or if the code
  /// calls a function that this runtime has not.
  Expected<LoadedPlan> load(size_t target) const;

private:
  Status checkSegments() const;

  std::string path;
  MappedBytes bytes;
  PlanHeader header;
};

} // namespace zyxc::rt
