#include "dialects/zyx/semantics/infer/InferFamilies.h"

namespace zyxc::infer {

static Status checkShape(const Request &request, std::span<const int64_t> shape) {
  if (!checkedNumElements(shape)) {
    return request.refuse("shape {} has a negative dim or too many elements", listText(shape));
  }
  return Status::ok();
}

static Expected<TensorType> reshape(const Request &request) {
  const TensorType &x = request.x();
  const std::vector<int64_t> &shape = request.ints("shape");
  ZYXC_RETURN_IF_ERROR(checkShape(request, shape));
  if (numElements(shape) != x.numElements()) {
    return request.refuse("{} has {} elements, shape {} has {}", toString(x),
                          dim::toString(x.numElements()), listText(shape),
                          dim::toString(numElements(shape)));
  }
  return TensorType{x.dtype, shape};
}

static Expected<TensorType> permute(const Request &request) {
  const TensorType &x = request.x();
  const std::vector<int64_t> &perm = request.ints("perm");
  if (static_cast<int64_t>(perm.size()) != x.rank() || !checkAxes(request, perm, x.rank()).isOk()) {
    return request.refuse("perm {} is not a permutation of {} axes", listText(perm), x.rank());
  }
  TensorType result{x.dtype, {}};
  for (int64_t axis : perm) {
    result.shape.push_back(x.shape[axis]);
  }
  return result;
}

static Expected<TensorType> expand(const Request &request) {
  const TensorType &x = request.x();
  const std::vector<int64_t> &shape = request.ints("shape");
  ZYXC_RETURN_IF_ERROR(checkShape(request, shape));
  bool fits = static_cast<int64_t>(shape.size()) == x.rank();
  for (size_t axis = 0; fits && axis < shape.size(); ++axis) {
    fits = x.shape[axis] == shape[axis] || x.shape[axis] == 1;
  }
  if (!fits) {
    return request.refuse("shape {} cannot be expanded to {}", listText(x.shape), listText(shape));
  }
  return TensorType{x.dtype, shape};
}

static Expected<TensorType> pad(const Request &request) {
  const TensorType &x = request.x();
  const TensorType &value = request.operands[1];
  if (value != TensorType{x.dtype, {}}) {
    return request.refuse("the value is {}, not {}", toString(value),
                          toString(TensorType{x.dtype, {}}));
  }
  ZYXC_RETURN_IF_ERROR(checkList(request, "low", x.rank(), 0));
  ZYXC_RETURN_IF_ERROR(checkList(request, "high", x.rank(), 0));
  TensorType result = x;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    int64_t added = dim::add(request.ints("low")[axis], request.ints("high")[axis]);
    result.shape[axis] = dim::add(result.shape[axis], added);
  }
  return result;
}

static Expected<TensorType> narrow(const Request &request) {
  const TensorType &x = request.x();
  ZYXC_RETURN_IF_ERROR(checkList(request, "starts", x.rank(), 0));
  ZYXC_RETURN_IF_ERROR(checkList(request, "sizes", x.rank(), 0));
  ZYXC_RETURN_IF_ERROR(checkList(request, "steps", x.rank(), 1));
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    int64_t start = request.ints("starts")[axis];
    int64_t size = request.ints("sizes")[axis];
    int64_t step = request.ints("steps")[axis];
    int64_t last = dim::add(start, dim::mul(dim::sub(size, 1), step));
    int64_t end = size == 0 ? start : dim::add(last, 1);
    // Of no elements, which a symbolic size may become, the start counts as well.
    bool startFits = !dim::isSymbolic(size) || request.assumeAtMost(start, x.shape[axis]);
    if (end == dim::invalid || !startFits || !request.assumeAtMost(end, x.shape[axis])) {
      return request.refuse("start {} with {} elements by step {} leaves axis {} of {}",
                            dim::toString(start), dim::toString(size), dim::toString(step), axis,
                            toString(x));
    }
  }
  return TensorType{x.dtype, request.ints("sizes")};
}

Expected<int64_t> windowPositions(const Request &request, int64_t extent, int64_t size,
                                  int64_t stride, int64_t dilation) {
  int64_t span = dim::add(dim::mul(dim::sub(size, 1), dilation), 1);
  // Windows of one element fit into an empty axis: there are none.
  if (span == dim::invalid || (size != 1 && !request.assumeAtMost(span, extent))) {
    return request.refuse("a window of {} elements, {} apart, exceeds the extent {}", size,
                          dilation, dim::toString(extent));
  }
  return dim::add(dim::floorDiv(dim::sub(extent, span), stride), 1);
}

static Expected<TensorType> window(const Request &request) {
  const TensorType &x = request.x();
  const std::vector<int64_t> &sizes = request.ints("sizes");
  auto count = static_cast<int64_t>(sizes.size());
  if (count > x.rank()) {
    return request.refuse("sizes {} has more entries than {} has axes", listText(sizes),
                          toString(x));
  }
  ZYXC_RETURN_IF_ERROR(checkList(request, "sizes", count, 1));
  ZYXC_RETURN_IF_ERROR(checkList(request, "strides", count, 1));
  ZYXC_RETURN_IF_ERROR(checkList(request, "dilations", count, 1));
  TensorType result = x;
  for (int64_t i = 0; i < count; ++i) {
    int64_t &extent = result.shape[x.rank() - count + i];
    ZYXC_ASSIGN(extent, windowPositions(request, extent, sizes[i], request.ints("strides")[i],
                                        request.ints("dilations")[i]));
    result.shape.push_back(sizes[i]);
  }
  return result;
}

