// Kernels with transposes, column reductions and the ops that the host decomposes (expsum, welford,
// restricted domains) against plain loops.
#include "test/unit/mlir/KernelRunner.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <fmt/format.h>

using namespace zyxc;
using namespace zyxc::test;

TEST_CASE("kernel: transposes by tiles of blocks, whose ends overlap", "[kernel]") {
  for (auto [rows, columns] : {std::pair(96, 128), std::pair(17, 33), std::pair(50, 16),
                               std::pair(65, 129), std::pair(150, 70)}) {
    std::string text = fmt::format(R"(zyxk.kernel @transpose ports(%x: in f32[3, {1}, {0}],
        %z: in f32[3, {0}, {1}], %y: out f32[3, {0}, {1}]) axes(b < 3, i < {0}, j < {1}) {{
      %a = load %x[b, j, i] : f32
      %c = load %z[b, i, j] : f32
      %s = arith.subf %a, %c : f32
      store %s, %y[b, i, j] : f32
    }})",
                                   rows, columns);
    KernelRunner kernel(text, rows == 50);
    std::vector<float> x = randomFloats(3 * rows * columns);
    std::vector<float> z = randomFloats(3 * rows * columns, -1, 3);
    kernel.add(x);
    kernel.add(z);
    kernel.addOutput<float>(x.size());
    kernel.run();
    std::vector<double> want(x.size());
    for (int b = 0; b < 3; ++b) {
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
          int at = (b * rows + i) * columns + j;
          want[at] = x[(b * columns + j) * rows + i] - z[at];
        }
      }
    }
    checkClose(kernel.elements<float>(2, x.size()), want);
  }
}

TEST_CASE("kernel: two transposes of different types in one kernel", "[kernel]") {
  constexpr int rows = 83;
  constexpr int columns = 139;
  KernelRunner kernel(R"(zyxk.kernel @both ports(%x: in f32[139, 83], %z: in i8[139, 83],
      %y: out f32[83, 139]) axes(i < 83, j < 139) {
    %a = load %x[j, i] : f32
    %b = load %z[j, i] : i8
    %c = arith.sitofp %b : i8 to f32
    %s = arith.mulf %a, %c : f32
    store %s, %y[i, j] : f32
  })");
  std::vector<float> x = randomFloats(rows * columns);
  std::vector<int8_t> z(rows * columns);
  std::vector<double> want(rows * columns);
  for (int i = 0; i < rows * columns; ++i) {
    z[i] = static_cast<int8_t>(i * 37);
    want[i % rows * columns + i / rows] = static_cast<double>(x[i]) * z[i];
  }
  kernel.add(x);
  kernel.add(z);
  kernel.addOutput<float>(x.size());
  kernel.run();
  checkClose(kernel.elements<float>(2, x.size()), want);
}

TEST_CASE("kernel: long reductions of few results are made in parts", "[kernel]") {
  // Whole parts, a shorter last one, and a single result.
  for (auto [rows, columns] : {std::pair(9000, 48), std::pair(9001, 47), std::pair(300007, 1)}) {
    std::string text = fmt::format(R"(zyxk.kernel @mean ports(%x: in f32[{0}, {1}],
        %b: in f32[{1}], %y: out f32[{1}]) axes(r < {0}, n < {1}) {{
      %count = arith.constant {0}.0 : f32
      %a = load %x[r, n] : f32
      %c = load %b[n] : f32
      %d = arith.subf %a, %c : f32
      %d2 = arith.mulf %d, %d : f32
      %s = reduce add %d2 over [r] : f32
      %m = arith.divf %s, %count : f32
      store %m, %y[n] : f32
    }})",
                                   rows, columns);
    KernelRunner kernel(text, columns == 47);
    CHECK(kernel.numTasks() >= 4);
    std::vector<float> x = randomFloats(rows * columns);
    std::vector<float> b = randomFloats(columns, 1, 2);
    kernel.add(x);
    kernel.add(b);
    kernel.addOutput<float>(columns);
    kernel.run();
    std::vector<double> want(columns);
    for (int i = 0; i < rows * columns; ++i) {
      double difference = static_cast<double>(x[i]) - b[i % columns];
      want[i % columns] += difference * difference / rows;
    }
    checkClose(kernel.elements<float>(2, columns), want);
  }
}

TEST_CASE("kernel: columns, several sums at once, rows that do not fill a step", "[kernel]") {
  for (auto [rows, columns] : {std::pair(61, 700), std::pair(40, 21), std::pair(33, 16)}) {
    std::string text = fmt::format(R"(zyxk.kernel @columns ports(%x: in f32[2, {0}, {1}],
        %m: out f32[2, {1}], %q: out f32[2, {1}]) axes(b < 2, r < {0}, n < {1}) {{
      %a = load %x[b, r, n] : f32
      %a2 = arith.mulf %a, %a : f32
      %largest = reduce max %a over [r] : f32
      %squares = reduce add %a2 over [r] : f32
      %root = math.sqrt %squares : f32
      store %largest, %m[b, n] : f32
      store %root, %q[b, n] : f32
    }})",
                                   rows, columns);
    KernelRunner kernel(text, columns == 21);
    std::vector<float> x = randomFloats(2 * rows * columns);
    kernel.add(x);
    kernel.addOutput<float>(2 * columns);
    kernel.addOutput<float>(2 * columns);
    kernel.run();
    std::vector<double> largest(2 * columns, -1e30);
    std::vector<double> roots(2 * columns);
    for (int i = 0; i < 2 * rows * columns; ++i) {
      int at = i / (rows * columns) * columns + i % columns;
      largest[at] = std::max<double>(largest[at], x[i]);
      roots[at] += static_cast<double>(x[i]) * x[i];
    }
    for (double &root : roots) {
      root = std::sqrt(root);
    }
    checkClose(kernel.elements<float>(1, largest.size()), largest);
    checkClose(kernel.elements<float>(2, roots.size()), roots);
  }
}

