// Contractions without a matrix unit, on any GPU target and for any type: a thread computes a block
// of results from tiles of the factors in workgroup memory. Factors and epilogues are any values.
#pragma once
#include "dialects/zyxk/target/Target.h"
#include "passes/lower/emit/ContractAxes.h"
#include <array>

namespace zyxc {

/// Replaces the kernel, whose roles were found (axes.op is set), by its gpu.module. `tile`: rows
/// and columns of a workgroup (16, 32 or 64), or 0 for the lowering's choice.
void lowerFmaContract(const AccessTable &table, const ContractAxes &axes, const Target &target,
                      std::array<int64_t, 2> tile = {});

} // namespace zyxc