/// A bound of the magnitude of every number met in evaluating `expr`, or -1 if it exceeds the
/// limit, a dim is unknown or a divisor is not positive.
static int64_t magnitude(const IndexExpr &expr, std::span<const int64_t> extents) {
  // Sizes without a number are below the limit once they have one.
  auto numberOf = [](int64_t size) {
    return dim::isSymbolic(size) ? int64_t(1) : size;
  };

  auto absolute = [](int64_t value) {
    return value < 0 ? -__int128(value) : __int128(value);
  };
  __int128 total = absolute(numberOf(expr.constant()));
  for (const IndexExpr::Term &term : expr.terms()) {
    int64_t atom = 0;
    if (term.atom.kind == IndexAtom::Kind::Dim) {
      if (term.atom.value < 0 || term.atom.value >= static_cast<int64_t>(extents.size())) {
        return -1;
      }
      atom = numberOf(extents[term.atom.value]);
    } else {
      atom =
          term.atom.value > 0 && term.atom.argument ? magnitude(*term.atom.argument, extents) : -1;
    }
    if (atom < 0 || total > attributeLimit) {
      return -1;
    }
    total += absolute(numberOf(term.coefficient)) * atom;
  }
  return total > attributeLimit ? -1 : static_cast<int64_t>(total);
}

/// Evaluates `expr` at every coordinate of the dims that it uses, where these are few.
static bool staysWithin(const IndexExpr &expr, std::span<const int64_t> extents, int64_t bound) {
  constexpr int64_t mostCoordinates = 1 << 16;
  Shape used(extents.begin(), extents.end());
  for (size_t dim = 0; dim < used.size(); ++dim) {
    used[dim] = expr.uses(static_cast<int64_t>(dim)) ? used[dim] : 1;
  }
  std::optional<int64_t> count = checkedNumElements(used);
  if (!count || *count > mostCoordinates || dim::isSymbolic(bound) || expr.hasSymbolicSizes()) {
    return false;
  }
  std::vector<int64_t> at(used.size(), 0);
  for (int64_t n = 0; n < *count; ++n) {
    int64_t value = expr.evaluate(at);
    if (value < 0 || value >= bound) {
      return false;
    }
    for (size_t i = used.size(); i-- > 0 && ++at[i] == used[i];) {
      at[i] = 0;
    }
  }
  return true;
}

static Expected<TensorType> view(const Request &request) {
  const TensorType &x = request.x();
  const IndexMap &map = request.attrs.getMap("map");
  const std::vector<int64_t> &shape = request.ints("shape");
  ZYXC_RETURN_IF_ERROR(checkShape(request, shape));
  if (map.numDims != static_cast<int64_t>(shape.size()) ||
      static_cast<int64_t>(map.results.size()) != x.rank()) {
    return request.refuse("a map of {} dims and {} results does not lead from {} axes to {}",
                          map.numDims, map.results.size(), shape.size(), toString(x));
  }
  int64_t count = numElements(shape);
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    const IndexExpr &expr = map.results[axis];
    if (magnitude(expr, shape) < 0) {
      return request.refuse("map result {} is malformed: {}", axis, expr.toString());
    }
    auto [low, high] = expr.range(shape);
    bool isSymbolic =
        dim::anySymbolic(shape) || dim::isSymbolic(x.shape[axis]) || expr.hasSymbolicSizes();
    int64_t last = dim::sub(x.shape[axis], 1);
    bool inside = isSymbolic ? request.assumeAtMostUnlessEmpty(0, low, count) &&
                                   request.assumeAtMostUnlessEmpty(high, last, count)
                             : low >= 0 && high <= last;
    if (count != 0 && !inside && !staysWithin(expr, shape, x.shape[axis])) {
      return request.refuse("map result {} can leave axis {} of {} over shape {}", expr.toString(),
                            axis, toString(x), listText(shape));
    }
  }
  return TensorType{x.dtype, shape};
}

Expected<TensorType> movement(const Request &request) {
  const TensorType &x = request.x();
  switch (request.kind) {
  case OpKind::Reshape: return reshape(request);
  case OpKind::Permute: return permute(request);
  case OpKind::Expand: return expand(request);
  case OpKind::Pad: return pad(request);
  case OpKind::Narrow: return narrow(request);
  case OpKind::Window: return window(request);
  case OpKind::View: return view(request);
  case OpKind::Flip:
    ZYXC_RETURN_IF_ERROR(checkAxes(request, request.ints("axes"), x.rank()));
    return x;
  default: return request.refuse("is not a movement op");
  }
}

} // namespace zyxc::infer
