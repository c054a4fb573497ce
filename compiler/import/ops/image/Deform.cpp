// Convolutions whose elements are read at shifted positions: DeformConv.
#include "compiler/import/node/OnnxOp.h"
#include "compiler/import/ops/image/Positions.h"
#include "compiler/import/ops/network/Windows.h"

namespace zyxc::importer {

namespace {

/// The sizes of a deformable convolution; `out` are the positions of a result.
struct Deformable {
  int64_t batch, channels, groups, offsetGroups;
  OnnxWindows windows;
  Shape out;
  int64_t elements; ///< of the kernel
};

} // namespace

static Expected<Deformable> deformableOf(OnnxNode &n) {
  int64_t spatial = n.rank(0) - 2;
  if (spatial < 1 || n.rank(1) != n.rank(0)) {
    return n.malformed("input {} and weight {} do not suit each other", toString(n.type(0)),
                       toString(n.type(1)));
  }
  Deformable d{
      n.shape(0)[0], n.shape(0)[1], n.attrInt("group", 1), n.attrInt("offset_group", 1), {}, {}, 1};
  ZYXC_ASSIGN(d.windows, windowsOf(n, Shape(n.shape(1).begin() + 2, n.shape(1).end())));
  for (int64_t i = 0; i < spatial; ++i) {
    auto at = static_cast<size_t>(i);
    const OnnxWindows &w = d.windows;
    int64_t room =
        n.shape(0)[at + 2] + w.low[at] + w.high[at] - (w.sizes[at] - 1) * w.dilations[at] - 1;
    d.out.push_back(room < 0 ? 0 : room / w.strides[at] + 1);
    d.elements *= w.sizes[at];
  }
  auto shapeWith = [&](int64_t channels) {
    Shape shape = {d.batch, channels};
    shape.insert(shape.end(), d.out.begin(), d.out.end());
    return shape;
  };
  bool groupsFit = d.groups > 0 && d.offsetGroups > 0 && d.channels % d.groups == 0 &&
                   d.channels % d.offsetGroups == 0 && n.shape(1)[0] % d.groups == 0 &&
                   n.shape(1)[1] * d.groups == d.channels;
  int64_t perPosition = d.offsetGroups * d.elements;
  if (!groupsFit || n.shape(2) != shapeWith(perPosition * spatial) ||
      (n.has(4) && n.shape(4) != shapeWith(perPosition)) || numElements(n.shape(0)) == 0) {
    return n.malformed(
        "input {}, weight {}, offsets {} and mask {} do not suit {} groups and {} of "
        "offsets",
        shapeText(n.shape(0)), shapeText(n.shape(1)), shapeText(n.shape(2)),
        n.has(4) ? shapeText(n.shape(4)) : "none", d.groups, d.offsetGroups);
  }
  return d;
}

/// Positions along one spatial axis: [batch * offset groups, elements, out..].
static GraphValue deformedPositions(OnnxNode &n, const Deformable &d, size_t axis) {
  GraphWriter &g = n.g;
  const OnnxWindows &w = d.windows;
  auto spatial = static_cast<int64_t>(d.out.size());
  Shape shape = {d.batch * d.offsetGroups, d.elements};
  shape.insert(shape.end(), d.out.begin(), d.out.end());
  Shape split = shape; // [.., elements, spatial axes, out..]
  split.insert(split.begin() + 2, spatial);
  GraphValue offset = g.entry(g.reshape(n.in(2), split), 2, static_cast<int64_t>(axis));
  int64_t inner = 1; // elements of the kernel per step of this axis
  for (size_t i = axis + 1; i < w.sizes.size(); ++i) {
    inner *= w.sizes[i];
  }
  DType dtype = n.type(0).dtype;
  GraphValue element =
      g.binary(OpKind::Mod, g.binary(OpKind::Div, g.iota(shape, 1), static_cast<double>(inner)),
               static_cast<double>(w.sizes[axis]));
  GraphValue start = g.add(
      g.mul(g.iota(shape, static_cast<int64_t>(axis) + 2), static_cast<double>(w.strides[axis])),
      -static_cast<double>(w.low[axis]));
  GraphValue at = g.add(start, g.mul(element, static_cast<double>(w.dilations[axis])));
  return g.add(offset, g.cast(at, dtype));
}

static Status deformConv(OnnxNode &n) {
  GraphWriter &g = n.g;
  ZYXC_ASSIGN(Deformable d, deformableOf(n));
  Shape grouped = {d.batch * d.offsetGroups, d.channels / d.offsetGroups};
  grouped.insert(grouped.end(), n.shape(0).begin() + 2, n.shape(0).end());
  std::vector<GraphValue> positions;
  positions.reserve(d.out.size());
  for (size_t axis = 0; axis < d.out.size(); ++axis) {
    positions.push_back(deformedPositions(n, d, axis));
  }
  ZYXC_RETURN_IF_ERROR(g.takeStatus());
  GraphValue sampled = sampleImage(g, g.reshape(n.in(0), grouped), positions, {});
  if (n.has(4)) {
    Shape mask = {grouped[0], 1, d.elements};
    mask.insert(mask.end(), d.out.begin(), d.out.end());
    sampled = g.mul(sampled, g.reshape(n.in(4), mask));
  }
  // A product of [group, O/group, C/group * elements] with [batch, group, C/group * elements, out].
  int64_t rows = d.channels / d.groups * d.elements, results = n.shape(1)[0];
  GraphValue columns = g.reshape(sampled, {d.batch, d.groups, rows, numElements(d.out)});
  GraphValue weight = g.reshape(n.in(1), {1, d.groups, results / d.groups, rows});
  GraphValue product = g.matmul(weight, columns);
  Shape shape = {d.batch, results};
  shape.insert(shape.end(), d.out.begin(), d.out.end());
  GraphValue y = g.reshape(product, shape);
  return n.result(n.has(3) ? g.add(y, g.alongAxis(n.in(3), 1, n.rank(0))) : y);
}

static constexpr OnnxOp rows[] = {
    {"DeformConv", 19, newest, 3, 5, 1, fixedDims, deformConv},
};

std::span<const OnnxOp> deformOps() {
  return rows;
}

} // namespace zyxc::importer
