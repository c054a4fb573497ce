#include "compiler/import/ops/image/Positions.h"
#include <algorithm>

namespace zyxc::importer {

using Mode = SampleSettings::Mode;
using Padding = SampleSettings::Padding;

Expected<SampleSettings> sampleSettings(const OnnxNode &n, const std::string &mode,
                                        const std::string &padding) {
  SampleSettings s;
  if (mode == "nearest") {
    s.mode = Mode::Nearest;
  } else if (mode == "cubic" || mode == "bicubic") {
    s.mode = Mode::Cubic;
  } else if (mode != "linear" && mode != "bilinear") {
    return n.malformed("mode '{}' is unknown", mode);
  }
  if (padding == "border") {
    s.padding = Padding::Border;
  } else if (padding == "reflection") {
    s.padding = Padding::Reflection;
  } else if (padding != "zeros") {
    return n.malformed("padding_mode '{}' is unknown", padding);
  }
  return s;
}

namespace {

/// One element that a sample reads along one axis: which, its weight, and whether it exists.
struct AxisTap {
  GraphValue index;                 ///< in range
  std::optional<GraphValue> weight; ///< none: 1
  std::optional<GraphValue> inside; ///< none: always
};

} // namespace

static GraphValue clamped(GraphWriter &g, GraphValue x, int64_t size) {
  return g.binary(OpKind::Min, g.binary(OpKind::Max, x, 0.0), static_cast<double>(size - 1));
}

/// Whole positions (floats) brought into an axis of `size` elements.
static AxisTap placed(GraphWriter &g, GraphValue at, int64_t size, const SampleSettings &s) {
  AxisTap tap;
  auto last = static_cast<double>(size - 1);
  if (s.padding == Padding::Zeros) {
    tap.inside = g.op(OpKind::And, {g.binary(OpKind::Ge, at, 0.0), g.binary(OpKind::Le, at, last)});
  } else if (s.padding == Padding::Reflection) {
    // About the outer elements with period 2 (size - 1), or about their edges with 2 size.
    double length = s.alignCorners ? std::max(last, 0.5) : last + 1;
    GraphValue phase = g.binary(OpKind::Mod, at, 2 * length);
    double mirrored = s.alignCorners ? 2 * length : 2 * length - 1;
    at = g.binary(OpKind::Min, phase, g.sub(g.like(phase, mirrored), phase));
    if (!s.alignCorners) { // the element before the edge repeats
      at = g.binary(OpKind::Max, at, 0.0);
    }
  }
  // NaN becomes 0, which the clamp keeps in range.
  tap.index = g.cast(clamped(g, at, size), DType::I64);
  return tap;
}

/// Weight of the element at `distance` by cubic interpolation with a = -0.75.
static GraphValue cubicWeight(GraphWriter &g, GraphValue distance) {
  constexpr double a = -0.75;
  GraphValue d = g.op(OpKind::Abs, {distance});
  GraphValue square = g.mul(d, d);
  GraphValue near = g.add(g.mul(g.add(g.mul(d, a + 2), -(a + 3)), square), 1.0);
  GraphValue far = g.add(g.mul(g.add(g.mul(g.add(d, -5.0), d), 8.0), g.mul(d, a)), -4 * a);
  return g.select(g.binary(OpKind::Le, d, 1.0), near, far);
}

static std::vector<AxisTap> axisTaps(GraphWriter &g, GraphValue position, int64_t size,
                                     const SampleSettings &s) {
  std::vector<AxisTap> taps;
  if (s.mode == Mode::Nearest) {
    taps.push_back(placed(g, g.op(OpKind::Round, {position}), size, s));
    return taps;
  }
  GraphValue base = g.op(OpKind::Floor, {position});
  GraphValue fraction = g.sub(position, base);
  bool cubic = s.mode == Mode::Cubic;
  for (int64_t k = cubic ? -1 : 0; k <= (cubic ? 2 : 1); ++k) {
    AxisTap tap = placed(g, g.add(base, static_cast<double>(k)), size, s);
    GraphValue rest = g.sub(g.like(fraction, static_cast<double>(k)), fraction);
    tap.weight = cubic    ? cubicWeight(g, rest)
                 : k == 0 ? g.sub(g.like(fraction, 1), fraction)
                          : fraction;
    taps.push_back(tap);
  }
  return taps;
}

namespace {

/// Reads an image by rows of channels: [N * D1 * .. * Dr, C].
class RowReader {
public:
  RowReader(GraphWriter &g, GraphValue x, const Shape &positions)
      : g(g), shape(g.shapeOf(x)), count(numElements(positions) / std::max<int64_t>(shape[0], 1)) {
    std::vector<int64_t> perm = {0};
    for (size_t i = 2; i < shape.size(); ++i) {
      perm.push_back(static_cast<int64_t>(i));
      pixels *= shape[i];
    }
    perm.push_back(1);
    rows = g.reshape(g.permute(x, perm), {shape[0] * pixels, shape[1]});
  }

