// Resize and Upsample: each axis is resampled on its own, by positions and weights that are known
// when the model is compiled. Formulas are those of the ONNX operator specification.
#include "compiler/import/node/OnnxOp.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace zyxc::importer {

namespace {

/// How one axis is resampled.
struct Axis {
  int64_t from = 0; ///< elements
  int64_t to = 0;
  double scale = 1;
  double roiStart = 0, roiEnd = 1;
};

/// The attributes of a node, for all axes.
struct Settings {
  std::string mode;      ///< nearest, linear, cubic
  std::string transform; ///< of coordinates
  std::string rounding;  ///< of nearest
  double cubic = -0.75;
  bool excludeOutside = false, antialias = false;
  double extrapolated = 0;
};

/// Elements and weights that each element of a resampled axis is made of, [to * taps].
struct Taps {
  int64_t count = 1;
  std::vector<int64_t> index;
  std::vector<double> weight;
  std::vector<bool> outside; ///< of the axis, where such elements get a value of their own
};

} // namespace

/// Position in the original axis of element i of the resampled one. In f32, as scales are given in
/// it: 6.5 / 1.3 is a tie there and is rounded as one.
static double originalPosition(const Settings &s, const Axis &a, int64_t i) {
  auto x = static_cast<float>(i);
  auto from = static_cast<float>(a.from), to = static_cast<float>(a.to);
  auto scale = static_cast<float>(a.scale);
  auto start = static_cast<float>(a.roiStart), end = static_cast<float>(a.roiEnd);
  if (s.transform == "asymmetric") {
    return x / scale;
  }
  if (s.transform == "align_corners") {
    float resized = scale * from; // may be a fraction: ONNX's own results divide by that
    return a.to == 1 ? 0 : x * (from - 1) / (resized - 1);
  }
  if (s.transform == "tf_crop_and_resize") {
    return a.to > 1 ? start * (from - 1) + x * (end - start) * (from - 1) / (to - 1)
                    : 0.5f * (start + end) * (from - 1);
  }
  if (s.transform == "tf_half_pixel_for_nn") {
    return (x + 0.5f) / scale;
  }
  if (s.transform == "pytorch_half_pixel" && a.to == 1) {
    return 0;
  }
  float position = (x + 0.5f) / scale - 0.5f;
  if (s.transform == "half_pixel_symmetric") {
    float adjustment = to / (scale * from);
    position += from / 2 * (1 - adjustment);
  }
  return position;
}

static int64_t nearest(const std::string &rounding, double x) {
  double result = rounding == "floor"               ? std::floor(x)
                  : rounding == "ceil"              ? std::ceil(x)
                  : rounding == "round_prefer_ceil" ? std::floor(x + 0.5)
                                                    : std::ceil(x - 0.5);
  return static_cast<int64_t>(result);
}

/// The filter of linear or cubic interpolation at a distance.
static double filterAt(const Settings &s, double distance) {
  double d = std::abs(distance);
  if (s.mode == "linear") {
    return std::max(0.0, 1 - d);
  }
  if (d <= 1) {
    return ((s.cubic + 2) * d - (s.cubic + 3)) * d * d + 1;
  }
  return d < 2 ? ((s.cubic * d - 5 * s.cubic) * d + 8 * s.cubic) * d - 4 * s.cubic : 0;
}

/// Weights of the elements around a position, normalized where some are left out or stretched.
static void addTaps(const Settings &s, const Axis &a, double position, double stretch,
                    int64_t reach, Taps &taps) {
  auto base = static_cast<int64_t>(std::floor(position));
  std::vector<double> weights;
  double total = 0;
  for (int64_t k = 1 - reach; k <= reach; ++k) {
    int64_t at = base + k;
    double weight = filterAt(s, (static_cast<double>(at) - position) * stretch);
    weight = s.excludeOutside && (at < 0 || at >= a.from) ? 0 : weight;
    weights.push_back(weight);
    total += weight;
    taps.index.push_back(std::clamp<int64_t>(at, 0, a.from - 1));
  }
  bool normalize = (s.excludeOutside || stretch != 1) && total != 0;
  for (double weight : weights) {
    taps.weight.push_back(normalize ? weight / total : weight);
  }
}

static Taps tapsOf(const Settings &s, const Axis &a) {
  Taps taps;
  double stretch = s.antialias ? std::min(a.scale, 1.0) : 1;
  double support = s.mode == "linear" ? 1 : 2;
  auto reach = static_cast<int64_t>(std::ceil(support / stretch));
  taps.count = s.mode == "nearest" ? 1 : 2 * reach;
  for (int64_t i = 0; i < a.to; ++i) {
    double position = originalPosition(s, a, i);
    taps.outside.push_back(s.transform == "tf_crop_and_resize" &&
                           (position < 0 || position > static_cast<double>(a.from - 1)));
    if (s.mode == "nearest") {
      taps.index.push_back(std::clamp<int64_t>(nearest(s.rounding, position), 0, a.from - 1));
      taps.weight.push_back(1);
    } else {
      addTaps(s, a, position, stretch, reach, taps);
    }
  }
  return taps;
}

