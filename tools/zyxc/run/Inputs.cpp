#include "tools/zyxc/run/Inputs.h"
#include "runtime/support/Hash.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace zyxc::tool {

/// The splitmix64 generator: small, seeded, the same everywhere.
static uint64_t nextRandom(uint64_t &state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/// A normal number by the Box-Muller transform.
static double nextNormal(uint64_t &state) {
  double u = (static_cast<double>(nextRandom(state) >> 11) + 1) * 0x1p-53;
  double v = static_cast<double>(nextRandom(state) >> 11) * 0x1p-53;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

static Tensor generate(const TensorType &type, const std::string &spec, uint64_t state) {
  Tensor tensor = Tensor::zeros(type);
  int64_t count = tensor.numElements();
  for (int64_t i = 0; i < count && spec != "zeros"; ++i) {
    if (spec == "ones") {
      tensor.setInt(i, 1);
    } else if (spec == "arange" && isFloat(type.dtype)) {
      tensor.setDouble(i, static_cast<double>(i) / static_cast<double>(count));
    } else if (spec == "arange") {
      tensor.setInt(i, i);
    } else if (isFloat(type.dtype)) {
      tensor.setDouble(i, nextNormal(state));
    } else {
      tensor.setInt(i,
                    static_cast<int64_t>(nextRandom(state) % (type.dtype == DType::Bool ? 2 : 10)));
    }
  }
  return tensor;
}

static Expected<Tensor> readInput(const rt::NamedType &input, const std::string &spec,
                                  const TensorFiles &files) {
  ZYXC_ASSIGN(Tensor tensor, files.read(spec, input.type.dtype));
  bool isOpen = dim::anySymbolic(input.type.shape); // its sizes are compared with others
  if (isOpen ? tensor.dtype() != input.type.dtype : tensor.type() != input.type) {
    return makeError(ErrorCode::Usage, "{}: holds {}, input {} needs {}", spec.substr(1),
                     toString(tensor.type()), input.name, toString(input.type));
  }
  return tensor;
}

Expected<std::vector<std::optional<Tensor>>>
readInputs(std::span<const rt::NamedType> inputs, const std::map<std::string, std::string> &specs,
           const TensorFiles &files) {
  std::vector<std::optional<Tensor>> given(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto spec = specs.find(inputs[i].name);
    if (spec != specs.end() && spec->second.starts_with("@")) {
      ZYXC_ASSIGN(given[i], readInput(inputs[i], spec->second, files));
    }
  }
  return given;
}

Expected<std::vector<Tensor>> makeInputs(std::span<const rt::NamedType> inputs,
                                         const std::vector<std::optional<Tensor>> &given,
                                         const std::map<std::string, std::string> &specs,
                                         uint64_t seed) {
  std::vector<Tensor> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const rt::NamedType &input = inputs[i];
    if (given[i]) {
      values.push_back(*given[i]);
      if (input.written && !given[i]->isWritable()) {
        values.back() = Tensor::allocate(given[i]->type());
        std::memcpy(values.back().mutableData(), given[i]->data(), given[i]->byteSize());
      }
      continue;
    }
    auto found = specs.find(input.name);
    std::string spec = found == specs.end() ? "random" : found->second;
    if (spec != "random" && spec != "zeros" && spec != "ones" && spec != "arange") {
      return makeError(ErrorCode::Usage,
                       "--input {}={}: use @file.npy, @file.pb, random, zeros, ones or arange",
                       input.name, spec);
    }
    values.push_back(generate(input.type, spec, hashMix(seed, hashString(input.name))));
  }
  return values;
}

uint64_t bytesOf(std::span<const rt::NamedType> types) {
  uint64_t bytes = 0;
  for (const rt::NamedType &item : types) {
    bytes += std::min<uint64_t>(item.type.byteSize(), UINT64_MAX - bytes);
  }
  return bytes;
}

std::vector<std::string> namesOf(std::span<const rt::NamedType> types) {
  std::vector<std::string> names;
  for (const rt::NamedType &item : types) {
    names.push_back(item.name);
  }
  return names;
}

/// Where the name in "name=value" ends; npos for a value alone. The longest name that exists is
/// meant; for the message where none is, the text before "=@" or the last '='.
static size_t endOfName(std::string_view text, const std::vector<std::string> &names) {
  size_t end = std::string_view::npos;
  for (const std::string &name : names) {
    bool starts = text.size() > name.size() && text[name.size()] == '=' && text.starts_with(name);
    if (starts && (end == text.npos || name.size() > end)) {
      end = name.size();
    }
  }
  if (end != text.npos || text.starts_with("@")) {
    return end;
  }
  end = text.find("=@");
  return end == text.npos ? text.rfind('=') : end;
}

Expected<std::map<std::string, std::string>> resolveNames(const std::vector<std::string> &values,
                                                          const std::vector<std::string> &names,
                                                          std::string_view what) {
  std::map<std::string, std::string> resolved;
  std::string all;
  for (const std::string &name : names) {
    all += (all.empty() ? "" : ", ") + name;
  }
  for (const std::string &text : values) {
    size_t end = endOfName(text, names);
    std::string name = end == text.npos ? "" : text.substr(0, end);
    std::string value = end == text.npos ? text : text.substr(end + 1);
    if (name.empty() && names.size() != 1) {
      return makeError(ErrorCode::Usage, "'{}': the model has {} {}s ({}): give NAME={}", value,
                       names.size(), what, all.empty() ? "none" : all, value);
    }
    name = name.empty() ? names.front() : name;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return makeError(ErrorCode::Usage, "the model has no {} '{}': it has {}", what, name,
                       all.empty() ? "none" : all);
    }
    if (!resolved.emplace(name, value).second) {
      return makeError(ErrorCode::Usage, "{} '{}' is given twice", what, name);
    }
  }
  return resolved;
}

} // namespace zyxc::tool
