// A look at MLIR text before it is parsed: MLIR's parser, verifier and printer recur once per level
// of nesting, so text that nests without end would overflow the stack.
#pragma once
#include "runtime/support/Status.h"
#include <string_view>

namespace zyxc {

/// Levels of brackets, of signs in a row, and of aliases that name aliases, that text may have.
inline constexpr unsigned mostTextNesting = 256;
/// Signs of arithmetic between two commas of a bracket, each of which is a level for the parser.
inline constexpr unsigned mostTextSigns = 4000;

/// An Input error "NAME:LINE:COLUMN: .." at the first place that nests deeper. Strings and comments
/// are skipped; text that is no MLIR is no error here.
Status checkTextNesting(std::string_view text, std::string_view name);

} // namespace zyxc
