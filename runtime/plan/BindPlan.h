// Plans with symbolic sizes: the values of their variables from the inputs of a run, and the static
// plan for these values. Nothing is compiled again.
#pragma once
#include "runtime/plan/Plan.h"
#include <optional>
#include <set>
#include <span>

namespace zyxc::rt {

/// Variables of all sizes of a plan and its bodies.
std::set<std::string> sizeVariables(const Plan &plan);

/// Usage error that names variables which nothing gives a value; ok if there are none.
Status missingSizes(const std::set<std::string> &names);

/// The values of the variables: `given` ones, and those that an axis of an input determines, as an
/// input whose type is f32[2 * N] does. `shapes` has one shape an input of the plan, none for
/// inputs that are not there. Every axis is then compared with what the values make it. Usage
/// errors: an axis has another size, with both sizes and where the other one comes from; a given
/// name is no variable of the plan; an input's variable is not determined.
Expected<dim::Bindings> solveSizes(const Plan &plan, std::span<const std::optional<Shape>> shapes,
                                   const dim::Bindings &given = {});

/// Types with their sizes as numbers. Usage errors name the value: a negative size, too many bytes.
Expected<std::vector<NamedType>> bindTypes(std::span<const NamedType> types,
                                           const dim::Bindings &sizes);

/// The static plan for values of the variables: guards are checked, sizes evaluated, the arena is
/// packed, and every buffer lies within what it is a part of; so with all bodies, and kernels with
/// control fit them (CheckControl.h). Usage errors: a guard does not hold, which names its origin
/// and the values; a variable has no value. OutOfMemory: more bytes than any machine has. Input:
/// the plan itself is wrong.
Expected<Plan> bind(const Plan &plan, const dim::Bindings &sizes);

} // namespace zyxc::rt
