// Values of an image between its elements, by interpolation at computed positions.
#pragma once
#include "compiler/import/node/OnnxNode.h"

namespace zyxc::importer {

struct SampleSettings {
  enum class Mode : uint8_t { Nearest, Linear, Cubic } mode = Mode::Linear;
  /// What lies outside of the image: 0, its nearest element, or its reflection.
  enum class Padding : uint8_t { Zeros, Border, Reflection } padding = Padding::Zeros;
  bool alignCorners = false; ///< reflection is about the outer elements, not about their edges
};

/// The settings of these names; bilinear and bicubic mean linear and cubic.
Expected<SampleSettings> sampleSettings(const OnnxNode &n, const std::string &mode,
                                        const std::string &padding);

/// x [N,C,D1..Dr] at positions [N,P..], one for each spatial axis: [N,C,P..].
GraphValue sampleImage(GraphWriter &g, GraphValue x, std::span<const GraphValue> positions,
                       const SampleSettings &settings);

/// x [N,C,H,W] at positions [N,P..] as RoiAlign reads it: linear, the nearest element up to one
/// beyond the border, then 0. `largest`: the largest of the weighted elements instead of their sum.
GraphValue sampleRegion(GraphWriter &g, GraphValue x, std::span<const GraphValue> positions,
                        bool largest);

} // namespace zyxc::importer
