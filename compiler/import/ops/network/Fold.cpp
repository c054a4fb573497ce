// Blocks of columns added up into an image: Col2Im.
#include "compiler/import/node/OnnxOp.h"
#include "compiler/import/ops/network/Convolution.h"
#include "compiler/import/ops/network/Windows.h"
#include <algorithm>

namespace zyxc::importer {

/// x [N,C,P1..Pk], one element of each block, spread by the strides and shifted to where that
/// element lies in the padded image.
static GraphValue placed(GraphWriter &g, GraphValue x, const OnnxWindows &w,
                         const std::vector<int64_t> &element, const Shape &padded) {
  GraphValue spread = insertZeros(g, x, w.strides);
  Shape low = {0, 0}, high = {0, 0};
  for (size_t i = 0; i < element.size(); ++i) {
    low.push_back(element[i] * w.dilations[i]);
    high.push_back(padded[i + 2] - low.back() - g.shapeOf(spread)[i + 2]);
  }
  return g.pad(spread, low, high, g.splat(g.dtypeOf(x), {}, 0));
}

/// Strides, dilations and pads of the node over an image.
static Expected<OnnxWindows> foldWindows(OnnxNode &n, const Shape &image, Shape block) {
  size_t count = image.size();
  OnnxWindows w;
  w.sizes = std::move(block);
  w.strides = n.attrInts("strides", std::vector<int64_t>(count, 1));
  w.dilations = n.attrInts("dilations", std::vector<int64_t>(count, 1));
  std::vector<int64_t> pads = n.attrInts("pads", std::vector<int64_t>(2 * count, 0));
  auto atLeast = [&](const std::vector<int64_t> &values, size_t entries, int64_t least) {
    return values.size() == entries && n.checkSmall(values).isOk() &&
           std::all_of(values.begin(), values.end(), [&](int64_t v) { return v >= least; });
  };
  if (!atLeast(image, count, 0) || !atLeast(w.sizes, count, 1) || !atLeast(w.strides, count, 1) ||
      !atLeast(w.dilations, count, 1) || !atLeast(pads, 2 * count, 0)) {
    return n.malformed("image [{}], block [{}], strides, dilations and pads do not suit each other",
                       fmt::join(image, ","), fmt::join(w.sizes, ","));
  }
  w.low.assign(pads.begin(), pads.begin() + static_cast<int64_t>(count));
  w.high.assign(pads.begin() + static_cast<int64_t>(count), pads.end());
  return w;
}

static Status col2Im(OnnxNode &n) {
  constexpr int64_t mostElements = 1024; // of a block: one sum each
  GraphWriter &g = n.g;
  ZYXC_ASSIGN(Shape image, n.constantInts(1));
  ZYXC_ASSIGN(Shape block, n.constantInts(2));
  ZYXC_ASSIGN(OnnxWindows w, foldWindows(n, image, block));
  int64_t elements = checkedNumElements(block).value_or(-1);
  if (n.rank(0) != 3 || elements < 1 || n.shape(0)[1] % elements != 0) {
    return n.malformed("columns {} and block [{}] do not suit each other", shapeText(n.shape(0)),
                       fmt::join(block, ","));
  }
  if (elements > mostElements) {
    return n.unsupported("blocks of {} elements: at most {} are supported", elements, mostElements);
  }
  int64_t channels = n.shape(0)[1] / elements;
  Shape grid = {n.shape(0)[0], channels}, padded = grid, result = grid, low = {0, 0};
  for (size_t i = 0; i < image.size(); ++i) {
    padded.push_back(image[i] + w.low[i] + w.high[i]);
    int64_t room = padded.back() - (block[i] - 1) * w.dilations[i] - 1;
    grid.push_back(room < 0 ? 0 : room / w.strides[i] + 1);
    result.push_back(image[i]);
    low.push_back(w.low[i]);
  }
  if (numElements(grid) != n.shape(0)[0] * channels * n.shape(0)[2] || numElements(grid) == 0) {
    return n.malformed("{} blocks are given, but the image has {}", n.shape(0)[2], shapeText(grid));
  }
  GraphValue columns = g.reshape(n.in(0), {n.shape(0)[0], channels, elements, n.shape(0)[2]});
  std::optional<GraphValue> sum;
  Shape strides = rowMajorStrides(block);
  for (int64_t k = 0; k < elements; ++k) {
    std::vector<int64_t> element;
    element.reserve(block.size());
    for (size_t i = 0; i < block.size(); ++i) {
      element.push_back(k / strides[i] % block[i]);
    }
    GraphValue part = placed(g, g.reshape(g.entry(columns, 2, k), grid), w, element, padded);
    sum = sum ? g.add(*sum, part) : part;
    ZYXC_RETURN_IF_ERROR(g.takeStatus());
  }
  return n.result(g.narrow(*sum, low, result, Shape(result.size(), 1)));
}

static constexpr OnnxOp rows[] = {
    {"Col2Im", 18, newest, 3, 3, 1, fixedDims, col2Im, 2 | 4},
};

std::span<const OnnxOp> foldOps() {
  return rows;
}

} // namespace zyxc::importer
