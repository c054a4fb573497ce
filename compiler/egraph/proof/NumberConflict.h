// Two different numbers in one class: what rules that are wrong, or too strong, end in.
#pragma once
#include "compiler/egraph/pattern/Program.h"
#include "compiler/egraph/pattern/Saturate.h"

namespace zyxc::egraph {

/// An Input error that names them if two different numbers are in one class of a clean graph. If
/// the graph keeps matches, it has the rules of the proof that they are equal, in order; if it
/// keeps the log alone, those that had a part in it.
Status checkNumbers(const EGraph &graph, const Program &program);

/// The same as SaturateOptions::check: a run stops at the end of the iteration in which numbers
/// met. The program must outlive the run.
std::function<Status(const EGraph &)> numberCheck(const Program &program);

} // namespace zyxc::egraph
