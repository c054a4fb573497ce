#include "compiler/interp/kernel/ReferenceRoutines.h"
#include "dialects/zyx/semantics/Scalar.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace zyxc::kernelinterp {

/// The same bytes as elements of another type of their size.
static Tensor viewAs(const Tensor &port, int64_t dtype) {
  return Tensor::view({static_cast<DType>(dtype), port.shape()}, port.data(), nullptr);
}

/// The port with the type of the elements that param `at` states, if it does.
static Tensor typed(const Tensor &port, std::span<const int64_t> params, size_t at) {
  return params.size() > at ? viewAs(port, params[at]) : port;
}

/// Does element a of a row come before element b in rising order? NaN is the largest value.
static bool isLess(const Tensor &x, int64_t a, int64_t b) {
  if (x.dtype() == DType::U64) {
    return static_cast<uint64_t>(x.asInt(a)) < static_cast<uint64_t>(x.asInt(b));
  }
  if (!isFloat(x.dtype())) {
    return x.asInt(a) < x.asInt(b);
  }
  double left = x.asDouble(a);
  double right = x.asDouble(b);
  return std::isnan(right) ? !std::isnan(left) : left < right;
}

/// Stores the first elements of each row in order, and their positions; null: not wanted.
static void sortRows(const Tensor &x, bool falling, const Tensor *values, const Tensor *positions) {
  int64_t length = x.shape().back();
  int64_t kept = (values ? values : positions)->shape().back();
  size_t size = byteSize(x.dtype());
  for (int64_t row = 0; row * length < x.numElements(); ++row) {
    int64_t first = row * length;
    std::vector<int64_t> order(length);
    std::iota(order.begin(), order.end(), first);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      bool before = falling ? isLess(x, b, a) : isLess(x, a, b);
      bool after = falling ? isLess(x, a, b) : isLess(x, b, a);
      return before || (!after && a < b); // of equal elements the first one comes first
    });
    for (int64_t i = 0; i < kept; ++i) {
      if (values) {
        std::memcpy(values->mutableData() + (row * kept + i) * size, x.data() + order[i] * size,
                    size);
      }
      if (positions) {
        positions->setInt(row * kept + i, order[i] - first);
      }
    }
  }
}

static bool isFalling(std::span<const int64_t> params) {
  return !params.empty() && params[0] != 0;
}

static void sort(std::span<const Tensor> ports, std::span<const int64_t> params) {
  sortRows(typed(ports[0], params, 1), isFalling(params), &ports[1], &ports[2]);
}

static void sortValues(std::span<const Tensor> ports, std::span<const int64_t> params) {
  sortRows(typed(ports[0], params, 1), isFalling(params), &ports[1], nullptr);
}

static void argsort(std::span<const Tensor> ports, std::span<const int64_t> params) {
  sortRows(typed(ports[0], params, 1), isFalling(params), nullptr, &ports[1]);
}

static void topk(std::span<const Tensor> ports, std::span<const int64_t>) {
  sortRows(ports[0], /*falling=*/true, &ports[1], &ports[2]);
}

static void scatter(std::span<const Tensor> ports, std::span<const int64_t> params) {
  auto combine = static_cast<ScatterCombine>(params[0]);
  Tensor indices = viewAs(ports[1], params[2]);
  Tensor updates = viewAs(ports[2], params[1]);
  Tensor result = viewAs(ports[3], params[1]);
  std::memcpy(result.mutableData(), ports[0].data(), ports[0].byteSize());
  DType dtype = result.dtype();
  auto element = [&](const Tensor &tensor, int64_t at) {
    return loadScalar(dtype, tensor.data() + at * byteSize(dtype));
  };
  int64_t rows = result.shape()[0];
  int64_t length = result.shape()[1];
  for (int64_t j = 0; j < indices.numElements(); ++j) {
    int64_t row = indices.asInt(j);
    row += row < 0 && indices.dtype() != DType::U64 ? rows : 0;
    for (int64_t i = 0; row >= 0 && row < rows && i < length; ++i) {
      Scalar value = element(updates, j * length + i);
      int64_t at = row * length + i;
      if (combine != ScatterCombine::None) {
        value = evalBinary(scatterStep(combine), dtype, element(result, at), value);
      }
      storeScalar(dtype, value, result.mutableData() + at * byteSize(dtype));
    }
  }
}

ReferenceFn findReference(std::string_view name) {
  constexpr std::pair<std::string_view, ReferenceFn> table[] = {{"argsort", argsort},
                                                                {"scatter", scatter},
                                                                {"sort", sort},
                                                                {"sort_values", sortValues},
                                                                {"topk", topk}};
  for (auto [known, fn] : table) {
    if (known == name) {
      return fn;
    }
  }
  return nullptr;
}

} // namespace zyxc::kernelinterp
