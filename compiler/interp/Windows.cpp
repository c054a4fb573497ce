#include "compiler/interp/Windows.h"

namespace zyxc::interp {

namespace {
/// One axis: which residues of the stride occur, and how long the images are.
struct AxisPlan {
  std::vector<int64_t> phases; ///< sorted, distinct
  int64_t extent;              ///< of each phase image
};
} // namespace

static AxisPlan planAxis(int64_t size, int64_t stride, int64_t dilation, int64_t positions) {
  AxisPlan plan;
  for (int64_t r = 0; r < size; ++r) {
    plan.phases.push_back(r * dilation % stride);
  }
  std::sort(plan.phases.begin(), plan.phases.end());
  plan.phases.erase(std::unique(plan.phases.begin(), plan.phases.end()), plan.phases.end());
  plan.extent = positions + (size - 1) * dilation / stride;
  return plan;
}

/// Replaces each entry by one entry per i in [0, count): combine(entry, i).
template <class Combine>
static void extend(std::vector<int64_t> &list, int64_t count, Combine combine) {
  std::vector<int64_t> longer;
  longer.reserve(list.size() * count);
  for (int64_t entry : list) {
    for (int64_t i = 0; i < count; ++i) {
      longer.push_back(combine(entry, i));
    }
  }
  list = std::move(longer);
}

Windows::Windows(const Attrs &attrs, std::span<const int64_t> sizes,
                 std::span<const int64_t> extents, std::span<const int64_t> positions) {
  const std::vector<int64_t> &strides = attrs.getInts("strides");
  const std::vector<int64_t> &dilations = attrs.getInts("dilations");
  const std::vector<int64_t> &low = attrs.getInts("low");
  size_t rank = sizes.size();
  std::vector<AxisPlan> axes;
  Shape imageShape;
  for (size_t i = 0; i < rank; ++i) {
    axes.push_back(planAxis(sizes[i], strides[i], dilations[i], positions[i]));
    imageShape.push_back(axes[i].extent);
  }
  int64_t imageElements = numElements(imageShape);
  Shape imageStrides = rowMajorStrides(imageShape);
  // Taps: the phase numbers in mixed radix, then the place within a phase image.
  std::vector<int64_t> phaseOfTap = {0};
  tapOffsets = {0};
  flatPositions = {0};
  for (size_t i = 0; i < rank; ++i) {
    const std::vector<int64_t> &phases = axes[i].phases;
    extend(phaseOfTap, sizes[i], [&](int64_t entry, int64_t r) {
      auto at = std::lower_bound(phases.begin(), phases.end(), r * dilations[i] % strides[i]);
      return entry * static_cast<int64_t>(phases.size()) + (at - phases.begin());
    });
    extend(tapOffsets, sizes[i], [&](int64_t entry, int64_t r) {
      return entry + r * dilations[i] / strides[i] * imageStrides[i];
    });
    extend(flatPositions, positions[i],
           [&](int64_t entry, int64_t p) { return entry + p * imageStrides[i]; });
  }
  for (size_t tap = 0; tap < tapOffsets.size(); ++tap) {
    tapOffsets[tap] += phaseOfTap[tap] * imageElements;
  }
  // Sources: for each combination of phases, each element of its image.
  std::vector<int64_t> combinations = {0};
  for (const AxisPlan &axis : axes) {
    auto count = static_cast<int64_t>(axis.phases.size());
    extend(combinations, count, [&](int64_t entry, int64_t i) { return entry * count + i; });
  }
  for (int64_t combination : combinations) {
    std::vector<int64_t> phase(rank);
    for (size_t i = rank; i-- > 0;) {
      auto count = static_cast<int64_t>(axes[i].phases.size());
      phase[i] = axes[i].phases[combination % count];
      combination /= count;
    }
    std::vector<int64_t> image = {0};
    for (size_t i = 0; i < rank; ++i) {
      extend(image, axes[i].extent, [&](int64_t entry, int64_t e) {
        int64_t at = e * strides[i] + phase[i] - low[i];
        return entry < 0 || at < 0 || at >= extents[i] ? -1 : entry * extents[i] + at;
      });
    }
    sources.insert(sources.end(), image.begin(), image.end());
  }
  elements = static_cast<int64_t>(sources.size());
}

} // namespace zyxc::interp
