// Convolutions.
#include "compiler/import/ops/network/Convolution.h"
#include "compiler/import/node/OnnxOp.h"
#include "compiler/import/ops/network/Windows.h"
#include <algorithm>

namespace zyxc::importer {

Expected<GraphValue> convolution(OnnxNode &n, GraphValue x, GraphValue w) {
  const TensorType input = n.g.typeOf(x), weight = n.g.typeOf(w);
  if (weight.rank() != input.rank() || input.rank() < 3) {
    return n.malformed("input {} and weight {} do not suit each other", toString(input),
                       toString(weight));
  }
  std::vector<int64_t> sizes(weight.shape.begin() + 2, weight.shape.end());
  if (n.attrInts("kernel_shape", sizes) != sizes) {
    return n.malformed("kernel_shape [{}] differs from the weight's {}",
                       fmt::join(n.attrInts("kernel_shape"), ","), toString(weight));
  }
  ZYXC_ASSIGN(OnnxWindows windows, windowsOf(n, std::move(sizes)));
  return n.g.op(OpKind::Conv, {x, w},
                {{"strides", windows.strides},
                 {"low", windows.low},
                 {"high", windows.high},
                 {"dilations", windows.dilations},
                 {"groups", n.attrInt("group", 1)}});
}

static Status conv(OnnxNode &n) {
  ZYXC_ASSIGN(GraphValue y, convolution(n, n.in(0), n.in(1)));
  if (n.has(2)) {
    y = n.g.add(y, n.g.alongAxis(n.in(2), 1, n.rank(0)));
  }
  return n.result(y);
}

/// Padding of a ConvTranspose: what is cut off the full result at both ends of each spatial axis.
/// Follows the formulas of the ONNX specification for output_shape and auto_pad.
static Status transposedPadding(OnnxNode &n, OnnxWindows &w, const std::vector<int64_t> &extra) {
  size_t count = w.sizes.size();
  std::string autoPad = n.attrString("auto_pad", "NOTSET");
  bool same = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  std::vector<int64_t> wanted = n.attrInts("output_shape");
  if (wanted.size() == count + 2) { // some files give N and C too
    wanted.erase(wanted.begin(), wanted.begin() + 2);
  }
  if (!same && wanted.empty()) {
    return Status::ok();
  }
  bool negative = std::any_of(wanted.begin(), wanted.end(), [](int64_t d) { return d < 0; });
  if (negative || (!wanted.empty() && wanted.size() != count)) {
    return n.malformed("output_shape [{}] does not suit {} spatial axes", fmt::join(wanted, ","),
                       count);
  }
  for (size_t i = 0; i < count; ++i) {
    int64_t extent = n.shape(0)[i + 2];
    int64_t reach = extra[i] + (w.sizes[i] - 1) * w.dilations[i] + 1;
    int64_t full = dim::add(dim::mul(w.strides[i], dim::sub(extent, 1)), reach);
    int64_t total = dim::sub(full, wanted.empty() ? dim::mul(extent, w.strides[i]) : wanted[i]);
    int64_t half = dim::floorDiv(total, 2); // a total below zero extends the end first
    w.low[i] = autoPad == "SAME_UPPER" ? half : dim::sub(total, half);
    w.high[i] = dim::sub(total, w.low[i]);
  }
  return Status::ok();
}

GraphValue insertZeros(GraphWriter &g, GraphValue x, const std::vector<int64_t> &strides) {
  GraphValue zero = g.splat(g.dtypeOf(x), {}, 0);
  for (size_t i = 0; i < strides.size(); ++i) {
    size_t axis = i + 2;
    Shape shape = g.shapeOf(x);
    if (strides[i] == 1 || shape[axis] == 0) {
      continue;
    }
    // [.., d, ..] becomes [.., d, 1, ..], [.., d, stride, ..], [.., d * stride, ..].
    Shape split = shape;
    split.insert(split.begin() + static_cast<int64_t>(axis) + 1, 1);
    Shape low(split.size(), 0), high(split.size(), 0);
    high[axis + 1] = strides[i] - 1;
    x = g.pad(g.reshape(x, split), low, high, zero);
    shape[axis] = dim::mul(shape[axis], strides[i]);
    x = g.reshape(x, shape);
    shape[axis] = dim::sub(shape[axis], strides[i] - 1);
    x = g.narrow(x, Shape(shape.size(), 0), shape, Shape(shape.size(), 1));
  }
  return x;
}

/// The weight [C, O/g, k..] of a transposed convolution as that of a convolution, [O, C/g, k..],
/// with its spatial axes reversed.
static GraphValue transposeWeight(OnnxNode &n, int64_t groups) {
  Shape shape = n.shape(1);
  int64_t rank = n.rank(1);
  Shape grouped = {groups, shape[0] / groups, shape[1]};
  grouped.insert(grouped.end(), shape.begin() + 2, shape.end());
  std::vector<int64_t> perm = {0, 2, 1};
  std::vector<int64_t> spatial;
  for (int64_t axis = 2; axis < rank; ++axis) {
    perm.push_back(axis + 1);
    spatial.push_back(axis);
  }
  Shape merged = shape;
  merged[0] = shape[1] * groups;
  merged[1] = shape[0] / groups;
  GraphValue w = n.g.reshape(n.g.permute(n.g.reshape(n.in(1), grouped), perm), merged);
  return n.g.op(OpKind::Flip, {w}, {{"axes", spatial}});
}

static Status convTranspose(OnnxNode &n) {
  int64_t groups = n.attrInt("group", 1);
  if (n.rank(1) != n.rank(0) || n.rank(0) < 3 || groups < 1 ||
      !n.g.agree(n.shape(1)[0], n.shape(0)[1]) || n.shape(1)[0] % groups != 0 ||
      n.shape(1)[1] > maxAttrInt) {
    return n.malformed("input {} and weight {} do not suit each other in {} groups",
                       toString(n.type(0)), toString(n.type(1)), groups);
  }
  std::vector<int64_t> sizes(n.shape(1).begin() + 2, n.shape(1).end());
  std::vector<int64_t> extra = n.attrInts("output_padding", std::vector<int64_t>(sizes.size(), 0));
  ZYXC_ASSIGN(OnnxWindows w, windowsOf(n, std::move(sizes)));
  if (extra.size() != w.sizes.size()) {
    return n.malformed("output_padding [{}] does not suit {} spatial axes", fmt::join(extra, ","),
                       w.sizes.size());
  }
  ZYXC_RETURN_IF_ERROR(transposedPadding(n, w, extra));
  GraphValue x = insertZeros(n.g, n.in(0), w.strides);
  ZYXC_RETURN_IF_ERROR(n.g.takeStatus()); // the shapes below exist only if this went well
  Shape low = {0, 0}, high = {0, 0}, starts = {0, 0}, kept = n.g.shapeOf(x);
  for (size_t i = 0; i < w.sizes.size(); ++i) {
    int64_t reach = (w.sizes[i] - 1) * w.dilations[i];
    int64_t before = dim::sub(reach, w.low[i]);
    int64_t after = dim::sub(reach + extra[i], w.high[i]);
    low.push_back(dim::max(before, 0));
    high.push_back(dim::max(after, 0));
    starts.push_back(dim::max(dim::sub(0, before), 0));
    int64_t rest = dim::sub(kept[i + 2], starts.back());
    kept[i + 2] = dim::max(dim::add(rest, dim::min(after, 0)), 0);
  }
  x = n.g.narrow(x, starts, kept, Shape(kept.size(), 1));
  x = n.g.pad(x, low, high, n.g.splat(n.type(0).dtype, {}, 0));
  std::vector<int64_t> ones(w.sizes.size(), 1), zeros(w.sizes.size(), 0);
  GraphValue y = n.g.op(OpKind::Conv, {x, transposeWeight(n, groups)},
                        {{"strides", ones},
                         {"low", zeros},
                         {"high", zeros},
                         {"dilations", w.dilations},
                         {"groups", groups}});
  if (n.has(2)) {
    y = n.g.add(y, n.g.alongAxis(n.in(2), 1, n.rank(0)));
  }
  return n.result(y);
}

static constexpr OnnxOp rows[] = {
    {"Conv", 1, newest, 2, 3, 1, openDims, conv},
    {"ConvTranspose", 1, newest, 2, 3, 1, openDims, convTranspose},
};

std::span<const OnnxOp> convolutionOps() {
  return rows;
}

} // namespace zyxc::importer