/// x with one axis resampled.
static GraphValue resampled(GraphWriter &g, GraphValue x, int64_t axis, const Taps &taps) {
  auto to = static_cast<int64_t>(taps.outside.size());
  auto rank = static_cast<int64_t>(g.shapeOf(x).size());
  std::optional<GraphValue> sum;
  for (int64_t k = 0; k < taps.count; ++k) {
    Tensor index = Tensor::allocate({DType::I64, {to}});
    Tensor weight = Tensor::allocate({DType::F32, {to}});
    bool ones = true;
    for (int64_t i = 0; i < to; ++i) {
      auto at = static_cast<size_t>(i * taps.count + k);
      index.setInt(i, taps.index[at]);
      weight.setDouble(i, taps.weight[at]);
      ones = ones && taps.weight[at] == 1;
    }
    GraphValue part = g.gather(x, g.constant(index), axis);
    if (!ones) {
      GraphValue weights = g.alongAxis(g.constant(weight), axis, rank);
      part = g.mul(part, g.cast(weights, g.dtypeOf(x)));
    }
    sum = sum ? g.add(*sum, part) : part;
  }
  return *sum;
}

/// `value` where some axis is outside of what was resampled.
static GraphValue extrapolated(GraphWriter &g, GraphValue y, const std::vector<int64_t> &axes,
                               const std::vector<Taps> &taps, double value) {
  auto rank = static_cast<int64_t>(g.shapeOf(y).size());
  for (size_t i = 0; i < axes.size(); ++i) {
    const std::vector<bool> &outside = taps[i].outside;
    if (std::find(outside.begin(), outside.end(), true) == outside.end()) {
      continue;
    }
    Tensor mask = Tensor::allocate({DType::Bool, {static_cast<int64_t>(outside.size())}});
    for (size_t k = 0; k < outside.size(); ++k) {
      mask.setInt(static_cast<int64_t>(k), outside[k]);
    }
    GraphValue along = g.alongAxis(g.constant(mask), axes[i], rank);
    y = g.select(g.broadcast(along, g.shapeOf(y)), g.like(y, value), y);
  }
  return y;
}

/// Whether each element is repeated `scale` times.
static bool repeats(const Settings &s, double scale) {
  bool corners = s.transform == "asymmetric" && s.rounding == "floor";
  bool centers = (s.transform == "half_pixel" || s.transform == "pytorch_half_pixel") &&
                 s.rounding.starts_with("round");
  return s.mode == "nearest" && (corners || centers) && scale == std::trunc(scale) && scale >= 1;
}

/// x with an axis of open size scaled.
static Expected<GraphValue> openResampled(OnnxNode &n, const Settings &s, GraphValue x,
                                          int64_t axis, const Axis &a) {
  if (a.from == a.to && a.scale == 1 && s.transform != "tf_crop_and_resize") {
    return x;
  }
  if (!repeats(s, a.scale)) {
    return n.unsupported("axis {} of {} elements is resized by {}, mode {}: give {}", axis,
                         dim::toString(a.from), a.scale, s.mode, dimRemedy(a.from));
  }
  // [.., d, ..] becomes [.., d, 1, ..], [.., d, scale, ..], [.., d * scale, ..].
  Shape split = n.g.shapeOf(x), merged = split;
  merged[static_cast<size_t>(axis)] = a.to;
  split.insert(split.begin() + axis + 1, 1);
  x = n.g.reshape(x, split);
  split[static_cast<size_t>(axis) + 1] = static_cast<int64_t>(a.scale);
  return n.g.reshape(n.g.broadcast(x, split), merged);
}

static Status resample(OnnxNode &n, const Settings &s, const std::vector<int64_t> &axes,
                       const std::vector<Axis> &sizes) {
  GraphWriter &g = n.g;
  constexpr int64_t mostTaps = int64_t(1) << 22;
  GraphValue x = n.in(0);
  DType dtype = n.type(0).dtype;
  if (s.mode != "nearest" && !isFloat(dtype)) {
    x = g.cast(x, DType::F32);
  }
  std::vector<Taps> taps;
  for (size_t i = 0; i < axes.size(); ++i) {
    const Axis &a = sizes[i];
    if (dim::isSymbolic(a.from)) {
      ZYXC_ASSIGN(x, openResampled(n, s, x, axes[i], a));
      taps.emplace_back(); // nothing is outside
      continue;
    }
    double each = s.antialias ? std::max(1.0, 1 / a.scale) : 1;
    if (a.to < 0 || (a.to > 0 && a.from < 1) || !(a.scale > 0) ||
        static_cast<double>(a.to) * each > static_cast<double>(mostTaps)) {
      return n.malformed("axis {} of {} elements cannot be resized by {} to {}", axes[i], a.from,
                         a.scale, a.to);
    }
    taps.push_back(tapsOf(s, a));
    bool same = a.from == a.to && a.scale == 1 && a.roiStart == 0 && a.roiEnd == 1;
    if (!same) {
      x = resampled(g, x, axes[i], taps.back());
    }
  }
  x = extrapolated(g, x, axes, taps, s.extrapolated);
  return n.result(g.cast(x, dtype));
}

