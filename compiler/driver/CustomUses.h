// Custom kernels alone, as small models: what compares each with its decomposition.
#pragma once
#include "compiler/driver/Model.h"
#include "dialects/zyx/semantics/CustomSource.h"

namespace zyxc {

/// A custom kernel at the types of a use of it.
struct CustomUse {
  std::string name; ///< "kernel @scale, ptx entry 'scale'"
  Model model;      ///< one use: its inputs are the operands, its outputs the results
};

/// The custom kernels of a model that have both a source for a kind of target and a decomposition,
/// once for each list of operand types; uses with open sizes are left out. In their models the
/// kernel is not priced, so that it is what runs; the interpreter runs the decomposition.
Expected<std::vector<CustomUse>> customUses(const Model &model, CustomSource::Target target);

} // namespace zyxc
