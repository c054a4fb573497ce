// Parts of a tensor and their inverse: slice, split, pad.
#include "compiler/import/node/OnnxOp.h"
#include <algorithm>
#include <numeric>

namespace zyxc::importer {

/// One axis of a slice, as of a Python slice: where it starts, how many elements, how far apart.
struct SliceAxis {
  int64_t start = 0;
  int64_t size = 0;
  int64_t step = 1;
};

/// The bounds are clamped as ONNX says: to the axis, and, by a step below 0, the start to its
/// elements and the end to one before them. The step is not zero.
static SliceAxis sliceAxis(int64_t dim, int64_t start, int64_t end, int64_t step) {
  int64_t least = step > 0 ? 0 : -1;
  int64_t most = dim + least;
  auto fromStart = [&](int64_t at) {
    return at < 0 ? std::max(at, -dim - 1) + dim : at;
  };
  start = std::min(std::max<int64_t>(fromStart(start), 0), most);
  end = std::max(std::min(fromStart(end), most), least);
  int64_t distance = step > 0 ? end - start : start - end;
  // The step may be the smallest integer: its magnitude is taken unsigned.
  uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
  int64_t size =
      distance <= 0 ? 0 : 1 + static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / stride);
  return {start, size, step};
}

/// A bound of a slice from the start of its axis: `at` counts from the end if it is below 0, which
/// may be known only at run time.
static int64_t fromStart(int64_t dim, int64_t at) {
  int64_t isNegative = dim::max(dim::min(dim::sub(0, at), 1), 0);
  return dim::add(at, dim::mul(isNegative, dim));
}

/// A bound of a slice of an open axis: clamped as ONNX says, or assumed to lie within the axis and,
/// where its sign is open, to count from the start.
static int64_t openBound(OnnxNode &n, int64_t dim, int64_t at, bool isForward, bool isStart) {
  int64_t least = isForward || isStart ? 0 : -1;
  int64_t most = isForward ? dim : dim::sub(dim, 1);
  if (!dim::isSymbolic(at) && (at >= dim::limit || at <= -dim::limit)) {
    return at >= 0 ? most : isStart ? dim::min(least, most) : least;
  }
  int64_t assumed = dim::provablyAtMost(at, 0) ? fromStart(dim, at) : at;
  if (n.g.slices == OpenSlices::Assumed) {
    return assumed;
  }
  int64_t bound = fromStart(dim, at);
  int64_t clamped =
      isStart ? dim::min(dim::max(bound, least), most) : dim::max(dim::min(bound, most), least);
  if (clamped != assumed) {
    n.g.noteClampedSlice();
  }
  return clamped;
}

/// The same as sliceAxis where sizes may be open. Steps are numbers.
static Expected<SliceAxis> openSliceAxis(OnnxNode &n, int64_t dim, int64_t start, int64_t end,
                                         int64_t step) {
  if (dim::isSymbolic(step)) {
    return n.unsupported("the step {} must be a number: give {}", dim::toString(step),
                         dimRemedy(step));
  }
  int64_t sizes[] = {dim, start, end};
  if (!dim::anySymbolic(sizes) || step <= -dim::limit) {
    return sliceAxis(dim, start, end, step);
  }
  bool isForward = step > 0;
  int64_t first = openBound(n, dim, start, isForward, true);
  int64_t last = openBound(n, dim, end, isForward, false);
  if (n.g.slices == OpenSlices::Clamped) {
    int64_t distance = isForward ? dim::sub(last, first) : dim::sub(first, last);
    return SliceAxis{first, dim::ceilDiv(dim::max(distance, 0), std::abs(step)), step};
  }
  // The first few elements: there may be fewer. One element is taken to be there.
  bool mayBeFewer = isForward && !dim::isSymbolic(end) && end > 1;
  if (!isForward && !dim::isSymbolic(start)) {
    first = dim::min(first, dim::sub(dim, 1)); // a large start is the end of the axis
  }
  last = mayBeFewer ? dim::min(last, dim) : last;
  int64_t distance = isForward ? dim::sub(last, first) : dim::sub(first, last);
  return SliceAxis{first, dim::ceilDiv(distance, std::abs(step)), step};
}

