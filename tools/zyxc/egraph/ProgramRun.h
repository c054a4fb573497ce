// A program of terms and rules in files, read and saturated: what saturate and explain begin with.
#pragma once
#include "compiler/egraph/pattern/Program.h"
#include "compiler/egraph/pattern/Saturate.h"
#include "tools/zyxc/egraph/EGraphCommand.h"

namespace zyxc::tool {

/// The program of the file and of --rules. Input if it has no start term.
Expected<egraph::Program> readProgram(const EGraphLine &line);
/// What the line says of limits and the scheduler.
egraph::SaturateOptions saturateOptions(const EGraphLine &line);

} // namespace zyxc::tool
