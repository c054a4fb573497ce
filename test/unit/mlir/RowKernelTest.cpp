// Kernels with reductions (softmax, norms, pooling of whole planes, arg) against plain loops.
#include "test/unit/mlir/KernelRunner.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace zyxc;
using namespace zyxc::test;

TEST_CASE("kernel: softmax of rows", "[kernel]") {
  for (int columns : {1, 3, 10, 16, 50, 257, 1000}) {
    int rows = 37;
    std::string shape = std::to_string(rows) + ", " + std::to_string(columns);
    std::string text = "zyxk.kernel @softmax ports(%x: in f32[" + shape + "], %y: out f32[" +
                       shape + "]) axes(r < 37, n < " + std::to_string(columns) + R"() {
      %a = load %x[r, n] : f32
      %m = reduce max %a over [n] : f32
      %d = arith.subf %a, %m : f32
      %e = math.exp %d : f32
      %s = reduce add %e over [n] : f32
      %q = arith.divf %e, %s : f32
      store %q, %y[r, n] : f32
    })";
    KernelRunner kernel(text, columns == 50);
    std::vector<float> x = randomFloats(rows * columns, -5, 5);
    kernel.add(x);
    kernel.addOutput<float>(x.size());
    kernel.run();
    std::vector<double> want;
    for (int r = 0; r < rows; ++r) {
      double sum = 0;
      for (int n = 0; n < columns; ++n) {
        sum += std::exp(x[r * columns + n]);
      }
      for (int n = 0; n < columns; ++n) {
        want.push_back(std::exp(x[r * columns + n]) / sum);
      }
    }
    checkClose(kernel.elements<float>(1, x.size()), want);
  }
}

TEST_CASE("kernel: softmax over channels keeps the lanes along the pixels", "[kernel]") {
  KernelRunner kernel(
      R"(zyxk.kernel @channels ports(%x: in f32[2, 5, 7, 9], %y: out f32[2, 5, 7, 9])
      axes(n < 2, c < 5, h < 7, w < 9) {
    %a = load %x[n, c, h, w] : f32
    %m = reduce max %a over [c] : f32
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %s = reduce add %e over [c] : f32
    %q = arith.divf %e, %s : f32
    store %q, %y[n, c, h, w] : f32
  })");
  std::vector<float> x = randomFloats(2 * 5 * 63);
  kernel.add(x);
  kernel.addOutput<float>(x.size());
  kernel.run();
  std::vector<double> want(x.size());
  for (int n = 0; n < 2; ++n) {
    for (int p = 0; p < 63; ++p) {
      double sum = 0;
      for (int c = 0; c < 5; ++c) {
        sum += std::exp(x[(n * 5 + c) * 63 + p]);
      }
      for (int c = 0; c < 5; ++c) {
        want[(n * 5 + c) * 63 + p] = std::exp(x[(n * 5 + c) * 63 + p]) / sum;
      }
    }
  }
  checkClose(kernel.elements<float>(1, x.size()), want);
}

TEST_CASE("kernel: layer normalization has three levels", "[kernel]") {
  KernelRunner kernel(R"(zyxk.kernel @norm ports(%x: in f32[11, 77], %g: in f32[77], %b: in f32[77],
      %y: out f32[11, 77]) axes(r < 11, n < 77) {
    %count = arith.constant 77.0 : f32
    %epsilon = arith.constant 1.0e-05 : f32
    %a = load %x[r, n] : f32
    %s = reduce add %a over [n] : f32
    %mean = arith.divf %s, %count : f32
    %d = arith.subf %a, %mean : f32
    %d2 = arith.mulf %d, %d : f32
    %v = reduce add %d2 over [n] : f32
    %variance = arith.divf %v, %count : f32
    %shifted = arith.addf %variance, %epsilon : f32
    %root = math.sqrt %shifted : f32
    %unit = arith.divf %d, %root : f32
    %scale = load %g[n] : f32
    %bias = load %b[n] : f32
    %scaled = arith.mulf %unit, %scale : f32
    %out = arith.addf %scaled, %bias : f32
    store %out, %y[r, n] : f32
  } schedule #zyxk.row<vec = 8, inflight = 2>)");
  std::vector<float> x = randomFloats(11 * 77);
  std::vector<float> g = randomFloats(77, 0.5, 2);
  std::vector<float> b = randomFloats(77, -1, 1);
  kernel.add(x);
  kernel.add(g);
  kernel.add(b);
  kernel.addOutput<float>(x.size());
  kernel.run();
  std::vector<double> want;
  for (int r = 0; r < 11; ++r) {
    double mean = 0;
    double variance = 0;
    for (int n = 0; n < 77; ++n) {
      mean += x[r * 77 + n] / 77.0;
    }
    for (int n = 0; n < 77; ++n) {
      variance += (x[r * 77 + n] - mean) * (x[r * 77 + n] - mean) / 77;
    }
    for (int n = 0; n < 77; ++n) {
      want.push_back((x[r * 77 + n] - mean) / std::sqrt(variance + 1e-5) * g[n] + b[n]);
    }
  }
  checkClose(kernel.elements<float>(3, x.size()), want);
}

