#include "compiler/interp/kernel/ReferenceRoutines.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace zyxc::kernelinterp {

/// Does element a of a row come before element b in rising order? NaN is the largest value.
static bool isLess(const Tensor &x, int64_t a, int64_t b) {
  if (!isFloat(x.dtype())) {
    return x.asInt(a) < x.asInt(b);
  }
  double left = x.asDouble(a);
  double right = x.asDouble(b);
  return std::isnan(right) ? !std::isnan(left) : left < right;
}

/// Stores the first elements of each row in order, and their positions.
static void sortRows(std::span<const Tensor> ports, bool falling) {
  const Tensor &x = ports[0];
  int64_t length = x.shape().back();
  int64_t kept = ports[1].shape().back();
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
      if (isFloat(x.dtype())) {
        ports[1].setDouble(row * kept + i, x.asDouble(order[i]));
      } else {
        ports[1].setInt(row * kept + i, x.asInt(order[i]));
      }
      ports[2].setInt(row * kept + i, order[i] - first);
    }
  }
}

static void sort(std::span<const Tensor> ports, std::span<const int64_t> params) {
  sortRows(ports, !params.empty() && params[0] != 0);
}

static void topk(std::span<const Tensor> ports, std::span<const int64_t>) {
  sortRows(ports, /*falling=*/true);
}

ReferenceFn findReference(std::string_view name) {
  constexpr std::pair<std::string_view, ReferenceFn> table[] = {{"sort", sort}, {"topk", topk}};
  for (auto [known, fn] : table) {
    if (known == name) {
      return fn;
    }
  }
  return nullptr;
}

} // namespace zyxc::kernelinterp
