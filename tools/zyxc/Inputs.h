// Tensors from the command line: files, and generated values.
#pragma once
#include "runtime/plan/Plan.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace zyxc::tool {

/// Reads a tensor from "@file.npy" or "@file.pb". `wanted` tells how to read bits that .npy has no
/// type for (bf16, f8).
Expected<Tensor> readTensorFile(const std::string &spec, std::optional<DType> wanted = {});

/// Writes a named tensor to a .npy or .pb file, all or nothing.
Status writeTensorFile(const std::string &path, const std::string &name, const Tensor &tensor);

/// A value for an input from "random", "zeros", "ones", "arange" or "@file"; a file must hold the
/// type. random: floats are normal with mean 0 and deviation 1, integers uniform in [0, 10), both
/// from the seed and the input's name; arange: i / count in floats, i in integers.
Expected<Tensor> makeInput(const rt::NamedType &input, const std::string &spec, uint64_t seed);

/// Splits "name=value" and finds for each value the endpoint it means: by name, or the only one.
/// Names may hold any character, '=' and '@' too. Errors name the choices.
Expected<std::map<std::string, std::string>> resolveNames(const std::vector<std::string> &values,
                                                          const std::vector<std::string> &names,
                                                          std::string_view what);

} // namespace zyxc::tool
