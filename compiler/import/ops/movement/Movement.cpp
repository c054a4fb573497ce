// Operators that move elements without computing: reshape, transpose, broadcast, join, tile.
#include "compiler/import/node/OnnxOp.h"
#include <algorithm>
#include <numeric>

namespace zyxc::importer {

static int64_t product(std::span<const int64_t> dims) {
  return checkedNumElements(dims).value_or(-1);
}

/// The dim that -1 stands for: what the elements leave. Axes without elements that are copied are
/// in neither number: so [N, -1] is the same at N = 0, whether N is known when it is compiled or
/// not.
static Expected<int64_t> openedDim(const OnnxNode &n, int64_t total, int64_t known) {
  int64_t sizes[] = {total, known};
  if (!dim::anySymbolic(sizes)) {
    return known > 0 ? Expected(total / known)
                     : n.malformed("-1 in the new shape may be any number beside a dim of 0: give "
                                   "the number");
  }
  if (std::optional<int64_t> rest = dim::exactQuotient(total, known)) {
    return *rest;
  }
  return n.unsupported("-1 in the new shape stands for {} elements by {}: give {}",
                       dim::toString(total), dim::toString(known), dimRemedy(sizes));
}

static Status reshape(OnnxNode &n) {
  ZYXC_ASSIGN(Shape shape, n.opset < 5 ? Expected(n.attrInts("shape")) : n.constantInts(1));
  bool keepZeros = n.attrInt("allowzero", 0) != 0;
  const Shape given = shape;
  size_t unknown = shape.size();
  int64_t total = n.type(0).numElements();
  Shape from = n.shape(0), filled; // what -1 is found by
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !keepZeros) {
      if (i >= n.shape(0).size()) {
        return n.malformed("dim {} of the new shape copies one that {} lacks", i,
                           shapeText(n.shape(0)));
      }
      shape[i] = n.shape(0)[i];
      from[i] = shape[i] == 0 ? 1 : from[i];
    } else if (shape[i] == -1 && unknown == shape.size()) {
      unknown = i;
    } else if (shape[i] < 0) {
      return n.malformed("the new shape {} is not valid", sizesText(shape));
    }
  }
  if (unknown < shape.size()) {
    if (keepZeros && std::find(given.begin(), given.end(), 0) != given.end()) {
      return n.malformed("with allowzero the new shape {} leaves its -1 open", sizesText(given));
    }
    shape[unknown] = 1;
    for (size_t i = 0; i < shape.size(); ++i) {
      bool isLeftOut = given[i] == 0 && shape[i] == 0;
      filled.push_back(isLeftOut ? 1 : shape[i]);
    }
    ZYXC_ASSIGN(shape[unknown], openedDim(n, product(from), product(filled)));
  }
  if (!n.g.agree(product(shape), total)) {
    return n.malformed("the {} elements of {} do not fit into the new shape {}", total,
                       shapeText(n.shape(0)), sizesText(given));
  }
  return n.result(n.g.reshape(n.in(0), shape));
}

static Status transpose(OnnxNode &n) {
  std::vector<int64_t> perm(static_cast<size_t>(n.rank(0)));
  std::iota(perm.rbegin(), perm.rend(), 0);
  perm = n.attrInts("perm", perm);
  ZYXC_ASSIGN(std::vector<int64_t> sorted, n.axes(perm, n.rank(0)));
  if (sorted.size() != static_cast<size_t>(n.rank(0))) {
    return n.malformed("perm [{}] does not list {} axes", fmt::join(perm, ","), n.rank(0));
  }
  for (int64_t &axis : perm) {
    axis += axis < 0 ? n.rank(0) : 0;
  }
  return n.result(n.g.permute(n.in(0), perm));
}

static Status expand(OnnxNode &n) {
  ZYXC_ASSIGN(Shape wanted, n.constantInts(1));
  ZYXC_ASSIGN(Shape shape, n.g.broadcastShape(n.shape(0), wanted));
  return n.result(n.g.broadcast(n.in(0), shape));
}