static Status checkSettings(OnnxNode &n, const Settings &s) {
  auto isOneOf = [](const std::string &text, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), text) != names.end();
  };
  bool known = isOneOf(s.mode, {"nearest", "linear", "cubic"}) &&
               isOneOf(s.transform,
                       {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                        "asymmetric", "tf_crop_and_resize", "tf_half_pixel_for_nn"}) &&
               isOneOf(s.rounding, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  return known ? Status::ok()
               : n.malformed("mode '{}', coordinates '{}' or rounding '{}' is unknown", s.mode,
                             s.transform, s.rounding);
}

/// What a scale makes of an axis.
static Expected<int64_t> scaledSize(const OnnxNode &n, int64_t axis, int64_t from, double scale,
                                    double share = 1) {
  if (dim::isSymbolic(from) && scale == std::trunc(scale) && scale >= 1 && scale < 0x1p31) {
    return dim::mul(from, static_cast<int64_t>(scale));
  }
  if (dim::isSymbolic(from)) {
    return n.unsupported("axis {} of {} elements is resized by {}: give {}", axis,
                         dim::toString(from), scale, dimRemedy(from));
  }
  double to = std::floor(static_cast<double>(from) * share * scale);
  if (!(to >= 0 && to < 0x1p31)) {
    return n.malformed("axis {} would get {} elements", axis, to);
  }
  return static_cast<int64_t>(to);
}

/// Gives an axis a size; one of open size must be scaled by a number.
static Status setSize(const OnnxNode &n, int64_t axis, int64_t to, Axis &a) {
  a.to = to;
  int64_t sizes[] = {a.from, to};
  if (dim::anySymbolic(sizes)) {
    std::optional<int64_t> scale = dim::exactQuotient(to, a.from);
    if (!scale || dim::isSymbolic(*scale)) {
      return n.unsupported("axis {} of {} elements is resized to {}: give {}", axis,
                           dim::toString(a.from), dim::toString(to), dimRemedy(sizes));
    }
    a.scale = static_cast<double>(*scale);
    return Status::ok();
  }
  if (to < 0 || to >= int64_t(1) << 31) {
    return n.malformed("axis {} would get {} elements", axis, to);
  }
  a.scale = a.from == 0 ? 1 : static_cast<double>(to) / static_cast<double>(a.from);
  return Status::ok();
}

static Expected<std::vector<double>> constantFloats(OnnxNode &n, size_t input) {
  ZYXC_ASSIGN(Tensor tensor, n.constant(input));
  std::vector<double> values;
  values.reserve(static_cast<size_t>(tensor.numElements()));
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    values.push_back(tensor.asDouble(i));
  }
  return values;
}

/// The sizes as keep_aspect_ratio_policy changes them: one scale for all axes.
static Status keepAspectRatio(OnnxNode &n, std::vector<Axis> &axes) {
  std::string policy = n.attrString("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch") {
    return Status::ok();
  }
  if (dim::anySymbolic(n.shape(0))) {
    return n.unsupported("keep_aspect_ratio_policy {} of {}: give {}", policy,
                         shapeText(n.shape(0)), dimRemedy(n.shape(0)));
  }
  if (policy != "not_larger" && policy != "not_smaller") {
    return n.malformed("keep_aspect_ratio_policy '{}' is unknown", policy);
  }
  double scale = axes[0].scale;
  for (const Axis &a : axes) {
    scale = policy == "not_larger" ? std::min(scale, a.scale) : std::max(scale, a.scale);
  }
  for (Axis &a : axes) {
    a.scale = scale;
    a.to = static_cast<int64_t>(std::floor(scale * static_cast<double>(a.from) + 0.5));
  }
  return Status::ok();
}

