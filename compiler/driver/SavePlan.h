// From compiled plans to a saved plan's file.
#pragma once
#include "compiler/driver/Compile.h"

namespace zyxc {

/// Writes the plans of one model, each for another target, to one file (docs/plans.md), which is
/// replaced when it is complete. Unsupported: a target's code cannot be saved, which the message
/// explains. Input: the file cannot be written.
Status savePlan(const std::string &path, std::span<const Compiled> compiled);

} // namespace zyxc
