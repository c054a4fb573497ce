// A program of terms and rules in files, read and saturated: what saturate and explain begin with.
#pragma once
#include "compiler/egraph/pattern/Program.h"
#include "compiler/egraph/pattern/Saturate.h"
#include "tools/zyxc/egraph/EGraphCommand.h"

namespace zyxc::tool {

/// The program of the file and of --rules. Input if it has no start term.
Expected<egraph::Program> readProgram(const EGraphLine &line);
/// Saturates a graph of the program within the limits and by the scheduler of the line, and looks
/// for numbers that are in one class. An error names the file; a conflict of numbers is in the
/// report.
Expected<egraph::SaturateReport> runProgram(egraph::EGraph &graph, const egraph::Program &program,
                                            const EGraphLine &line);

} // namespace zyxc::tool
