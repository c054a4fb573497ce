#include "compiler/interp/Elements.h"
#include "compiler/interp/Families.h"
#include "compiler/interp/Products.h"
#include "compiler/interp/Windows.h"
#include "dialects/zyx/semantics/DecomposeFamilies.h"
#include "dialects/zyx/semantics/ScalarFunctions.h"

namespace zyxc::interp {

static std::span<const int64_t> spatial(const Shape &shape) {
  return std::span(shape).subspan(2);
}

/// Copies the sums at the windows' flat positions, one after the other.
template <class Sum>
static void compactRow(const Windows &windows, const Sum *sums, std::vector<Sum> &row) {
  const std::vector<int64_t> &flat = windows.flat();
  row.resize(flat.size());
  for (size_t p = 0; p < flat.size(); ++p) {
    row[p] = sums[flat[p]];
  }
}

template <class Data, class Sum>
static Tensor convTyped(const Attrs &attrs, const Tensor &x, const Tensor &w,
                        const TensorType &type) {
  Tensor result = Tensor::allocate(type);
  ElementsAs<Data> image(x);
  ElementsAs<Data> weights(w);
  Windows windows(attrs, spatial(w.shape()), spatial(x.shape()), spatial(type.shape));
  int64_t groups = attrs.getInt("groups");
  int64_t channels = w.shape()[1];
  int64_t outputs = w.shape()[0] / groups;
  int64_t plane = numElements(spatial(x.shape()));
  int64_t positions = numElements(spatial(type.shape));
  // The taps of all channels of a group; their images lie one after the other.
  std::vector<int64_t> taps;
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t tap : windows.taps()) {
      taps.push_back(c * windows.imageSize() + tap);
    }
  }
  auto depth = static_cast<int64_t>(taps.size());
  std::vector<Data> images(channels * windows.imageSize());
  std::vector<Sum> sums(outputs * windows.flatCount());
  std::vector<Sum> row;
  for (int64_t n = 0; n < x.shape()[0] * groups; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      windows.makeImages(image.data() + (n * channels + c) * plane, Data(0),
                         images.data() + c * windows.imageSize());
    }
    const Data *groupWeights = weights.data() + n % groups * outputs * depth;
    sumTapsOfRows(outputs, groupWeights, depth, std::span<const int64_t>(taps), images.data(),
                  windows.flatCount(), sums.data());
    for (int64_t o = 0; o < outputs; ++o) {
      compactRow(windows, sums.data() + o * windows.flatCount(), row);
      storeSums(result, (n * outputs + o) * positions, positions, row.data(),
                accumulatorOf(type.dtype));
    }
  }
  return result;
}

Tensor conv(const Attrs &attrs, Operands operands, const TensorType &type) {
  if (type.numElements() == 0) {
    return Tensor::allocate(type);
  }
  return withProductTypes(type.dtype, [&]<class Data, class Sum>(Data *, Sum *) {
    return convTyped<Data, Sum>(attrs, operands[0], operands[1], type);
  });
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
      if constexpr (std::is_same_v<T, double>) {
        elements[i] = loaded[i].f;
      } else {
        elements[i] = static_cast<T>(loaded[i].i);
      }
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
  Scalar lowest = reduceIdentity(OpKind::ReduceMax, dtype);
  auto run = [&]<class T>(T outside, auto step) {
    reducePlanes(windows, x, outside, step, [&](int64_t n, const T *values) {
      for (int64_t p = 0; p < positions; ++p) {
        Scalar value;
        if constexpr (std::is_same_v<T, double>) {
          value.f = values[windows.flat()[p]];
        } else {
          value.i = static_cast<int64_t>(values[windows.flat()[p]]);
        }
        storeBlock(result, n * positions + p, 1, &value);
      }
    });
  };
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
  std::vector<double> row;
  reducePlanes(
      windows, x, 0.0, [](double a, double b) { return a + b; },
      [&](int64_t n, const double *values) {
        compactRow(windows, values, row);
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
