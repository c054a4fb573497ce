// Contractions without a matrix unit, on any GPU target and for any type: a thread computes a block
// of results from tiles of the factors in workgroup memory. Factors and epilogues are any values.
#pragma once
#include "dialects/zyxk/target/Target.h"
#include "passes/lower/emit/ContractAxes.h"

namespace zyxc {

/// Replaces the kernel, whose roles were found (axes.op is set), by its gpu.module.
void lowerFmaContract(const AccessTable &table, const ContractAxes &axes, const Target &target);

} // namespace zyxc
