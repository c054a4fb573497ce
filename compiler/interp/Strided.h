// Copies between strided boxes of elements: what every movement op comes down to.
#pragma once
#include "runtime/core/Shape.h"
#include <cstddef>

namespace zyxc::interp {

/// A box of elements in memory: the address of its first element and a stride per axis, in
/// elements. Strides may be 0 or negative on the source's side.
struct ConstBox {
  const std::byte *data;
  Shape strides;
};
struct Box {
  std::byte *data;
  Shape strides;
};

/// Copies a box of `shape` with elements of `elementSize` (1, 2, 4 or 8) bytes.
void copyStrided(size_t elementSize, std::span<const int64_t> shape, const ConstBox &from,
                 const Box &to);

} // namespace zyxc::interp
