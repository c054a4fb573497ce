// Composites: direct evaluation against the decomposition, and contractions against plain sums.
#include "compiler/interp/EvaluatingBuilder.h"
#include "compiler/interp/Interp.h"
#include <catch2/catch.hpp>
#include <chrono>
#include <iostream>
#include <numeric>
#include <random>

using namespace zyxc;
using Ints = std::vector<int64_t>;

static std::mt19937_64 &generator() {
  static std::mt19937_64 random(9);
  return random;
}

static int64_t pick(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(generator()() % (high - low + 1));
}

static Tensor randomTensor(DType dtype, Shape shape) {
  Tensor tensor = Tensor::allocate({dtype, std::move(shape)});
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    tensor.setDouble(i, isFloat(dtype) ? static_cast<double>(pick(-1000, 1000)) / 500
                                       : static_cast<double>(pick(0, 100)));
  }
  return tensor;
}

static Ints numbers(size_t count, int64_t low, int64_t high) {
  Ints list(count);
  for (int64_t &entry : list) {
    entry = pick(low, high);
  }
  return list;
}

/// Equal up to a few roundings of `terms` summed values, each of at most 4.
static void requireClose(const Tensor &a, const Tensor &b, int64_t terms = 1) {
  REQUIRE(toString(a.type()) == toString(b.type()));
  double rounding = isFloat(a.dtype()) ? 4 * std::ldexp(1.0, -info(a.dtype()).mantissaBits) : 0;
  for (int64_t i = 0; i < a.numElements(); ++i) {
    double x = a.asDouble(i);
    double y = b.asDouble(i);
    double bound = rounding * std::max(static_cast<double>(terms), std::fabs(x));
    INFO("element " << i << ": " << x << " and " << y);
    REQUIRE((x == y || std::fabs(x - y) <= bound));
  }
}

/// Evaluates the op and its decomposition; the types are equal and the values close.
static Tensor checkDecomposition(OpKind kind, const Attrs &attrs, std::vector<Tensor> operands,
                                 int64_t terms = 1) {
  interp::EvaluatingBuilder builder;
  std::vector<GraphValue> inputs;
  inputs.reserve(operands.size());
  for (const Tensor &operand : operands) {
    inputs.push_back(builder.input(operand));
  }
  INFO(name(kind) << " " << attrs.toString() << " on " << toString(operands[0].type()));
  Expected<Tensor> direct = interp::evaluate(kind, attrs, operands);
  INFO((direct ? "" : direct.error().message()));
  REQUIRE(static_cast<bool>(direct));
  GraphValue composed = decompose(builder, kind, inputs, attrs);
  INFO(builder.status().message());
  REQUIRE(builder.status().isOk());
  requireClose(*direct, builder.valueOf(composed), terms);
  return *direct;
}

static DType anyDType(int round) {
  constexpr DType dtypes[] = {DType::F32, DType::F64, DType::F16, DType::I32,
                              DType::I8,  DType::U8,  DType::BF16};
  return dtypes[round % std::size(dtypes)];
}

/// Random geometry of a window op whose windows fit.
static Attrs windowAttrs(const Shape &x, const Ints &sizes) {
  size_t rank = sizes.size();
  Ints strides = numbers(rank, 1, 3);
  Ints dilations = numbers(rank, 1, 2);
  Ints low = numbers(rank, 0, 2);
  Ints high = numbers(rank, 0, 2);
  for (size_t i = 0; i < rank; ++i) {
    int64_t missing = (sizes[i] - 1) * dilations[i] + 1 - (x[i + 2] + low[i] + high[i]);
    high[i] += std::max<int64_t>(missing, 0);
  }
  return {{"strides", strides}, {"dilations", dilations}, {"low", low}, {"high", high}};
}

