#include "compiler/interp/Elements.h"
#include "compiler/interp/Families.h"
#include "compiler/interp/Windows.h"
#include "dialects/zyx/semantics/DecomposeFamilies.h"
#include "dialects/zyx/semantics/ScalarFunctions.h"

namespace zyxc::interp {

template <class T> static T fromScalar(Scalar value) {
  return std::is_same_v<T, double> ? static_cast<T>(value.f) : static_cast<T>(value.i);
}

static Scalar toScalar(double value) {
  return {.f = value};
}
static Scalar toScalar(int64_t value) {
  return {.i = value};
}
static Scalar toScalar(uint64_t value) {
  return {.i = static_cast<int64_t>(value)};
}

/// Reduces the windows of every plane by `step`; T is double, int64_t or uint64_t.
template <class T, class Step, class Finish>
static void reducePlanes(const Windows &windows, const Tensor &x, T outside, Step step,
                         Finish finish) {
  int64_t plane = numElements(spatial(x.shape()));
  std::vector<T> elements(plane);
  std::vector<Scalar> loaded(plane);
  std::vector<T> images(windows.imageSize());
  std::vector<T> values(windows.flatCount());
  for (int64_t n = 0; n < x.shape()[0] * x.shape()[1]; ++n) {
    loadBlock(x, n * plane, plane, loaded.data());
    for (int64_t i = 0; i < plane; ++i) {
      elements[i] = fromScalar<T>(loaded[i]);
    }
    windows.makeImages(elements.data(), outside, images.data());
    std::fill(values.begin(), values.end(), outside);
    for (int64_t tap : windows.taps()) {
      for (size_t q = 0; q < values.size(); ++q) {
        values[q] = step(values[q], images[tap + q]);
      }
    }
    finish(n, values.data());
  }
}

static Tensor maxPool(const Windows &windows, const Tensor &x, const TensorType &type) {
  Tensor result = Tensor::allocate(type);
  DType dtype = type.dtype;
  auto positions = static_cast<int64_t>(windows.flat().size());
  std::vector<Scalar> row(positions);
  auto run = [&]<class T>(T outside, auto step) {
    std::vector<T> picked(positions);
    reducePlanes(windows, x, outside, step, [&](int64_t n, const T *values) {
      windows.pickPositions(values, picked.data());
      for (int64_t p = 0; p < positions; ++p) {
        row[p] = toScalar(picked[p]);
      }
      storeBlock(result, n * positions, positions, row.data());
    });
  };
  Scalar lowest = reduceIdentity(OpKind::ReduceMax, dtype);
  if (isFloat(dtype)) {
    run(lowest.f, scalar::maxOf);
  } else if (isSigned(dtype)) {
    run(lowest.i, [](int64_t a, int64_t b) { return std::max(a, b); });
  } else {
    run(uint64_t{0}, [](uint64_t a, uint64_t b) { return std::max(a, b); });
  }
  return result;
}

static Tensor avgPool(const Attrs &attrs, const Windows &windows, const Tensor &x,
                      const TensorType &type) {
  Tensor result = Tensor::allocate(type);
  Tensor counts = decomposition::averageCounts(x.type(), type, attrs);
  auto positions = static_cast<int64_t>(windows.flat().size());
  std::vector<double> row(positions);
  reducePlanes(
      windows, x, 0.0, [](double a, double b) { return a + b; },
      [&](int64_t n, const double *values) {
        windows.pickPositions(values, row.data());
        for (int64_t p = 0; p < positions; ++p) {
          row[p] /= counts.asDouble(p);
        }
        storeSums(result, n * positions, positions, row.data(), accumulatorOf(type.dtype));
      });
  return result;
}

Tensor pool(OpKind kind, const Attrs &attrs, const Tensor &x, const TensorType &type) {
  if (type.numElements() == 0) {
    return Tensor::allocate(type);
  }
  Windows windows(attrs, attrs.getInts("sizes"), spatial(x.shape()), spatial(type.shape));
  return kind == OpKind::MaxPool ? maxPool(windows, x, type) : avgPool(attrs, windows, x, type);
}

} // namespace zyxc::interp
