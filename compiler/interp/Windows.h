// Sliding windows without materializing them. A padded plane is split into phase images, one per
// residue of the strides that the window meets, so that element r of all windows is one contiguous
// run: window position q (flat) reads image[taps[r] + q]. Positions that fall between rows of the
// image hold values that nobody uses.
#pragma once
#include "dialects/zyx/semantics/Attrs.h"
#include <algorithm>

namespace zyxc::interp {

/// The spatial part of a shape [N,C,D1..Dk].
inline std::span<const int64_t> spatial(const Shape &shape) {
  return std::span(shape).subspan(2);
}

/// The geometry of one window op, computed once and used for every plane.
class Windows {
public:
  /// Windows of `sizes` over planes of `extents` with the strides, dilations and low of a pool or
  /// convolution, and `positions` places along each axis (at least one).
  Windows(const Attrs &attrs, std::span<const int64_t> sizes, std::span<const int64_t> extents,
          std::span<const int64_t> positions);

  /// Elements of one plane's images.
  int64_t imageSize() const { return elements; }
  /// Offset in the images of each element of a window, in row-major order.
  const std::vector<int64_t> &taps() const { return tapOffsets; }
  /// Number of flat positions to compute.
  int64_t flatCount() const { return flatPositions.back() + 1; }
  /// The flat position of each window, in row-major order.
  const std::vector<int64_t> &flat() const { return flatPositions; }

  /// Writes the images of a plane, `outside` standing for the padding.
  template <class T> void makeImages(const T *plane, T outside, T *images) const {
    for (size_t i = 0; i < sources.size(); ++i) {
      images[i] = sources[i] < 0 ? outside : plane[sources[i]];
    }
  }

  /// Copies the values at the windows' flat positions, one after the other.
  template <class T> void pickPositions(const T *values, T *picked) const {
    for (int64_t position : flatPositions) {
      *picked++ = values[position];
    }
  }

private:
  int64_t elements = 0;
  std::vector<int64_t> tapOffsets;
  std::vector<int64_t> flatPositions;
  std::vector<int64_t> sources; ///< element of the plane behind each image element, -1: padding
};

} // namespace zyxc::interp
