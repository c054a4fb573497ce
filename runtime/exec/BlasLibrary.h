// The BLAS library that a plan's library kernels call: the one that the user names, opened when a
// plan needs it.
#pragma once
#include "runtime/plan/Plan.h"
#include <memory>

namespace zyxc::rt {

/// The name that stands for any BLAS library of the system (blasFiles).
inline constexpr std::string_view anyBlas = "auto";

/// Fills in the functions and entries of library kernels, in bodies too; returns what keeps them
/// alive, null where there are none and nothing was opened. `name` is the path of a library,
/// anyBlas, or empty. The library is set to one thread, for the whole process. Input: the plan is
/// malformed, or the library cannot be opened. Usage, with what to do: none is named, or one that
/// lacks a function.
Expected<std::shared_ptr<void>> resolveBlas(Plan &plan, const std::string &name);

} // namespace zyxc::rt
