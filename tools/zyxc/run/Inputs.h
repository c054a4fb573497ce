// Values of inputs from the command line: files, and generated values.
#pragma once
#include "runtime/plan/Plan.h"
#include "tools/zyxc/run/TensorFiles.h"
#include <map>
#include <string>
#include <vector>

namespace zyxc::tool {

/// The inputs that `specs` (by name) gives as files, in order. Usage errors: a file that holds
/// another element type; with a static type, another type.
Expected<std::vector<std::optional<Tensor>>>
readInputs(std::span<const rt::NamedType> inputs, const std::map<std::string, std::string> &specs,
           const TensorFiles &files);

/// The values of all inputs, in order, of static types: those that are `given`, else what `specs`
/// says: "random" (which is the default), "zeros", "ones", "arange". random: floats are normal with
/// mean 0 and deviation 1, integers uniform in [0, 10), both from the seed and the input's name;
/// arange: i / count in floats, i in integers. The memory of written inputs may be written.
Expected<std::vector<Tensor>> makeInputs(std::span<const rt::NamedType> inputs,
                                         const std::vector<std::optional<Tensor>> &given,
                                         const std::map<std::string, std::string> &specs,
                                         uint64_t seed);

/// Bytes of tensors; the most there can be where that overflows.
uint64_t bytesOf(std::span<const rt::NamedType> types);
std::vector<std::string> namesOf(std::span<const rt::NamedType> types);

/// Splits "name=value" and finds for each value the endpoint it means: by name, or the only one.
/// Names may hold any character, '=' and '@' too. Errors name the choices.
Expected<std::map<std::string, std::string>> resolveNames(const std::vector<std::string> &values,
                                                          const std::vector<std::string> &names,
                                                          std::string_view what);

} // namespace zyxc::tool