static Status sliceBy(OnnxNode &n, std::vector<int64_t> starts, std::vector<int64_t> ends,
                      std::vector<int64_t> axes, std::vector<int64_t> steps) {
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (steps.empty()) {
    steps.assign(starts.size(), 1);
  }
  if (starts.size() != ends.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    return n.malformed("starts, ends, axes and steps differ in length");
  }
  ZYXC_ASSIGN(std::vector<int64_t> distinct, n.axes(axes, n.rank(0)));
  Shape begin(n.shape(0).size(), 0), size = n.shape(0), step(n.shape(0).size(), 1);
  std::vector<int64_t> flipped;
  for (size_t i = 0; i < axes.size(); ++i) {
    size_t axis = static_cast<size_t>(axes[i] < 0 ? axes[i] + n.rank(0) : axes[i]);
    int64_t dim = n.shape(0)[axis];
    if (steps[i] == 0) {
      return n.malformed("a step of 0");
    }
    ZYXC_ASSIGN(SliceAxis part, openSliceAxis(n, dim, starts[i], ends[i], steps[i]));
    if (part.step < 0 && part.size > 0) {
      flipped.push_back(static_cast<int64_t>(axis));
      part.start = dim::sub(dim::sub(dim, 1), part.start);
      part.step = part.size == 1 ? 1 : -part.step;
    }
    begin[axis] = part.size == 0 ? 0 : part.start;
    size[axis] = part.size;
    step[axis] = part.size <= 1 ? 1 : part.step;
  }
  GraphValue x = n.in(0);
  if (!flipped.empty()) {
    std::sort(flipped.begin(), flipped.end());
    x = n.g.op(OpKind::Flip, {x}, {{"axes", flipped}});
  }
  return n.result(n.g.narrow(x, begin, size, step));
}

static Status sliceByAttributes(OnnxNode &n) {
  return sliceBy(n, n.attrWideInts("starts"), n.attrWideInts("ends"), n.attrWideInts("axes"), {});
}

static Status slice(OnnxNode &n) {
  std::vector<int64_t> lists[4];
  for (size_t i = 0; i < 4; ++i) {
    if (n.has(i + 1)) {
      ZYXC_ASSIGN(lists[i], n.constantInts(i + 1));
    }
  }
  return sliceBy(n, lists[0], lists[1], lists[2], lists[3]);
}

/// Parts of a Split that are as large as each other but the last, which may be smaller; none where
/// less than that is left.
static std::vector<int64_t> equalParts(int64_t dim, int64_t count) {
  std::vector<int64_t> sizes;
  int64_t chunk = dim::ceilDiv(dim, count);
  int64_t begin = 0;
  for (int64_t i = 1; i <= count; ++i) {
    int64_t end = i == count ? dim : dim::min(dim::mul(chunk, i), dim);
    sizes.push_back(dim::sub(end, begin));
    begin = end;
  }
  return sizes;
}

/// Sizes of the parts of a Split: given, or equal, or (operator set 18) equal but the last.
static Expected<std::vector<int64_t>> splitSizes(OnnxNode &n, int64_t dim) {
  ZYXC_ASSIGN(std::vector<int64_t> sizes, n.intsOf(1, "split"));
  int64_t count = static_cast<int64_t>(n.numOutputs());
  if (sizes.empty()) {
    if (n.hasAttr("num_outputs") && n.attrInt("num_outputs", 0) != count) {
      return n.malformed("num_outputs is {}, but {} outputs are named", n.attrInt("num_outputs", 0),
                         count);
    }
    if (!dim::exactQuotient(dim, count) && n.opset < 18) {
      return dim::isSymbolic(dim)
                 ? n.unsupported("{} elements must split into {} equal parts: "
                                 "give {}",
                                 dim::toString(dim), count, dimRemedy(dim))
                 : n.malformed("{} elements do not split into {} equal parts", dim, count);
    }
    return equalParts(dim, count);
  }
  int64_t total = 0;
  for (int64_t size : sizes) {
    if (size < 0 || dim::provablyLess(dim::sub(dim, total), size)) {
      return n.malformed("parts {} do not add up to {}", sizesText(sizes), dim::toString(dim));
    }
    total = dim::add(total, size);
  }
  if (!n.g.agree(total, dim) || static_cast<int64_t>(sizes.size()) != count) {
    return n.malformed("{} parts {} do not make {} outputs of {} elements in all", sizes.size(),
                       sizesText(sizes), count, dim::toString(dim));
  }
  return sizes;
}

