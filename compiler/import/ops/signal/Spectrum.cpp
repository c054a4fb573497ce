// Discrete Fourier transforms, as products with matrices of cosines and sines: DFT and STFT.
#include "compiler/import/node/OnnxOp.h"
#include <array>
#include <cmath>
#include <numeric>

namespace zyxc::importer {

/// Elements of a matrix of cosines: a transform of 4096 points.
static constexpr int64_t mostElements = int64_t(1) << 24;

namespace {

/// A complex signal; the imaginary part may be 0 throughout.
struct Complex {
  GraphValue real;
  std::optional<GraphValue> imaginary;
};

/// cos and sin of 2 pi k n / length: [points, bins].
struct Waves {
  GraphValue cosines, sines;
};

} // namespace

/// `weight` of each point scales its row.
template <class Weight>
static Expected<Waves> waves(OnnxNode &n, DType dtype, int64_t points, int64_t bins, int64_t length,
                             Weight weight) {
  if (points < 1 || bins < 1 || length < 1 || points > mostElements / bins) {
    return n.unsupported("a Fourier transform of {} points to {}: 1 to 4096 are supported", points,
                         bins);
  }
  Tensor cosines = Tensor::allocate({dtype, {points, bins}});
  Tensor sines = Tensor::allocate({dtype, {points, bins}});
  for (int64_t i = 0; i < points; ++i) {
    for (int64_t k = 0; k < bins; ++k) {
      double angle = 2 * M_PI * static_cast<double>(i * k % length) / static_cast<double>(length);
      cosines.setDouble(i * bins + k, weight(i) * std::cos(angle));
      sines.setDouble(i * bins + k, weight(i) * std::sin(angle));
    }
  }
  return Waves{n.g.constant(cosines), n.g.constant(sines)};
}

/// The last axis holds 1 part or 2.
static Expected<Complex> complexOf(OnnxNode &n, GraphValue x) {
  const Shape &shape = n.g.shapeOf(x);
  if (shape.size() < 2 || (shape.back() != 1 && shape.back() != 2)) {
    return n.malformed("a signal [..,1] or [..,2] is needed, not {}", shapeText(shape));
  }
  auto last = static_cast<int64_t>(shape.size()) - 1;
  Complex result{n.g.entry(x, last, 0), {}};
  if (n.g.shapeOf(x).back() == 2) {
    result.imaginary = n.g.entry(x, last, 1);
  }
  return result;
}

/// sum of x[n] e^(-2 pi i k n / length) over the last axis, for `bins` values of k.
static Expected<Complex> forward(OnnxNode &n, const Complex &x, int64_t bins) {
  GraphWriter &g = n.g;
  int64_t length = g.shapeOf(x.real).back();
  ZYXC_ASSIGN(Waves w,
              waves(n, g.dtypeOf(x.real), length, bins, length, [](int64_t) { return 1; }));
  Complex y{g.matmul(x.real, w.cosines), g.op(OpKind::Neg, {g.matmul(x.real, w.sines)})};
  if (x.imaginary) {
    y.real = g.add(y.real, g.matmul(*x.imaginary, w.sines));
    y.imaginary = g.add(*y.imaginary, g.matmul(*x.imaginary, w.cosines));
  }
  return y;
}

/// The inverse, for as many points as bins.
static Expected<Complex> inverse(OnnxNode &n, const Complex &x) {
  GraphWriter &g = n.g;
  int64_t length = g.shapeOf(x.real).back();
  double scale = 1.0 / static_cast<double>(length);
  ZYXC_ASSIGN(Waves w,
              waves(n, g.dtypeOf(x.real), length, length, length, [&](int64_t) { return scale; }));
  Complex y{g.matmul(x.real, w.cosines), g.matmul(x.real, w.sines)};
  if (x.imaginary) {
    y.real = g.sub(y.real, g.matmul(*x.imaginary, w.sines));
    y.imaginary = g.add(*y.imaginary, g.matmul(*x.imaginary, w.cosines));
  }
  return y;
}

/// The real signal of `length` points whose lower half of bins is x: all but the first and the
/// middle one stand for two.
static Expected<Complex> realInverse(OnnxNode &n, const Complex &x, int64_t length) {
  GraphWriter &g = n.g;
  int64_t bins = g.shapeOf(x.real).back();
  auto weight = [&](int64_t k) {
    return (k == 0 || 2 * k == length ? 1.0 : 2.0) / static_cast<double>(length);
  };
  ZYXC_ASSIGN(Waves w, waves(n, g.dtypeOf(x.real), bins, length, length, weight));
  GraphValue y = g.matmul(x.real, w.cosines);
  return Complex{x.imaginary ? g.sub(y, g.matmul(*x.imaginary, w.sines)) : y, {}};
}

/// x with its last axis cut or filled with zeros to a length.
static GraphValue fitted(GraphWriter &g, GraphValue x, int64_t length) {
  size_t rank = g.shapeOf(x).size();
  int64_t have = g.shapeOf(x).back();
  if (have > length) {
    return g.slice(x, static_cast<int64_t>(rank) - 1, 0, length);
  }
  Shape low(rank, 0), high(rank, 0);
  high.back() = length - have;
  return g.pad(x, low, high, g.splat(g.dtypeOf(x), {}, 0));
}

static GraphValue joined(GraphWriter &g, const Complex &x, int64_t rank) {
  return x.imaginary ? g.stack(std::array{x.real, *x.imaginary}, rank)
                     : g.stack(std::array{x.real}, rank);
}

/// The axis as the last one, or back at its place.
static std::vector<int64_t> swapped(int64_t axis, int64_t rank) {
  std::vector<int64_t> perm(static_cast<size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[static_cast<size_t>(axis)], perm.back());
  return perm;
}

static Status dft(OnnxNode &n) {
  GraphWriter &g = n.g;
  int64_t axis = n.opset < 20 ? n.attrInt("axis", 1) : -2;
  if (n.opset >= 20) {
    ZYXC_ASSIGN(axis, n.constantInt(2, -2));
  }
  ZYXC_ASSIGN(axis, n.axis(axis, n.rank(0)));
  int64_t rank = n.rank(0) - 1; // of the signal
  if (axis == rank) {
    return n.malformed("axis {} is that of the real and imaginary parts", axis);
  }
  bool onesided = n.attrInt("onesided", 0) != 0, back = n.attrInt("inverse", 0) != 0;
  ZYXC_ASSIGN(Complex x, complexOf(n, n.in(0)));
  int64_t have = n.shape(0)[static_cast<size_t>(axis)];
  ZYXC_ASSIGN(int64_t length, n.constantInt(1, onesided && back ? 2 * (have - 1) : have));
  if (length < 1 || length > mostElements) {
    return n.malformed("dft_length {} must be positive", length);
  }
  int64_t bins = onesided ? length / 2 + 1 : length;
  std::vector<int64_t> perm = swapped(axis, rank);
  auto prepared = [&](GraphValue part) {
    return fitted(g, g.permute(part, perm), back ? bins : length);
  };
  x.real = prepared(x.real);
  if (x.imaginary) {
    x.imaginary = prepared(*x.imaginary);
  }
  ZYXC_ASSIGN(Complex y,
              back ? (onesided ? realInverse(n, x, length) : inverse(n, x)) : forward(n, x, bins));
  y.real = g.permute(y.real, perm);
  if (y.imaginary) {
    y.imaginary = g.permute(*y.imaginary, perm);
  }
  return n.result(joined(g, y, rank));
}

/// Windows of the signal [B,N,parts], each `step` after the one before: [B,frames,length].
static Status stft(OnnxNode &n) {
  GraphWriter &g = n.g;
  if (n.rank(0) != 3 || (n.has(2) && n.rank(2) != 1)) {
    return n.malformed("a signal [B,N,1 or 2] and a window of one axis are needed");
  }
  int64_t total = n.shape(0)[1];
  ZYXC_ASSIGN(int64_t step, n.constantInt(1, 0));
  ZYXC_ASSIGN(int64_t length, n.constantInt(3, n.has(2) ? n.shape(2)[0] : total));
  if (step < 1 || length < 1 || length > total || (n.has(2) && n.shape(2)[0] != length)) {
    return n.malformed("frames of {} every {} do not suit a signal of {}", length, step, total);
  }
  int64_t frames = (total - length) / step + 1;
  bool onesided = n.attrInt("onesided", 1) != 0;
  ZYXC_ASSIGN(Complex x, complexOf(n, n.in(0)));
  if (x.imaginary && onesided) {
    return n.malformed("a complex signal has no one-sided spectrum");
  }
  GraphValue position = g.add(g.mul(g.iota({frames, length}, 0), static_cast<double>(step)),
                              g.iota({frames, length}, 1));
  auto framed = [&](GraphValue part) {
    GraphValue values = g.gather(part, position, 1);
    return n.has(2) ? g.mul(values, g.cast(n.in(2), g.dtypeOf(values))) : values;
  };
  x.real = framed(x.real);
  if (x.imaginary) {
    x.imaginary = framed(*x.imaginary);
  }
  ZYXC_ASSIGN(Complex y, forward(n, x, onesided ? length / 2 + 1 : length));
  return n.result(joined(g, y, 3));
}

static constexpr OnnxOp rows[] = {
    {"DFT", 17, newest, 1, 3, 1, fixedDims, dft, 2 | 4},
    {"STFT", 17, newest, 2, 4, 1, fixedDims, stft, 2 | 8},
};

std::span<const OnnxOp> spectrumOps() {
  return rows;
}

} // namespace zyxc::importer
