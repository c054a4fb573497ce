// Tables for signal processing: window functions and filters of the mel scale. Their sizes are
// known, so they are constants.
#include "compiler/import/node/OnnxOp.h"
#include <algorithm>
#include <cmath>

namespace zyxc::importer {

static constexpr int64_t maxSize = int64_t(1) << 24;

/// a0 - a1 cos(x) + a2 cos(2 x), for x from 0 to 2 pi.
static Status cosineWindow(OnnxNode &n, double a0, double a1, double a2) {
  ZYXC_ASSIGN(int64_t size, n.constantInt(0, 0));
  ZYXC_ASSIGN(DType dtype, n.attrDType("output_datatype", DType::F32));
  if (size < 0 || size > maxSize) {
    return n.malformed("a window of {} elements", size);
  }
  int64_t period = n.attrInt("periodic", 1) != 0 ? size : size - 1;
  Tensor window = Tensor::allocate({dtype, {size}});
  for (int64_t i = 0; i < size; ++i) {
    double x =
        2 * M_PI * static_cast<double>(i) / static_cast<double>(std::max<int64_t>(period, 1));
    window.setDouble(i, size == 1 ? 1 : a0 - a1 * std::cos(x) + a2 * std::cos(2 * x));
  }
  return n.result(n.g.constant(window));
}

static Status hann(OnnxNode &n) {
  return cosineWindow(n, 0.5, 0.5, 0);
}
static Status hamming(OnnxNode &n) {
  return cosineWindow(n, 25.0 / 46, 21.0 / 46, 0);
}
static Status blackman(OnnxNode &n) {
  return cosineWindow(n, 0.42, 0.5, 0.08);
}

/// Triangles between neighbouring steps of the mel scale, by the formulas of the ONNX
/// specification: [bins of the spectrum, filters].
static Status melWeightMatrix(OnnxNode &n) {
  double numbers[5];
  for (size_t i = 0; i < 5; ++i) {
    ZYXC_ASSIGN(Tensor value, n.constant(i));
    if (value.numElements() != 1) {
      return n.malformed("input {} must be one number, not {}", i, toString(value.type()));
    }
    numbers[i] = value.asDouble(0);
  }
  auto [filterCount, length, rate, lowest, highest] = numbers;
  ZYXC_ASSIGN(DType dtype, n.attrDType("output_datatype", DType::F32));
  if (!(filterCount >= 1 && length >= 1 && rate >= 1 && lowest >= 0 && highest > lowest) ||
      !((length / 2 + 1) * filterCount <= static_cast<double>(maxSize))) {
    return n.malformed("{} filters from {} to {} Hz of {} points at {} Hz", filterCount, lowest,
                       highest, length, rate);
  }
  auto filters = static_cast<int64_t>(filterCount);
  int64_t bins = static_cast<int64_t>(length) / 2 + 1;
  auto mel = [](double hertz) {
    return 2595 * std::log10(1 + hertz / 700);
  };
  double step = (mel(highest) - mel(lowest)) / static_cast<double>(filters + 2);
  auto edge = [&](int64_t i) {
    double hertz = 700 * (std::pow(10, (static_cast<double>(i) * step + mel(lowest)) / 2595) - 1);
    double bin = std::floor((length + 1) * hertz / rate);
    return std::clamp<int64_t>(static_cast<int64_t>(std::min(bin, 0x1p40)), 0, bins);
  };
  Tensor matrix = Tensor::zeros({dtype, {bins, filters}});
  for (int64_t i = 0; i < filters; ++i) {
    int64_t low = edge(i), center = edge(i + 1), high = edge(i + 2);
    auto set = [&](int64_t bin, double value) {
      if (bin < bins) {
        matrix.setDouble(bin * filters + i, value);
      }
    };
    for (int64_t k = low; k <= center; ++k) {
      set(k, low == center ? 1 : static_cast<double>(k - low) / static_cast<double>(center - low));
    }
    for (int64_t k = center; k < high; ++k) {
      set(k, static_cast<double>(high - k) / static_cast<double>(high - center));
    }
  }
  return n.result(n.g.constant(matrix));
}

static constexpr OnnxOp rows[] = {
    {"BlackmanWindow", 17, newest, 1, 1, 1, fixedDims, blackman, 1},
    {"HammingWindow", 17, newest, 1, 1, 1, fixedDims, hamming, 1},
    {"HannWindow", 17, newest, 1, 1, 1, fixedDims, hann, 1},
    {"MelWeightMatrix", 17, newest, 5, 5, 1, fixedDims, melWeightMatrix, 31},
};

std::span<const OnnxOp> windowFunctionOps() {
  return rows;
}

} // namespace zyxc::importer