static Status split(OnnxNode &n) {
  ZYXC_ASSIGN(int64_t axis, n.axis(n.attrInt("axis", 0), n.rank(0)));
  Shape size = n.shape(0);
  size_t at = static_cast<size_t>(axis);
  ZYXC_ASSIGN(std::vector<int64_t> sizes, splitSizes(n, size[at]));
  Shape begin(size.size(), 0), step(size.size(), 1);
  for (int64_t part : sizes) {
    size[at] = part;
    Shape from = begin;
    from[at] = part == 0 ? 0 : from[at];
    ZYXC_RETURN_IF_ERROR(n.result(n.g.narrow(n.in(0), from, size, step)));
    begin[at] = dim::add(begin[at], part);
  }
  return Status::ok();
}

/// Widths per axis from a list of all low, then all high ones, for some or all axes.
struct Padding {
  std::vector<int64_t> low;
  std::vector<int64_t> high;
};

static Expected<Padding> paddingOf(OnnxNode &n, const std::vector<int64_t> &pads,
                                   std::vector<int64_t> axes) {
  size_t rank = n.shape(0).size();
  if (axes.empty()) {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), 0);
  }
  ZYXC_RETURN_IF_ERROR(n.checkSmall(pads));
  if (pads.size() != 2 * axes.size()) {
    return n.malformed("{} pads for {} axes: two for each are needed", pads.size(), axes.size());
  }
  ZYXC_ASSIGN(std::vector<int64_t> distinct, n.axes(axes, n.rank(0)));
  Padding padding{std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, 0)};
  for (size_t i = 0; i < axes.size(); ++i) {
    size_t axis = static_cast<size_t>(axes[i] < 0 ? axes[i] + n.rank(0) : axes[i]);
    padding.low[axis] = pads[i];
    padding.high[axis] = pads[i + axes.size()];
    int64_t rest = dim::add(dim::add(padding.low[axis], padding.high[axis]), n.shape(0)[axis]);
    if (rest < 0) {
      return n.malformed("pads {} and {} leave nothing of axis {}", dim::toString(pads[i]),
                         dim::toString(pads[i + axes.size()]), axis);
    }
  }
  return padding;
}

/// Removes what negative widths say and sets them to 0.
static GraphValue crop(OnnxNode &n, GraphValue x, Padding &padding) {
  Shape begin, size;
  for (size_t i = 0; i < padding.low.size(); ++i) {
    int64_t low = dim::min(padding.low[i], 0);
    int64_t high = dim::min(padding.high[i], 0);
    size.push_back(dim::max(dim::add(n.shape(0)[i], dim::add(low, high)), 0));
    begin.push_back(size.back() == 0 ? 0 : dim::sub(0, low));
    padding.low[i] = dim::sub(padding.low[i], low);
    padding.high[i] = dim::sub(padding.high[i], high);
  }
  return n.g.narrow(x, begin, size, Shape(size.size(), 1));
}

/// Position in an axis of `dim` elements that each position of the padded axis shows.
static Expected<GraphValue> sourceIndex(OnnxNode &n, const std::string &mode, int64_t dim,
                                        int64_t low, int64_t high) {
  if (dim == 0) {
    return n.malformed("an empty axis cannot be padded by its own elements");
  }
  GraphWriter &g = n.g;
  Shape padded = {dim::add(low, dim::add(dim, high))};
  GraphValue at = g.add(g.iota(padded, 0), Size{dim::sub(0, low)});
  Size last{dim::sub(dim, 1)};
  if (mode == "edge") {
    return g.binary(OpKind::Min, g.binary(OpKind::Max, at, 0.0), last);
  }
  if (mode == "wrap") {
    return g.binary(OpKind::Mod, at, Size{dim});
  }
  // Reflection without repeating the edge has period 2 (dim - 1).
  Size period{dim::max(dim::mul(2, last.value), 1)};
  GraphValue phase = g.binary(OpKind::Mod, at, period);
  return g.op(OpKind::Min, {phase, g.sub(g.like(phase, period), phase)});
}

