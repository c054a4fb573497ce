// The functions that machine code of kernels may call: routines, and functions of the C library for
// which there is no better code. One table, so that a saved plan can name them.
#pragma once
#include <string_view>

namespace zyxc::rt {

/// The address of a function by its symbol, "zyxc_routine_sort" or "expf"; null if code may not
/// call it.
void *findSymbol(std::string_view symbol);

} // namespace zyxc::rt
