// The frame of a program: standard streams, errors as one line and an exit code.
#pragma once
#include "runtime/support/Status.h"
#include <functional>

namespace zyxc::tool {

/// Runs `body`, prints its error as "NAME: error: ..", one line, and returns the exit code
/// (docs/cli.md). `memoryHint` ends the message where the system refuses memory. A failed write to
/// standard output is an Input error.
int runProgram(std::string_view name, std::string_view memoryHint,
               const std::function<Status()> &body);

} // namespace zyxc::tool
