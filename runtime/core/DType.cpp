#include "runtime/core/DType.h"

namespace zyxc {

std::optional<DType> parseDType(std::string_view name) {
  for (const DTypeInfo &row : dtypeTable) {
    if (row.name == name) {
      return row.dtype;
    }
  }
  return std::nullopt;
}

} // namespace zyxc