/// A convolution element by element, in double.
static Tensor naiveConv(const Tensor &x, const Tensor &w, const Attrs &attrs, const Shape &shape) {
  Tensor result = Tensor::allocate({DType::F64, shape});
  auto spatial = static_cast<int64_t>(shape.size()) - 2;
  int64_t groups = attrs.getInt("groups");
  Shape xStrides = rowMajorStrides(x.shape());
  Shape kernel(w.shape().begin() + 1, w.shape().end()); // [C/groups, K1..Kk]
  for (int64_t i = 0; i < result.numElements(); ++i) {
    Shape strides = rowMajorStrides(shape);
    int64_t o = i / strides[1] % shape[1];
    int64_t group = o / (shape[1] / groups);
    double sum = 0;
    for (int64_t k = 0; k < numElements(kernel); ++k) {
      Shape kernelStrides = rowMajorStrides(kernel);
      int64_t channel = group * kernel[0] + k / kernelStrides[0];
      int64_t offset = i / strides[0] * xStrides[0] + channel * xStrides[1];
      bool inside = true;
      for (int64_t axis = 0; axis < spatial; ++axis) {
        int64_t at =
            i / strides[axis + 2] % shape[axis + 2] * attrs.getInts("strides")[axis] +
            k / kernelStrides[axis + 1] % kernel[axis + 1] * attrs.getInts("dilations")[axis] -
            attrs.getInts("low")[axis];
        inside = inside && at >= 0 && at < x.shape()[axis + 2];
        offset += at * xStrides[axis + 2];
      }
      sum += inside ? x.asDouble(offset) * w.asDouble(o * numElements(kernel) + k) : 0;
    }
    result.setDouble(i, sum);
  }
  return result;
}

TEST_CASE("convolution equals its decomposition and the plain sum", "[composite]") {
  for (int round = 0; round < 120; ++round) {
    auto spatial = static_cast<size_t>(pick(1, 3));
    int64_t groups = pick(1, 3);
    int64_t channels = pick(1, 3);
    Shape x = {pick(1, 2), groups * channels};
    Shape w = {groups * pick(1, 5), channels};
    Ints sizes = numbers(spatial, 1, 3);
    for (size_t i = 0; i < spatial; ++i) {
      x.push_back(pick(1, 7));
      w.push_back(sizes[i]);
    }
    Attrs attrs = windowAttrs(x, sizes);
    attrs.set("groups", groups);
    DType dtype = anyDType(round);
    Tensor image = randomTensor(dtype, x);
    Tensor filter = randomTensor(dtype, w);
    int64_t terms = filter.numElements() / w[0];
    Tensor result = checkDecomposition(OpKind::Conv, attrs, {image, filter}, terms);
    Tensor plain = naiveConv(image, filter, attrs, result.shape());
    Attrs toResult = {{"dtype", dtype}};
    if (!isFloat(dtype)) { // exact in double; the result wraps
      plain = *interp::evaluate(OpKind::Cast, {{"dtype", DType::I64}}, std::vector{plain});
    }
    requireClose(result, *interp::evaluate(OpKind::Cast, toResult, std::vector{plain}), terms);
  }
}

TEST_CASE("pools equal their decompositions", "[composite]") {
  for (int round = 0; round < 120; ++round) {
    auto spatial = static_cast<size_t>(pick(1, 3));
    Shape x = {pick(1, 2), pick(1, 3)};
    Ints sizes = numbers(spatial, 1, 3);
    for (size_t i = 0; i < spatial; ++i) {
      x.push_back(pick(1, 7));
    }
    Attrs attrs = windowAttrs(x, sizes);
    attrs.set("sizes", sizes);
    DType dtype = anyDType(round);
    checkDecomposition(OpKind::MaxPool, attrs, {randomTensor(dtype, x)});
    if (isFloat(dtype)) {
      attrs.set("count_low", numbers(spatial, 0, 2));
      attrs.set("count_high", numbers(spatial, 0, 2));
      checkDecomposition(OpKind::AvgPool, attrs, {randomTensor(dtype, x)});
    }
  }
}

TEST_CASE("an average counts the elements that the padding rule says", "[composite]") {
  Tensor x = Tensor::allocate({DType::F32, {1, 1, 4}});
  for (int64_t i = 0; i < 4; ++i) {
    x.setDouble(i, 6);
  }
  auto first = [&](int64_t counted) {
    Attrs attrs = {{"sizes", Ints{3}},
                   {"strides", Ints{1}},
                   {"low", Ints{1}},
                   {"high", Ints{1}},
                   {"dilations", Ints{1}},
                   {"count_low", Ints{counted}},
                   {"count_high", Ints{counted}}};
    return checkDecomposition(OpKind::AvgPool, attrs, {x}).asDouble(0);
  };
  REQUIRE(first(0) == 6); // two of three elements
  REQUIRE(first(1) == 4);
}

