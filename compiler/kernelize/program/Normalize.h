// Normal form of programs, so that equal kernels are one and row kernels read their rows once.
#pragma once
#include "compiler/kernelize/program/Program.h"

namespace zyxc::kernelize {

/// While a program is being built, dim symbolBase + k of a load's coordinates is its operand k.
inline constexpr int64_t symbolBase = 64;

/// Drops axes of extent 1 (not those that may have it at run time) and values and ports that are
/// not used; gives a reduction the axis of an equal row that is read elsewhere (the maximum, the
/// sum and the result of a softmax run over one axis); splits axes that symbolic sizes divide;
/// numbers ports by first use; picks the family and sets `dims`. `portOrder` receives the old
/// numbers of the input ports in their new order. False if no family can run the program, or if a
/// reduction would be repeated over axes that its value does not depend on, unless `mayRepeat` (an
/// op that has no other kernel).
bool normalize(Program &program, std::vector<uint32_t> &portOrder, bool mayRepeat);

} // namespace zyxc::kernelize
