// Values that are computed at import: shapes, axes, pads. Where dims are open, integers among them
// are sizes over variables, and arithmetic on them is done on those.
#pragma once
#include "dialects/zyx/semantics/Attrs.h"
#include "runtime/core/Dim.h"

namespace zyxc::importer {

/// A value of an op. `open`: it has symbolic sizes for elements; it is i64 then, whatever the dtype
/// of the op's result.
struct SizeValue {
  Tensor tensor;
  bool open = false;
};

/// "--dim N=SIZE", with the variables of the sizes: what a caller does about open dims.
std::string dimRemedy(std::span<const int64_t> sizes);
inline std::string dimRemedy(int64_t size) {
  return dimRemedy(std::span(&size, 1));
}

/// "[2,N,N + 1]", for messages.
std::string sizesText(std::span<const int64_t> sizes);

/// Value of one op. Unsupported where it is not known for all values of the variables.
Expected<SizeValue> evaluateSizes(OpKind kind, const Attrs &attrs,
                                  std::span<const SizeValue> operands);

} // namespace zyxc::importer
