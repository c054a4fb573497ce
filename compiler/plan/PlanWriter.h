// Saved plans: the bytes of a file from plans and their machine code. runtime/plan reads them.
#pragma once
#include "runtime/plan/PlanHeader.h"
#include <string>
#include <vector>

namespace zyxc::plan {

/// A compiled plan for one target, as it goes into a file.
struct SavedProgram {
  rt::PlanTarget target;
  const rt::Plan *plan = nullptr; ///< its entries are not used; must outlive the writing
  rt::PlanCode layout;            ///< of `code` for the host, one entry a kernel of rt::wholePlan
  std::vector<std::vector<rt::StoredGpuCode>> gpu; ///< of `code` for a GPU, one list a kernel
  std::string code;
};

/// Puts the images of kernels for a GPU one after the other: `code` and `gpu` of a program, whose
/// plan is set.
void addGpuCode(const rt::GpuCodes &codes, SavedProgram &program);

/// Writes a file with the plans of one model for some targets; the first one's inputs and outputs
/// are those of all. Constants with the same bytes are stored once, of bodies too. The same
/// programs give the same bytes. `path` is replaced when the file is complete, else left as it is.
/// Input errors name the file; Unsupported if the header would exceed what a reader takes.
Status writePlanFile(const std::string &path, std::string_view compiler,
                     std::span<const SavedProgram> programs);

} // namespace zyxc::plan