TEST_CASE("kernel: global pooling sums along both axes", "[kernel]") {
  KernelRunner kernel(R"(zyxk.kernel @global ports(%x: in f32[3, 5, 7, 7], %y: out f32[3, 5])
      axes(n < 3, c < 5, h < 7, w < 7) {
    %a = load %x[n, c, h, w] : f32
    %s = reduce add %a over [h, w] : f32
    store %s, %y[n, c] : f32
  })");
  std::vector<float> x = randomFloats(15 * 49);
  kernel.add(x);
  kernel.addOutput<float>(15);
  kernel.run();
  std::vector<double> want(15);
  for (size_t i = 0; i < x.size(); ++i) {
    want[i / 49] += x[i];
  }
  checkClose(kernel.elements<float>(1, 15), want);
}

TEST_CASE("kernel: column sums keep the lanes along the columns", "[kernel]") {
  KernelRunner kernel(R"(zyxk.kernel @columns ports(%x: in f32[100, 37], %y: out f32[37])
      axes(r < 100, n < 37) {
    %a = load %x[r, n] : f32
    %s = reduce add %a over [r] : f32
    store %s, %y[n] : f32
  })");
  std::vector<float> x = randomFloats(3700);
  kernel.add(x);
  kernel.addOutput<float>(37);
  kernel.run();
  std::vector<double> want(37);
  for (size_t i = 0; i < x.size(); ++i) {
    want[i % 37] += x[i];
  }
  checkClose(kernel.elements<float>(1, 37), want);
}

TEST_CASE("kernel: argmax counts NaN as the largest value", "[kernel]") {
  for (bool last : {false, true}) {
    KernelRunner kernel(std::string(R"(zyxk.kernel @arg ports(%x: in f32[4, 45], %y: out i64[4])
        axes(r < 4, n < 45) {
      %a = load %x[r, n] : f32
      %s = reduce argmax %a over [n])") +
                        (last ? " last" : "") + R"( : f32 -> i64
      store %s, %y[r] : i64
    })");
    std::vector<float> x(4 * 45, -std::numeric_limits<float>::infinity());
    x[45 + 7] = x[45 + 30] = x[45 + 44] = 3;
    x[90 + 20] = 5;
    x[90 + 33] = x[90 + 40] = NAN;
    x[135 + 44] = 1;
    kernel.add(x);
    kernel.addOutput<int64_t>(4);
    kernel.run();
    std::vector<int64_t> want =
        last ? std::vector<int64_t>{44, 44, 40, 44} : std::vector<int64_t>{0, 7, 33, 44};
    CHECK(kernel.elements<int64_t>(1, 4) == want);
  }
}

TEST_CASE("kernel: rows of a large output are stored with the next row, past the caches",
          "[kernel]") {
  constexpr int rows = 1101;
  constexpr int columns = 4096;
  KernelRunner kernel(R"(zyxk.kernel @large ports(%x: in f32[1101, 4096] align 64,
      %y: out f32[1101, 4096] align 64) axes(r < 1101, n < 4096) {
    %a = load %x[r, n] : f32
    %m = reduce max %a over [n] : f32
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %s = reduce add %e over [n] : f32
    %q = arith.divf %e, %s : f32
    store %q, %y[r, n] : f32
  })");
  std::vector<float> x = randomFloats(rows * columns, -3, 3);
  x[5 * columns + 7] = std::numeric_limits<float>::quiet_NaN();
  kernel.add(x);
  kernel.addOutput<float>(x.size());
  kernel.run();
  std::vector<double> want(x.size());
  for (int r = 0; r < rows; ++r) {
    const float *row = &x[r * columns];
    double sum = 0;
    for (int n = 0; n < columns; ++n) {
      sum += std::exp(row[n]);
    }
    for (int n = 0; n < columns; ++n) {
      want[r * columns + n] = std::exp(row[n]) / sum;
    }
  }
  checkClose(kernel.elements<float>(1, x.size()), want);
}
