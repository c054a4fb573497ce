#include "compiler/import/OutputType.h"
#include <fmt/ranges.h>

namespace zyxc::importer {

/// "f32[2,N,?]"; only the dtype where no shape is declared.
static std::string declaredText(const OnnxValue &value) {
  if (!value.hasShape) {
    return value.typeName;
  }
  std::vector<std::string> dims;
  dims.reserve(value.dims.size());
  for (const OnnxDim &dim : value.dims) {
    dims.push_back(dim.size ? std::to_string(*dim.size) : dim.symbol.empty() ? "?" : dim.symbol);
  }
  return fmt::format("{}[{}]", value.typeName, fmt::join(dims, ","));
}

static bool agrees(const OnnxValue &declared, const TensorType &value, bool comparesSizes) {
  if (declared.dtype && *declared.dtype != value.dtype) {
    return false;
  }
  if (!declared.hasShape) {
    return true;
  }
  bool equal = declared.dims.size() == value.shape.size();
  for (size_t i = 0; equal && comparesSizes && i < value.shape.size(); ++i) {
    const std::optional<int64_t> &size = declared.dims[i].size;
    equal = !size || dim::isSymbolic(value.shape[i]) || *size == value.shape[i];
  }
  return equal;
}

Status checkOutputType(const OnnxValue &declared, const TensorType &value, bool comparesSizes) {
  if (agrees(declared, value, comparesSizes)) {
    return Status::ok();
  }
  return makeError(ErrorCode::Input,
                   "output '{}' is declared {}, but its value is {}: correct the declared type, or "
                   "save the model without its shape",
                   declared.name, declaredText(declared), toString(value));
}

} // namespace zyxc::importer