  /// The weighted elements at one combination of taps, [N,P,C].
  GraphValue read(std::span<const AxisTap *const> taps) {
    Shape flat = {shape[0], count};
    GraphValue index = g.mul(g.iota(flat, 0), static_cast<double>(pixels));
    std::optional<GraphValue> weight, inside;
    int64_t stride = pixels;
    for (size_t i = 0; i < taps.size(); ++i) {
      stride /= shape[i + 2];
      index = g.add(index, g.mul(g.reshape(taps[i]->index, flat), static_cast<double>(stride)));
      if (taps[i]->weight) {
        weight = weight ? g.mul(*weight, *taps[i]->weight) : *taps[i]->weight;
      }
      if (taps[i]->inside) {
        inside = inside ? g.op(OpKind::And, {*inside, *taps[i]->inside}) : *taps[i]->inside;
      }
    }
    GraphValue y = g.gather(rows, index, 0);
    Shape column = {shape[0], count, 1};
    if (weight) {
      y = g.mul(y, g.cast(g.reshape(*weight, column), g.dtypeOf(y)));
    }
    if (inside) {
      y = g.select(g.broadcast(g.reshape(*inside, column), g.shapeOf(y)), y, g.like(y, 0));
    }
    return y;
  }

  /// [N,P,C] as [N,C,P..].
  GraphValue finish(GraphValue y, const Shape &positions) {
    Shape result = {shape[0], shape[1]};
    result.insert(result.end(), positions.begin() + 1, positions.end());
    return g.reshape(g.permute(y, {0, 2, 1}), result);
  }

private:
  GraphWriter &g;
  const Shape shape;
  const int64_t count; ///< positions of one image
  int64_t pixels = 1;
  GraphValue rows;
};

} // namespace

/// All combinations of one tap of each axis, joined by an op.
static GraphValue combined(GraphWriter &g, RowReader &reader,
                           const std::vector<std::vector<AxisTap>> &axes, OpKind join) {
  std::optional<GraphValue> result;
  std::vector<size_t> choice(axes.size(), 0);
  for (bool more = true; more;) {
    std::vector<const AxisTap *> taps;
    taps.reserve(axes.size());
    for (size_t i = 0; i < axes.size(); ++i) {
      taps.push_back(&axes[i][choice[i]]);
    }
    GraphValue part = reader.read(taps);
    result = result ? g.binary(join, *result, part) : part;
    more = false;
    for (size_t i = axes.size(); i-- > 0 && !more;) {
      more = ++choice[i] < axes[i].size();
      choice[i] = more ? choice[i] : 0;
    }
  }
  return *result;
}

GraphValue sampleImage(GraphWriter &g, GraphValue x, std::span<const GraphValue> positions,
                       const SampleSettings &settings) {
  const Shape grid = g.shapeOf(positions[0]);
  std::vector<std::vector<AxisTap>> axes;
  axes.reserve(positions.size());
  for (size_t i = 0; i < positions.size(); ++i) {
    axes.push_back(axisTaps(g, positions[i], g.shapeOf(x)[i + 2], settings));
  }
  RowReader reader(g, x, grid);
  return reader.finish(combined(g, reader, axes, OpKind::Add), grid);
}

GraphValue sampleRegion(GraphWriter &g, GraphValue x, std::span<const GraphValue> positions,
                        bool largest) {
  const Shape grid = g.shapeOf(positions[0]);
  SampleSettings border;
  border.padding = Padding::Border;
  std::vector<std::vector<AxisTap>> axes;
  std::optional<GraphValue> inside;
  for (size_t i = 0; i < positions.size(); ++i) {
    int64_t size = g.shapeOf(x)[i + 2];
    GraphValue within =
        g.op(OpKind::And, {g.binary(OpKind::Ge, positions[i], -1.0),
                           g.binary(OpKind::Le, positions[i], static_cast<double>(size))});
    inside = inside ? g.op(OpKind::And, {*inside, within}) : within;
    axes.push_back(axisTaps(g, clamped(g, positions[i], size), size, border));
  }
  RowReader reader(g, x, grid);
  GraphValue y = combined(g, reader, axes, largest ? OpKind::Max : OpKind::Add);
  y = reader.finish(y, grid);
  Shape mask = grid;
  mask.insert(mask.begin() + 1, 1);
  return g.select(g.broadcast(g.reshape(*inside, mask), g.shapeOf(y)), y, g.like(y, 0));
}

} // namespace zyxc::importer