TEST_CASE("matmul broadcasts as NumPy's", "[composite]") {
  std::vector<std::pair<Shape, Shape>> cases = {{{3, 4}, {4, 5}},
                                                {{4}, {4}},
                                                {{4}, {4, 5}},
                                                {{3, 4}, {4}},
                                                {{2, 3, 4}, {4, 5}},
                                                {{3, 4}, {2, 4, 5}},
                                                {{2, 1, 3, 4}, {5, 4, 2}},
                                                {{1, 3, 4}, {1, 4, 2}},
                                                {{2, 3, 4}, {4}},
                                                {{0, 3, 4}, {4, 5}},
                                                {{3, 0}, {0, 5}},
                                                {{20, 33}, {33, 21}}};
  for (const auto &[left, right] : cases) {
    for (DType dtype : {DType::F32, DType::F64, DType::I8, DType::F16}) {
      Tensor x = randomTensor(dtype, left);
      Tensor y = randomTensor(dtype, right);
      Tensor result = checkDecomposition(OpKind::Matmul, {}, {x, y}, left.back());
      if (left.size() == 2 && right.size() == 2 && dtype == DType::F64) {
        int64_t inner = left[1];
        int64_t width = right[1];
        for (int64_t i = 0; i < result.numElements(); ++i) {
          double sum = 0;
          for (int64_t k = 0; k < inner; ++k) {
            sum += x.asDouble(i / width * inner + k) * y.asDouble(k * width + i % width);
          }
          REQUIRE(result.asDouble(i) == Approx(sum).margin(1e-12));
        }
      }
    }
  }
}

TEST_CASE("random contractions equal expand, multiply and sum", "[composite]") {
  for (int round = 0; round < 300; ++round) {
    Ints extents = numbers(6, 1, round % 10 == 0 ? 12 : 4);
    Ints lhs;
    Ints rhs;
    Ints out;
    for (int64_t label = 0; label < 6; ++label) {
      int64_t sides = pick(0, 3);
      if ((sides & 1) != 0) {
        lhs.push_back(label);
      }
      if ((sides & 2) != 0) {
        rhs.push_back(label);
      }
      if (sides != 0 && pick(0, 1) != 0) {
        out.push_back(label);
      }
    }
    for (Ints *list : {&lhs, &rhs, &out}) {
      std::shuffle(list->begin(), list->end(), generator());
    }
    auto shapeOf = [&](const Ints &labels) {
      Shape shape;
      for (int64_t label : labels) {
        shape.push_back(extents[label]);
      }
      return shape;
    };
    DType dtype = anyDType(round);
    DType accumulate = accumulatorOf(dtype);
    Attrs attrs = {{"lhs", lhs},
                   {"rhs", rhs},
                   {"out", out},
                   {"accumulate", accumulate},
                   {"dtype", round % 3 == 0 ? accumulate : dtype}};
    checkDecomposition(OpKind::Contract, attrs,
                       {randomTensor(dtype, shapeOf(lhs)), randomTensor(dtype, shapeOf(rhs))},
                       numElements(extents));
  }
}

TEST_CASE("normalizations and stack have decompositions of their type", "[composite]") {
  for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16, DType::F8E5M2}) {
    Tensor x = randomTensor(dtype, {2, 3, 4, 5});
    Tensor vector = randomTensor(dtype, {3});
    Tensor variance = randomTensor(dtype, {3});
    variance = *interp::evaluate(OpKind::Abs, {}, std::vector{variance});
    checkDecomposition(OpKind::BatchNorm, {{"epsilon", 1e-5}},
                       {x, vector, vector, vector, variance});
    for (int64_t size : {1, 2, 3, 50}) {
      checkDecomposition(OpKind::Lrn,
                         {{"size", size}, {"alpha", 1e-4}, {"beta", 0.75}, {"bias", 1.0}}, {x});
    }
    for (const Ints &axes : {Ints{1}, Ints{2, 3}, Ints{}}) {
      checkDecomposition(OpKind::Softmax, {{"axes", axes}}, {x});
      checkDecomposition(OpKind::LogSoftmax, {{"axes", axes}}, {x});
    }
    checkDecomposition(OpKind::Stack, {{"axis", int64_t{1}}}, {x, x});
  }
}

