#include "compiler/import/OpenDims.h"
#include <fmt/ranges.h>

namespace zyxc::importer {

/// Characters that no variable may have become '_'.
static std::string sanitized(std::string_view text) {
  std::string name;
  for (char c : text) {
    name += dim::isVariableName(std::string("a") + c) ? c : '_';
  }
  return dim::isVariableName(name) ? name : "_" + name;
}

/// The name, with a number where it is taken.
static std::string unused(const std::string &name, std::set<std::string> &taken) {
  std::string result = name;
  for (int i = 2; !taken.insert(result).second; ++i) {
    result = fmt::format("{}_{}", name, i);
  }
  return result;
}

/// "2*N + 1" as an expression over the dims it names; nothing if it is no expression, or one that
/// no size has but 0, as "-N": that is a name then.
static std::optional<int64_t> expression(const std::string &symbol) {
  Expected<int64_t> size = dim::parse(symbol);
  if (!size || !dim::isValid(*size)) {
    return std::nullopt;
  }
  std::optional<int64_t> most = dim::upperBound(*size);
  bool isName = most && (dim::isSymbolic(*size) ? *most <= 0 : *most < 0);
  return isName ? std::nullopt : std::optional(*size);
}

OpenDims::OpenDims(const std::vector<OnnxValue> &inputs, const dim::Bindings &given,
                   const dim::Bindings &equalities)
    : known(equalities) {
  auto forEachOpen = [&](auto f) {
    for (const OnnxValue &input : inputs) {
      for (size_t axis = 0; axis < input.dims.size(); ++axis) {
        if (!input.dims[axis].size) {
          f(input, axis);
        }
      }
    }
  };
  // Names that need no change come first: they keep theirs.
  forEachOpen([&](const OnnxValue &input, size_t axis) {
    const OnnxDim &declared = input.dims[axis];
    if (declared.symbol.empty()) {
      return;
    }
    if (std::optional<int64_t> size = expression(declared.symbol)) {
      bySymbol.emplace(declared.symbol, *size);
      variables.merge(dim::variables(*size));
    }
  });
  forEachOpen([&](const OnnxValue &input, size_t axis) {
    const OnnxDim &declared = input.dims[axis];
    if (declared.symbol.empty()) {
      std::string name = fmt::format("{}.{}", sanitized(input.name), axis);
      nameless.emplace(std::pair(input.name, axis), dim::variable(unused(name, variables)));
    } else if (!bySymbol.contains(declared.symbol)) {
      bySymbol.emplace(declared.symbol,
                       dim::variable(unused(sanitized(declared.symbol), variables)));
    }
  });
  known.insert(given.begin(), given.end());
}

Status OpenDims::checkNames(const dim::Bindings &given) const {
  for (const auto &[name, size] : given) {
    if (!variables.contains(name)) {
      return variables.empty()
                 ? makeError(ErrorCode::Usage, "the model has no dim '{}': all have sizes", name)
                 : makeError(ErrorCode::Usage, "the model has no dim '{}', but {}", name,
                             fmt::join(variables, ", "));
    }
    if (size < 0 || size > dim::limit) {
      return makeError(ErrorCode::Usage, "the dim '{}' cannot have the size {}", name, size);
    }
  }
  return Status::ok();
}

int64_t OpenDims::bind(const OnnxValue &input, size_t axis, int64_t size) {
  int64_t expected = this->size(input, axis);
  if (!dim::isSymbolic(expected)) {
    return expected;
  }
  const OnnxDim &declared = input.dims[axis];
  if (!declared.symbol.empty()) {
    bound.emplace(declared.symbol, size);
  }
  if (std::string text = dim::toString(expected); dim::isVariableName(text)) {
    known.insert_or_assign(std::move(text), size);
  }
  return size;
}

int64_t OpenDims::size(const OnnxValue &input, size_t axis) const {
  const OnnxDim &declared = input.dims[axis];
  if (declared.size) {
    return *declared.size;
  }
  if (declared.symbol.empty()) {
    return dim::substitute(nameless.at({input.name, axis}), known);
  }
  if (auto found = bound.find(declared.symbol); found != bound.end()) {
    return found->second;
  }
  return dim::substitute(bySymbol.at(declared.symbol), known);
}

} // namespace zyxc::importer
