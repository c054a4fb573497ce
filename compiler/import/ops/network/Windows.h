// What convolutions and pools share: kernel extents, strides, dilations and padding.
#pragma once
#include "compiler/import/node/OnnxNode.h"

namespace zyxc::importer {

/// Sliding windows over the spatial axes of x [N,C,D1..Dk]; one entry an axis.
struct OnnxWindows {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> low;          ///< padding as the model says
  std::vector<int64_t> high;         ///< padding, with what ceil mode adds
  std::vector<int64_t> highDeclared; ///< padding at the end that the model says
};

/// Reads strides, dilations, pads, auto_pad and ceil_mode of a node over windows of `sizes`.
Expected<OnnxWindows> windowsOf(OnnxNode &node, std::vector<int64_t> sizes);

} // namespace zyxc::importer