static Status squeeze(OnnxNode &n) {
  ZYXC_ASSIGN(std::vector<int64_t> given, n.intsOf(1, "axes"));
  ZYXC_ASSIGN(std::vector<int64_t> axes, n.axes(std::move(given), n.rank(0)));
  bool all = axes.empty() && !n.has(1) && !n.hasAttr("axes");
  Shape shape;
  for (int64_t i = 0; i < n.rank(0); ++i) {
    int64_t dim = n.shape(0)[static_cast<size_t>(i)];
    if (all && dim::isSymbolic(dim)) {
      return n.unsupported("axis {} has the size {}, which may be 1: name the axes, or give {}", i,
                           dim::toString(dim), dimRemedy(dim));
    }
    bool drop = all ? dim == 1 : std::binary_search(axes.begin(), axes.end(), i);
    if (drop && !n.g.agree(dim, 1)) {
      return n.malformed("axis {} has size {}, not 1", i, dim);
    }
    if (!drop) {
      shape.push_back(dim);
    }
  }
  return n.result(n.g.reshape(n.in(0), shape));
}

static Status unsqueeze(OnnxNode &n) {
  ZYXC_ASSIGN(std::vector<int64_t> given, n.intsOf(1, "axes"));
  int64_t rank = n.rank(0) + static_cast<int64_t>(given.size());
  ZYXC_ASSIGN(std::vector<int64_t> axes, n.axes(std::move(given), rank));
  Shape shape = n.shape(0);
  for (int64_t axis : axes) {
    shape.insert(shape.begin() + axis, 1);
  }
  return n.result(n.g.reshape(n.in(0), shape));
}

static Status flatten(OnnxNode &n) {
  int64_t axis = n.attrInt("axis", 1);
  if (axis < -n.rank(0) || axis > n.rank(0)) {
    return n.malformed("axis {} is out of range for rank {}", axis, n.rank(0));
  }
  std::span<const int64_t> dims = n.shape(0);
  size_t split = static_cast<size_t>(axis < 0 ? axis + n.rank(0) : axis);
  return n.result(n.g.reshape(n.in(0), {product(dims.first(split)), product(dims.subspan(split))}));
}

static Status concat(OnnxNode &n) {
  if (n.opset >= 4 && !n.hasAttr("axis")) {
    return n.malformed("attribute 'axis' is missing");
  }
  ZYXC_ASSIGN(int64_t axis, n.axis(n.attrInt("axis", 1), n.rank(0)));
  std::vector<GraphValue> parts;
  parts.reserve(n.numInputs());
  for (size_t i = 0; i < n.numInputs(); ++i) {
    parts.push_back(n.in(i));
  }
  return n.result(n.g.concat(parts, axis));
}

static Status tile(OnnxNode &n) {
  ZYXC_ASSIGN(std::vector<int64_t> repeats, n.constantInts(1));
  ZYXC_RETURN_IF_ERROR(n.checkSmall(repeats));
  if (repeats.size() != n.shape(0).size() ||
      std::any_of(repeats.begin(), repeats.end(), [](int64_t r) { return r < 0; })) {
    return n.malformed("repeats {} do not suit shape {}", sizesText(repeats),
                       shapeText(n.shape(0)));
  }
  // [d] becomes [1, d], is repeated to [r, d] and merged to [r * d].
  Shape split, repeated, merged;
  for (size_t i = 0; i < repeats.size(); ++i) {
    int64_t dim = n.shape(0)[i];
    int64_t total = dim::mul(dim, repeats[i]);
    if (total == dim::invalid) {
      return n.malformed("repeats {} are too large", sizesText(repeats));
    }
    split.insert(split.end(), {1, dim});
    repeated.insert(repeated.end(), {repeats[i], dim});
    merged.push_back(total);
  }
  return n.result(n.g.reshape(n.g.broadcast(n.g.reshape(n.in(0), split), repeated), merged));
}

static Status identity(OnnxNode &n) {
  return n.result(n.in(0));
}

/// At inference a dropout passes its input on; the mask keeps everything.
static Status dropout(OnnxNode &n) {
  ZYXC_ASSIGN(int64_t training, n.constantInt(2, 0));
  if (training != 0) {
    double ratio = 0.5;
    if (n.has(1)) {
      ZYXC_ASSIGN(Tensor given, n.constant(1));
      ratio = given.numElements() == 1 ? given.asDouble(0) : 0.5;
    }
    if (ratio != 0) {
      return n.unsupported("training mode is not supported: export the model for inference");
    }
  }
  ZYXC_RETURN_IF_ERROR(n.result(n.in(0)));
  DType mask = n.opset < 10 ? n.type(0).dtype : DType::Bool;
  return n.numOutputs() > 1 ? n.result(n.g.splat(mask, n.shape(0), 1)) : Status::ok();
}