TEST_CASE("normalizations follow their formulas", "[composite]") {
  Tensor x = randomTensor(DType::F64, {1, 6, 2});
  auto run = [&](OpKind kind, const Attrs &attrs, const std::vector<Tensor> &operands) {
    return *interp::evaluate(kind, attrs, operands);
  };
  Tensor softmax = run(OpKind::Softmax, {{"axes", Ints{1}}}, {x});
  Tensor lrn =
      run(OpKind::Lrn, {{"size", int64_t{4}}, {"alpha", 0.5}, {"beta", 0.75}, {"bias", 2.0}}, {x});
  Tensor scale = randomTensor(DType::F64, {6});
  Tensor bias = randomTensor(DType::F64, {6});
  Tensor mean = randomTensor(DType::F64, {6});
  Tensor variance = run(OpKind::Mul, {}, {scale, scale});
  Tensor norm = run(OpKind::BatchNorm, {{"epsilon", 1e-3}}, {x, scale, bias, mean, variance});
  for (int64_t c = 0; c < 6; ++c) {
    for (int64_t p = 0; p < 2; ++p) {
      double total = 0;
      double squares = 0;
      for (int64_t other = 0; other < 6; ++other) {
        double value = x.asDouble(other * 2 + p);
        total += std::exp(value);
        squares += other >= c - 1 && other <= c + 2 ? value * value : 0;
      }
      double value = x.asDouble(c * 2 + p);
      REQUIRE(softmax.asDouble(c * 2 + p) == Approx(std::exp(value) / total));
      REQUIRE(lrn.asDouble(c * 2 + p) == Approx(value / std::pow(2 + 0.5 / 4 * squares, 0.75)));
      double expected =
          (value - mean.asDouble(c)) * scale.asDouble(c) / std::sqrt(variance.asDouble(c) + 1e-3) +
          bias.asDouble(c);
      REQUIRE(norm.asDouble(c * 2 + p) == Approx(expected).margin(1e-12));
    }
  }
}

/// Prints giga multiply-adds a second; hidden, run it by its tag.
TEST_CASE("speed of contractions", "[.speed]") {
  auto measure = [](std::string_view what, double macs, OpKind kind, const Attrs &attrs,
                    const std::vector<Tensor> &operands) {
    auto start = std::chrono::steady_clock::now();
    Expected<Tensor> result = interp::evaluate(kind, attrs, operands);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    REQUIRE(static_cast<bool>(result));
    std::cout << what << ": " << macs / seconds.count() / 1e9 << " GMAC/s\n";
  };
  auto conv = [&](int64_t channels, int64_t extent, int64_t kernel, int64_t stride) {
    int64_t width = kernel / 2;
    Attrs attrs = {{"strides", Ints{stride, stride}},
                   {"dilations", Ints{1, 1}},
                   {"low", Ints{width, width}},
                   {"high", Ints{width, width}},
                   {"groups", int64_t{1}}};
    int64_t outputs = extent / stride;
    double macs = static_cast<double>(channels * channels * kernel * kernel * outputs * outputs);
    measure(
        fmt::format("conv {}x{} {}ch {}x{}/{}", extent, extent, channels, kernel, kernel, stride),
        macs, OpKind::Conv, attrs,
        {randomTensor(DType::F32, {1, channels, extent, extent}),
         randomTensor(DType::F32, {channels, channels, kernel, kernel})});
  };
  conv(64, 56, 3, 1);
  conv(512, 7, 3, 1);
  conv(512, 7, 1, 1);
  conv(128, 56, 3, 2);
  conv(256, 14, 1, 1);
  measure("matmul 512^3", 512.0 * 512 * 512, OpKind::Matmul, {},
          {randomTensor(DType::F32, {512, 512}), randomTensor(DType::F32, {512, 512})});
  measure("matmul 1x4096x4096", 4096.0 * 4096, OpKind::Matmul, {},
          {randomTensor(DType::F32, {1, 4096}), randomTensor(DType::F32, {4096, 4096})});
  measure("i8 matmul 256^3", 256.0 * 256 * 256, OpKind::Matmul, {},
          {randomTensor(DType::I8, {256, 256}), randomTensor(DType::I8, {256, 256})});
  measure("f16 matmul 256^3", 256.0 * 256 * 256, OpKind::Matmul, {},
          {randomTensor(DType::F16, {256, 256}), randomTensor(DType::F16, {256, 256})});
}
