#include "compiler/interp/Strided.h"
#include <algorithm>
#include <cstring>

namespace zyxc::interp {

namespace {
struct Axis {
  int64_t extent;
  int64_t from;
  int64_t to;
};
} // namespace

/// Axes without those of extent 1, neighbours merged where both sides step alike.
static std::vector<Axis> normalize(std::span<const int64_t> shape, const ConstBox &from,
                                   const Box &to) {
  std::vector<Axis> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    Axis axis{shape[i], from.strides[i], to.strides[i]};
    if (axis.extent == 1) {
      continue;
    }
    if (!axes.empty() && axes.back().from == axis.from * axis.extent &&
        axes.back().to == axis.to * axis.extent) {
      axes.back() = {axes.back().extent * axis.extent, axis.from, axis.to};
    } else {
      axes.push_back(axis);
    }
  }
  return axes;
}

template <class T> static void copyRow(const Axis &row, const T *from, T *to) {
  if (row.from == 1 && row.to == 1) {
    std::memcpy(to, from, row.extent * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < row.extent; ++i) {
    to[i * row.to] = from[i * row.from];
  }
}

/// Two axes in tiles, so that a transpose uses whole cache lines of both sides.
template <class T>
static void copyTiled(const Axis &outer, const Axis &inner, const T *from, T *to) {
  constexpr int64_t tile = 32;
  for (int64_t i = 0; i < outer.extent; i += tile) {
    int64_t rows = std::min(tile, outer.extent - i);
    for (int64_t j = 0; j < inner.extent; j += tile) {
      Axis part{std::min(tile, inner.extent - j), inner.from, inner.to};
      for (int64_t r = i; r < i + rows; ++r) {
        copyRow(part, from + r * outer.from + j * inner.from, to + r * outer.to + j * inner.to);
      }
    }
  }
}

template <class T> static void copyAxes(std::span<const Axis> axes, const T *from, T *to) {
  if (axes.empty()) {
    *to = *from;
  } else if (axes.size() == 1) {
    copyRow(axes[0], from, to);
  } else if (axes.size() == 2) {
    copyTiled(axes[0], axes[1], from, to);
  } else {
    for (int64_t i = 0; i < axes[0].extent; ++i) {
      copyAxes(axes.subspan(1), from + i * axes[0].from, to + i * axes[0].to);
    }
  }
}

template <class T>
static void copyTyped(std::vector<Axis> axes, const ConstBox &from, const Box &to) {
  // The axis along which the source is contiguous goes next to the innermost one.
  for (size_t i = 0; i + 2 < axes.size() && axes.back().from != 1; ++i) {
    if (axes[i].from == 1) {
      std::swap(axes[i], axes[axes.size() - 2]);
      break;
    }
  }
  copyAxes(std::span<const Axis>(axes), reinterpret_cast<const T *>(from.data),
           reinterpret_cast<T *>(to.data));
}

void copyStrided(size_t elementSize, std::span<const int64_t> shape, const ConstBox &from,
                 const Box &to) {
  if (numElements(shape) == 0) {
    return;
  }
  std::vector<Axis> axes = normalize(shape, from, to);
  switch (elementSize) {
  case 1: return copyTyped<uint8_t>(std::move(axes), from, to);
  case 2: return copyTyped<uint16_t>(std::move(axes), from, to);
  case 4: return copyTyped<uint32_t>(std::move(axes), from, to);
  default: return copyTyped<uint64_t>(std::move(axes), from, to);
  }
}

} // namespace zyxc::interp