/// The block size, checked, with the image's dims.
static Expected<int64_t> blockSize(OnnxNode &n) {
  int64_t block = n.attrInt("blocksize", 0);
  if (block < 1 || n.rank(0) != 4) {
    return n.malformed("blocksize {} and shape {} do not fit: positive and [N,C,H,W] are needed",
                       block, shapeText(n.shape(0)));
  }
  return block;
}

/// How many times `count` goes into a dim of x, which must be a multiple of it. Where that is known
/// only at run time x is padded to a multiple by a width of 0 or less: less is refused then.
static Expected<int64_t> parts(const OnnxNode &n, GraphValue &x, size_t axis, int64_t count) {
  int64_t dim = n.g.shapeOf(x)[axis];
  if (std::optional<int64_t> quotient = dim::exactQuotient(dim, count)) {
    return *quotient;
  }
  if (!dim::isSymbolic(dim)) {
    return n.malformed("the dim {} is no multiple of {}", dim, count);
  }
  int64_t quotient = dim::floorDiv(dim, count);
  std::vector<int64_t> low(n.g.shapeOf(x).size(), 0), high = low;
  high[axis] = dim::sub(dim::mul(quotient, count), dim);
  x = n.g.pad(x, low, high, n.g.splat(n.g.dtypeOf(x), {}, 0));
  return quotient;
}

static Status depthToSpace(OnnxNode &n) {
  ZYXC_ASSIGN(int64_t block, blockSize(n));
  bool columnsFirst = n.attrString("mode", "DCR") == "DCR";
  const Shape d = n.shape(0);
  GraphValue x = n.in(0);
  ZYXC_ASSIGN(int64_t depth, parts(n, x, 1, block * block));
  Shape split = columnsFirst ? Shape{d[0], block, block, depth, d[2], d[3]}
                             : Shape{d[0], depth, block, block, d[2], d[3]};
  std::vector<int64_t> perm = columnsFirst ? std::vector<int64_t>{0, 3, 4, 1, 5, 2}
                                           : std::vector<int64_t>{0, 1, 4, 2, 5, 3};
  GraphValue moved = n.g.permute(n.g.reshape(x, split), perm);
  return n.result(n.g.reshape(moved, {d[0], depth, dim::mul(d[2], block), dim::mul(d[3], block)}));
}

static Status spaceToDepth(OnnxNode &n) {
  ZYXC_ASSIGN(int64_t block, blockSize(n));
  bool columnsFirst = n.attrString("mode", "DCR") == "DCR";
  const Shape d = n.shape(0);
  GraphValue x = n.in(0);
  ZYXC_ASSIGN(int64_t rows, parts(n, x, 2, block));
  ZYXC_ASSIGN(int64_t columns, parts(n, x, 3, block));
  GraphValue split = n.g.reshape(x, {d[0], d[1], rows, block, columns, block});
  GraphValue moved = n.g.permute(split, columnsFirst ? std::vector<int64_t>{0, 3, 5, 1, 2, 4}
                                                     : std::vector<int64_t>{0, 1, 3, 5, 2, 4});
  return n.result(n.g.reshape(moved, {d[0], dim::mul(d[1], block * block), rows, columns}));
}

static constexpr OnnxOp rows[] = {
    {"Concat", 1, newest, 1, variadic, 1, openDims, concat},
    {"DepthToSpace", 1, newest, 1, 1, 1, openDims, depthToSpace},
    {"Dropout", 1, newest, 1, 3, 2, openDims, dropout, 6},
    {"Expand", 8, newest, 2, 2, 1, openDims, expand, 2},
    {"Flatten", 1, newest, 1, 1, 1, openDims, flatten},
    {"Identity", 1, newest, 1, 1, 1, openDims, identity},
    {"Reshape", 1, 4, 1, 1, 1, openDims, reshape},
    {"Reshape", 5, newest, 2, 2, 1, openDims, reshape, 2},
    {"SpaceToDepth", 1, newest, 1, 1, 1, openDims, spaceToDepth},
    {"Squeeze", 1, newest, 1, 2, 1, openDims, squeeze, 2},
    {"Tile", 6, newest, 2, 2, 1, openDims, tile, 2},
    {"Transpose", 1, newest, 1, 1, 1, openDims, transpose},
    {"Unsqueeze", 1, newest, 1, 2, 1, openDims, unsqueeze, 2},
};

std::span<const OnnxOp> movementOps() {
  return rows;
}

} // namespace zyxc::importer