TEST_CASE("kernel: attention below the diagonal", "[kernel]") {
  constexpr int size = 37;
  constexpr int depth = 24;
  KernelRunner kernel(R"(zyxk.kernel @attention ports(%q, %k, %v: in f32[37, 24],
      %o: out f32[37, 24]) axes(i < 37, j < 37, d < 24, e < 24 where j <= i) {
    %q0 = load %q[i, d] : f32
    %k0 = load %k[j, d] : f32
    %v0 = load %v[j, e] : f32
    %s = contract %q0, %k0 over [d] : f32, f32 -> f32
    %m, %l, %u = expsum %s over [j] weights(unit, %v0 : f32) : f32
    %r = arith.divf %u, %l : f32
    store %r, %o[i, e] : f32
  })");
  std::vector<float> q = randomFloats(size * depth);
  std::vector<float> k = randomFloats(size * depth, -1, 1);
  std::vector<float> v = randomFloats(size * depth, -3, 1);
  kernel.add(q);
  kernel.add(k);
  kernel.add(v);
  kernel.addOutput<float>(q.size());
  kernel.run();
  std::vector<double> want(q.size());
  for (int i = 0; i < size; ++i) {
    double sum = 0;
    std::vector<double> weighted(depth);
    for (int j = 0; j <= i; ++j) {
      double score = 0;
      for (int d = 0; d < depth; ++d) {
        score += static_cast<double>(q[i * depth + d]) * k[j * depth + d];
      }
      sum += std::exp(score);
      for (int e = 0; e < depth; ++e) {
        weighted[e] += std::exp(score) * v[j * depth + e];
      }
    }
    for (int e = 0; e < depth; ++e) {
      want[i * depth + e] = weighted[e] / sum;
    }
  }
  checkClose(kernel.elements<float>(3, want.size()), want);
}

TEST_CASE("kernel: welford and a store in a part of its axes", "[kernel]") {
  KernelRunner kernel(R"(zyxk.kernel @lower ports(%x: in f32[19, 50], %y: inout f32[19, 50])
      axes(r < 19, n < 50 where n <= r + 20) {
    %a = load %x[r, n] : f32
    %mean, %m2 = welford %a over [n] : f32
    %d = arith.subf %a, %mean : f32
    %q = arith.addf %d, %m2 : f32
    store %q, %y[r, n] : f32
  })");
  std::vector<float> x = randomFloats(19 * 50);
  kernel.add(x);
  std::vector<float> old(x.size(), 7);
  kernel.add(old);
  kernel.run();
  std::vector<double> want(x.size(), 7);
  for (int r = 0; r < 19; ++r) {
    int count = r + 21 < 50 ? r + 21 : 50;
    double mean = 0;
    double m2 = 0;
    for (int n = 0; n < count; ++n) {
      mean += x[r * 50 + n] / static_cast<double>(count);
    }
    for (int n = 0; n < count; ++n) {
      m2 += (x[r * 50 + n] - mean) * (x[r * 50 + n] - mean);
    }
    for (int n = 0; n < count; ++n) {
      want[r * 50 + n] = x[r * 50 + n] - mean + m2;
    }
  }
  checkClose(kernel.elements<float>(1, want.size()), want);
}

TEST_CASE("kernel: scans, forward and from the end", "[kernel]") {
  for (int columns : {1, 16, 37}) {
    std::string text =
        fmt::format(R"(zyxk.kernel @scans ports(%x: in f32[5, {0}], %y: out f32[5, {0}],
        %z: out f32[5, {0}]) axes(r < 5, n < {0}) {{
      %a = load %x[r, n] : f32
      %s = scan add %a along n : f32
      %m = scan max %a along n exclusive reverse : f32
      %t = reduce add %s over [n] : f32
      %q = arith.addf %s, %t : f32
      store %q, %y[r, n] : f32
      store %m, %z[r, n] : f32
    }})",
                    columns);
    KernelRunner kernel(text);
    std::vector<float> x = randomFloats(5 * columns);
    kernel.add(x);
    kernel.addOutput<float>(x.size());
    kernel.addOutput<float>(x.size());
    kernel.run();
    std::vector<double> sums(x.size());
    std::vector<double> largest(x.size());
    for (int r = 0; r < 5; ++r) {
      double sum = 0;
      double total = 0;
      for (int n = 0; n < columns; ++n) {
        sum += x[r * columns + n];
        sums[r * columns + n] = sum;
        total += sum;
      }
      double most = -HUGE_VAL;
      for (int n = columns; n-- > 0;) {
        sums[r * columns + n] += total;
        largest[r * columns + n] = most;
        most = std::max<double>(most, x[r * columns + n]);
      }
    }
    checkClose(kernel.elements<float>(1, x.size()), sums);
    std::vector<float> got = kernel.elements<float>(2, x.size());
    for (size_t i = 0; i < got.size(); ++i) {
      REQUIRE(static_cast<double>(got[i]) == largest[i]);
    }
  }
}
