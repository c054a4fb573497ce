// Sampling of images at positions that the run computes: GridSample, AffineGrid, RoiAlign.
#include "compiler/import/node/OnnxOp.h"
#include "compiler/import/ops/image/Positions.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace zyxc::importer {

/// Positions in an axis of `size` elements from normalized ones in [-1, 1].
static GraphValue denormalized(GraphWriter &g, GraphValue x, int64_t size, bool alignCorners) {
  auto length = static_cast<double>(size);
  GraphValue shifted = g.add(x, 1.0);
  return alignCorners ? g.mul(shifted, (length - 1) / 2)
                      : g.mul(g.add(g.mul(shifted, length), -1.0), 0.5);
}

static Status gridSample(OnnxNode &n) {
  GraphWriter &g = n.g;
  int64_t spatial = n.rank(0) - 2;
  const Shape image = n.shape(0), grid = n.shape(1);
  if (spatial < 1 || n.rank(1) != n.rank(0) || grid.back() != spatial || grid[0] != image[0] ||
      std::find(image.begin() + 2, image.end(), 0) != image.end()) {
    return n.malformed("image {} and grid {} do not suit each other", shapeText(image),
                       shapeText(grid));
  }
  std::string mode = n.attrString("mode", "linear");
  ZYXC_ASSIGN(SampleSettings s, sampleSettings(n, mode, n.attrString("padding_mode", "zeros")));
  s.alignCorners = n.attrInt("align_corners", 0) != 0;
  DType wide =
      isFloat(n.type(1).dtype) && byteSize(n.type(1).dtype) < 4 ? DType::F32 : n.type(1).dtype;
  GraphValue x = isFloat(n.type(0).dtype) ? n.in(0) : g.cast(n.in(0), DType::F32);
  std::vector<GraphValue> positions;
  for (int64_t axis = 0; axis < spatial; ++axis) {
    // The last coordinate of the grid is that of the first spatial axis.
    GraphValue normalized = g.entry(g.cast(n.in(1), wide), spatial + 1, spatial - 1 - axis);
    positions.push_back(
        denormalized(g, normalized, image[static_cast<size_t>(axis) + 2], s.alignCorners));
  }
  GraphValue y = sampleImage(g, x, positions, s);
  return n.result(g.cast(y, n.type(0).dtype));
}

static Status affineGrid(OnnxNode &n) {
  GraphWriter &g = n.g;
  ZYXC_ASSIGN(Shape size, n.constantInts(1));
  auto spatial = static_cast<int64_t>(size.size()) - 2;
  if ((spatial != 2 && spatial != 3) || n.shape(0) != Shape{size[0], spatial, spatial + 1} ||
      !checkedNumElements(size)) {
    return n.malformed("theta {} and size [{}] do not suit each other", shapeText(n.shape(0)),
                       fmt::join(size, ","));
  }
  bool alignCorners = n.attrInt("align_corners", 0) != 0;
  DType dtype = n.type(0).dtype;
  Shape dims(size.begin() + 2, size.end());
  std::vector<GraphValue> columns; // x first: the last axis
  for (int64_t axis = spatial; axis-- > 0;) {
    auto length = static_cast<double>(dims[static_cast<size_t>(axis)]);
    GraphValue at = g.iota(dims, axis, dtype);
    GraphValue position = alignCorners ? g.add(g.mul(at, 2 / std::max(length - 1, 1.0)), -1.0)
                                       : g.add(g.mul(g.add(g.mul(at, 2.0), 1.0), 1 / length), -1.0);
    columns.push_back(g.reshape(position, {numElements(dims), 1}));
  }
  columns.push_back(g.splat(dtype, {numElements(dims), 1}, 1));
  GraphValue base = g.concat(columns, 1);
  GraphValue grid = g.matmul(base, g.permute(n.in(0), {0, 2, 1}));
  Shape shape = dims;
  shape.insert(shape.begin(), size[0]);
  shape.push_back(spatial);
  return n.result(g.reshape(grid, shape));
}

/// Coordinates along one axis of the samples of each region: [regions, bins * perBin].
static GraphValue regionPositions(OnnxNode &n, int64_t first, int64_t bins, int64_t perBin) {
  GraphWriter &g = n.g;
  DType dtype = n.type(0).dtype;
  int64_t regions = n.shape(1)[0], count = bins * perBin;
  bool halfPixel =
      n.opset >= 16 && n.attrString("coordinate_transformation_mode", "half_pixel") == "half_pixel";
  double scale = n.attrFloat("spatial_scale", 1);
  auto edge = [&](int64_t column) {
    GraphValue x = g.mul(g.slice(g.cast(n.in(1), dtype), 1, column, 1), scale);
    return halfPixel ? g.add(x, -0.5) : x;
  };
  GraphValue start = edge(first);
  GraphValue size = g.sub(edge(first + 2), start);
  size = halfPixel ? size : g.binary(OpKind::Max, size, 1.0);
  GraphValue step =
      g.mul(g.add(g.iota({1, count}, 1, dtype), 0.5), 1.0 / static_cast<double>(count));
  GraphValue offsets = g.broadcast(g.mul(size, step), {regions, count});
  return g.add(offsets, start);
}

static Status roiAlign(OnnxNode &n) {
  GraphWriter &g = n.g;
  if (n.rank(0) != 4 || n.rank(1) != 2 || n.shape(1)[1] != 4 ||
      n.shape(2) != Shape{n.shape(1)[0]}) {
    return n.malformed("image {}, regions {} and indices {} do not suit each other",
                       shapeText(n.shape(0)), shapeText(n.shape(1)), shapeText(n.shape(2)));
  }
  int64_t height = n.attrInt("output_height", 1), width = n.attrInt("output_width", 1);
  int64_t perBin = n.attrInt("sampling_ratio", 0);
  std::string mode = n.attrString("mode", "avg");
  if (perBin < 1 || (mode != "avg" && mode != "max") || height < 1 || width < 1) {
    return n.unsupported(
        "mode '{}' with sampling_ratio {} for {}x{}: avg or max with a ratio of at "
        "least 1 are supported",
        mode, perBin, height, width);
  }
  int64_t regions = n.shape(1)[0], rows = height * perBin, columns = width * perBin;
  Shape samples = {regions, rows, columns};
  GraphValue y =
      g.broadcast(g.reshape(regionPositions(n, 1, height, perBin), {regions, rows, 1}), samples);
  GraphValue x =
      g.broadcast(g.reshape(regionPositions(n, 0, width, perBin), {regions, 1, columns}), samples);
  GraphValue image = g.gather(n.in(0), n.in(2), 0); // of each region
  ZYXC_RETURN_IF_ERROR(g.takeStatus());
  GraphValue sampled = sampleRegion(g, image, std::array{y, x}, mode == "max");
  // [regions, C, height, perBin, width, perBin]
  int64_t channels = n.shape(0)[1];
  sampled = g.reshape(sampled, {regions, channels, height, perBin, width, perBin});
  return n.result(mode == "max" ? g.reduce(OpKind::ReduceMax, sampled, {3, 5}, false)
                                : g.mean(sampled, {3, 5}, false));
}

static constexpr OnnxOp rows[] = {
    {"AffineGrid", 20, newest, 2, 2, 1, fixedDims, affineGrid, 2},
    {"GridSample", 16, newest, 2, 2, 1, fixedDims, gridSample},
    {"RoiAlign", 10, newest, 3, 3, 1, fixedDims, roiAlign},
};

std::span<const OnnxOp> sampleOps() {
  return rows;
}

} // namespace zyxc::importer