static Status padBy(OnnxNode &n, Padding padding, GraphValue value) {
  std::string mode = n.attrString("mode", "constant");
  GraphValue x = crop(n, n.in(0), padding);
  if (mode == "constant") {
    return n.result(n.g.pad(x, padding.low, padding.high, value));
  }
  if (mode != "reflect" && mode != "edge" && mode != "wrap") {
    return n.malformed("mode '{}' is unknown", mode);
  }
  for (size_t i = 0; i < padding.low.size(); ++i) {
    if (padding.low[i] == 0 && padding.high[i] == 0) {
      continue;
    }
    Shape dims = n.g.shapeOf(x);
    ZYXC_ASSIGN(GraphValue index, sourceIndex(n, mode, dims[i], padding.low[i], padding.high[i]));
    x = n.g.op(OpKind::Gather, {x, index}, {{"axis", static_cast<int64_t>(i)}});
  }
  return n.result(x);
}

static Status padByAttributes(OnnxNode &n) {
  const char *name = n.opset < 2 ? "paddings" : "pads";
  ZYXC_ASSIGN(Padding padding, paddingOf(n, n.attrInts(name), {}));
  return padBy(n, padding, n.g.splat(n.type(0).dtype, {}, n.attrFloat("value", 0)));
}

static Status pad(OnnxNode &n) {
  ZYXC_ASSIGN(std::vector<int64_t> pads, n.constantInts(1));
  std::vector<int64_t> axes;
  if (n.has(3)) {
    ZYXC_ASSIGN(axes, n.constantInts(3));
    if (axes.empty()) {
      return n.result(n.in(0));
    }
  }
  ZYXC_ASSIGN(Padding padding, paddingOf(n, pads, std::move(axes)));
  if (n.has(2) && n.type(2).numElements() != 1) {
    return n.malformed("the pad value must be one number, not {}", toString(n.type(2)));
  }
  GraphValue value = n.has(2) ? n.g.reshape(n.in(2), {}) : n.g.splat(n.type(0).dtype, {}, 0);
  return padBy(n, padding, n.g.cast(value, n.type(0).dtype));
}

/// Each listed axis cut or padded to a size, as much on both ends; an odd element goes to the end.
static Status centerCropPad(OnnxNode &n) {
  ZYXC_ASSIGN(std::vector<int64_t> sizes, n.constantInts(1));
  std::vector<int64_t> axes(n.shape(0).size());
  std::iota(axes.begin(), axes.end(), 0);
  axes = n.attrInts("axes", axes);
  ZYXC_ASSIGN(std::vector<int64_t> distinct, n.axes(axes, n.rank(0)));
  ZYXC_RETURN_IF_ERROR(n.checkSmall(sizes));
  if (sizes.size() != axes.size()) {
    return n.malformed("{} sizes are given for {} axes", sizes.size(), axes.size());
  }
  Padding padding{std::vector<int64_t>(n.shape(0).size(), 0),
                  std::vector<int64_t>(n.shape(0).size(), 0)};
  for (size_t i = 0; i < axes.size(); ++i) {
    size_t axis = static_cast<size_t>(axes[i] < 0 ? axes[i] + n.rank(0) : axes[i]);
    if (sizes[i] < 0) {
      return n.malformed("axis {} would get {} elements", axis, sizes[i]);
    }
    int64_t more = sizes[i] - n.shape(0)[axis];
    padding.low[axis] = more < 0 ? -(-more / 2) : more / 2;
    padding.high[axis] = more - padding.low[axis];
  }
  GraphValue x = crop(n, n.in(0), padding);
  GraphValue zero = n.g.splat(n.type(0).dtype, {}, 0);
  return n.result(n.g.pad(x, padding.low, padding.high, zero));
}

static constexpr OnnxOp rows[] = {
    {"CenterCropPad", 18, newest, 2, 2, 1, fixedDims, centerCropPad, 2},
    {"Pad", 1, 10, 1, 1, 1, openDims, padByAttributes},
    {"Pad", 11, newest, 2, 4, 1, openDims, pad, 2 | 8},
    {"Slice", 1, 9, 1, 1, 1, openDims, sliceByAttributes},
    {"Slice", 10, newest, 3, 5, 1, openDims, slice, 2 | 4 | 8 | 16},
    {"Split", 2, newest, 1, 2, variadic, openDims, split, 2},
};

std::span<const OnnxOp> sliceOps() {
  return rows;
}

} // namespace zyxc::importer
