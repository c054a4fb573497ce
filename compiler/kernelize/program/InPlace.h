// Kernels that write over what they read: `x = x + y` needs no memory of its own.
#pragma once
#include "compiler/kernelize/program/Program.h"
#include <optional>

namespace zyxc::kernelize {

/// The program with its input port `in` and its output port `out` as one port, in the place of
/// `out` (later ports have numbers one smaller). `out` begins at element `shift` of `in`. Nothing
/// if an element might be read after it was written: each load of `in` must be of the element that
/// is stored there, and all stores in the same loops.
std::optional<Program> inPlace(const Program &program, uint32_t in, uint32_t out, int64_t shift);

} // namespace zyxc::kernelize
