#include "dialects/zyx/semantics/Infer.h"
#include "runtime/core/Dim.h"
#include <algorithm>
#include <cassert>

namespace zyxc {

static std::vector<IndexExpr> windowResults(const Attrs &attrs, int64_t rank) {
  const std::vector<int64_t> &strides = attrs.getInts("strides");
  const std::vector<int64_t> &dilations = attrs.getInts("dilations");
  std::vector<IndexExpr> results = IndexMap::identity(rank).results;
  int64_t first = rank - static_cast<int64_t>(strides.size());
  for (size_t i = 0; i < strides.size(); ++i) {
    auto number = static_cast<int64_t>(i);
    results[first + number] =
        IndexExpr::dim(first + number) * strides[i] + IndexExpr::dim(rank + number) * dilations[i];
  }
  return results;
}

static std::vector<IndexExpr> plainResults(OpKind kind, const Attrs &attrs,
                                           const TensorType &operand) {
  int64_t rank = operand.rank();
  std::vector<IndexExpr> results = IndexMap::identity(rank).results;
  switch (kind) {
  case OpKind::Expand: break;
  case OpKind::Permute:
    for (int64_t axis = 0; axis < rank; ++axis) {
      results[attrs.getInts("perm")[axis]] = IndexExpr::dim(axis);
    }
    break;
  case OpKind::Narrow:
    for (int64_t axis = 0; axis < rank; ++axis) {
      results[axis] = IndexExpr::dim(axis) * attrs.getInts("steps")[axis] +
                      IndexExpr(attrs.getInts("starts")[axis]);
    }
    break;
  case OpKind::Flip:
    for (int64_t axis : attrs.getInts("axes")) {
      results[axis] = IndexExpr(dim::sub(operand.shape[axis], 1)) - IndexExpr::dim(axis);
    }
    break;
  case OpKind::Window: results = windowResults(attrs, rank); break;
  case OpKind::View: results = attrs.getMap("map").results; break;
  default: assert(false && "movementMap takes a movement op other than pad");
  }
  return results;
}

IndexMap movementMap(OpKind kind, const Attrs &attrs, const TensorType &operand,
                     const TensorType &result) {
  if (kind == OpKind::Reshape) {
    return reshapeMap(operand.shape, result.shape);
  }
  // The canonical form: 0 for an operand axis of extent 1, no dim of extent 1 anywhere.
  std::vector<IndexExpr> dims = IndexMap::identity(result.rank()).results;
  for (int64_t axis = 0; axis < result.rank(); ++axis) {
    if (result.shape[axis] <= 1) {
      dims[axis] = IndexExpr(0);
    }
  }
  IndexMap map;
  map.numDims = result.rank();
  map.results = plainResults(kind, attrs, operand);
  bool empty = numElements(result.shape) == 0; // no coordinate exists: any map will do
  for (int64_t axis = 0; axis < operand.rank(); ++axis) {
    IndexExpr &expr = map.results[axis];
    expr = operand.shape[axis] <= 1 || empty ? IndexExpr(0) : substitute(expr, dims, result.shape);
  }
  return map;
}

} // namespace zyxc