/// Scales or sizes of the axes, from the inputs numbered here; the region of interest where it
/// counts.
static Expected<std::vector<Axis>> axesOf(OnnxNode &n, const std::vector<int64_t> &axes,
                                          size_t scalesInput, size_t sizesInput,
                                          const Settings &s) {
  std::vector<Axis> result(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    result[i].from = n.shape(0)[static_cast<size_t>(axes[i])];
  }
  if (s.transform == "tf_crop_and_resize" && n.has(1)) {
    ZYXC_ASSIGN(std::vector<double> roi, constantFloats(n, 1));
    if (roi.size() != 2 * axes.size()) {
      return n.malformed("roi has {} entries for {} axes", roi.size(), axes.size());
    }
    for (size_t i = 0; i < axes.size(); ++i) {
      result[i].roiStart = roi[i];
      result[i].roiEnd = roi[i + axes.size()];
    }
  }
  bool bySizes = n.has(sizesInput) && n.type(sizesInput).numElements() > 0;
  if (!bySizes && !n.has(scalesInput)) {
    return n.malformed("scales or sizes are needed");
  }
  std::vector<int64_t> wanted;
  std::vector<double> scales;
  if (bySizes) {
    ZYXC_ASSIGN(wanted, n.constantInts(sizesInput));
  } else {
    ZYXC_ASSIGN(scales, constantFloats(n, scalesInput));
  }
  if (wanted.size() + scales.size() != axes.size()) {
    return n.malformed("{} scales or sizes are given for {} axes", wanted.size() + scales.size(),
                       axes.size());
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    Axis &a = result[i];
    if (bySizes) {
      ZYXC_RETURN_IF_ERROR(setSize(n, axes[i], wanted[i], a));
      continue;
    }
    a.scale = scales[i];
    ZYXC_ASSIGN(a.to, scaledSize(n, axes[i], a.from, a.scale, a.roiEnd - a.roiStart));
  }
  if (bySizes && !result.empty()) {
    ZYXC_RETURN_IF_ERROR(keepAspectRatio(n, result));
  }
  return result;
}

static Status resize(OnnxNode &n) {
  Settings s;
  s.mode = n.attrString("mode", "nearest");
  s.transform = n.attrString("coordinate_transformation_mode", "half_pixel");
  s.rounding = n.attrString("nearest_mode", "round_prefer_floor");
  s.cubic = n.attrFloat("cubic_coeff_a", -0.75);
  s.excludeOutside = n.attrInt("exclude_outside", 0) != 0;
  s.antialias = n.attrInt("antialias", 0) != 0;
  s.extrapolated = n.attrFloat("extrapolation_value", 0);
  ZYXC_RETURN_IF_ERROR(checkSettings(n, s));
  std::vector<int64_t> all(static_cast<size_t>(n.rank(0)));
  std::iota(all.begin(), all.end(), 0);
  std::vector<int64_t> axes = n.attrInts("axes", all);
  ZYXC_ASSIGN(std::vector<int64_t> distinct, n.axes(axes, n.rank(0)));
  for (int64_t &axis : axes) {
    axis += axis < 0 ? n.rank(0) : 0;
  }
  ZYXC_ASSIGN(std::vector<Axis> sizes, axesOf(n, axes, 2, 3, s));
  return resample(n, s, axes, sizes);
}

/// Before operator set 11, and Upsample: scales alone; a pixel is where its corner is.
static Status resizeByScales(OnnxNode &n) {
  Settings s;
  s.mode = n.attrString("mode", "nearest");
  s.transform = "asymmetric";
  s.rounding = "floor";
  ZYXC_RETURN_IF_ERROR(checkSettings(n, s));
  std::vector<int64_t> axes(static_cast<size_t>(n.rank(0)));
  std::iota(axes.begin(), axes.end(), 0);
  constexpr size_t none = 99;
  if (n.has(1)) {
    ZYXC_ASSIGN(std::vector<Axis> sizes, axesOf(n, axes, 1, none, s));
    return resample(n, s, axes, sizes);
  }
  std::vector<double> scales = n.attrFloats("scales");
  if (scales.size() != axes.size()) {
    return n.malformed("{} scales are given for {} axes", scales.size(), axes.size());
  }
  std::vector<Axis> sizes;
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t from = n.shape(0)[i];
    ZYXC_ASSIGN(int64_t to, scaledSize(n, axes[i], from, scales[i]));
    sizes.push_back({from, to, scales[i]});
  }
  return resample(n, s, axes, sizes);
}

// Values of roi, scales and sizes decide the shape and the positions.
static constexpr OnnxOp rows[] = {
    {"Resize", 10, 10, 2, 2, 1, openDims, resizeByScales, 2},
    {"Resize", 11, newest, 1, 4, 1, openDims, resize, 2 | 4 | 8},
    {"Upsample", 7, 8, 1, 1, 1, openDims, resizeByScales},
    {"Upsample", 9, 9, 2, 2, 1, openDims, resizeByScales, 2},
};

std::span<const OnnxOp> resizeOps() {
  return rows;
}

} // namespace zyxc::importer
