// Values of inputs from the command line: files, and generated values.
#pragma once
#include "runtime/plan/Plan.h"
#include "tools/zyxc/run/TensorFiles.h"
#include <map>
#include <string>
#include <vector>

namespace zyxc::tool {

/// A value for an input from "random", "zeros", "ones", "arange" or "@file"; a file must hold the
/// type. random: floats are normal with mean 0 and deviation 1, integers uniform in [0, 10), both
/// from the seed and the input's name; arange: i / count in floats, i in integers.
Expected<Tensor> makeInput(const rt::NamedType &input, const std::string &spec, uint64_t seed,
                           const TensorFiles &files);

/// The values of all inputs, in order: what `specs` (by name) says, else random.
Expected<std::vector<Tensor>> makeInputs(std::span<const rt::NamedType> inputs,
                                         const std::map<std::string, std::string> &specs,
                                         uint64_t seed, const TensorFiles &files);

/// Bytes of tensors; the most there can be where that overflows.
uint64_t bytesOf(std::span<const rt::NamedType> types);
std::vector<std::string> namesOf(std::span<const rt::NamedType> types);

/// Splits "name=value" and finds for each value the endpoint it means: by name, or the only one.
/// Names may hold any character, '=' and '@' too. Errors name the choices.
Expected<std::map<std::string, std::string>> resolveNames(const std::vector<std::string> &values,
                                                          const std::vector<std::string> &names,
                                                          std::string_view what);

} // namespace zyxc::tool
