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
  /// The plan of a target without constants and code.
  const Plan &plan(size_t target) const { return header.programs[target].plan; }

  /// True if the file has a target of this kind.
  bool has(PlanKind kind) const;

  /// The target to run on a processor: of those that it can execute the one with the widest
  /// vectors, then with the most instruction sets, then the first. With a `name` only that one.
  /// Usage if the file has no target of the name; Device, with what each lacks, if none runs.
  Expected<size_t> choose(const CpuFeatures &machine, std::string_view name = {}) const;

  /// The first target that a GPU runs, of those with this name or of this kind ("vulkan",
  /// "vulkan:1.2"). Errors as above.
  Expected<size_t> choose(const GpuDeviceInfo &device, std::string_view name) const;

  /// Maps the code of a target of the host executable. Device errors if the system refuses that, or
  /// if the code calls a function that this runtime has not.
  Expected<LoadedPlan> load(size_t target) const;

  /// The plan of a GPU's target with what of its code this device runs. Its constants are pages of
  /// the file. Device, naming the kernel, where a device runs no code of it.
  Expected<GpuPlan> loadGpu(size_t target, const GpuDeviceInfo &device) const;

  /// The names of all targets, for messages.
  std::string names() const;

private:
  /// The plan of a target with its constants, which are mapped.
  Plan planOf(const PlanProgram &program) const;
  Status checkSegments() const;

  std::string path;
  MappedBytes bytes;
  PlanHeader header;
};

} // namespace zyxc::rt
