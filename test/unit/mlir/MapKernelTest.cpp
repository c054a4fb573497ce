// Kernels of the map family (elementwise, windows, movement, gather) against plain loops.
#include "test/unit/mlir/KernelRunner.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

using namespace zyxc;
using namespace zyxc::test;

/// A max or average pool with a square window, padding 1.
static void checkPool(int size, int window, int stride, bool isMax, bool baseline) {
  int out = (size + 2 - window) / stride + 1;
  auto text = [&](const char *form) {
    std::string result = form;
    for (auto [name, value] :
         {std::pair("SIZE", size), {"OUT", out}, {"WINDOW", window}, {"STRIDE", stride}}) {
      for (size_t at; (at = result.find(name)) != std::string::npos;) {
        result.replace(at, std::strlen(name), std::to_string(value));
      }
    }
    return result;
  };
  std::string kernelText =
      text("zyxk.kernel @pool ports(%x: in f32[2,3,SIZE,SIZE], %y: out f32[2,3,OUT,OUT]) "
           "axes(n < 2, c < 3, h < OUT, w < OUT, r < WINDOW, s < WINDOW) {\n") +
      (isMax ? "%pad = arith.constant 0xFF800000 : f32\n" : "%pad = arith.constant 0.0 : f32\n") +
      text("%v = load %x[n, c, h * STRIDE + r - 1, w * STRIDE + s - 1] : f32\n"
           "%u = where %v if (h * STRIDE + r >= 1 and h * STRIDE + r <= SIZE and "
           "w * STRIDE + s >= 1 and w * STRIDE + s <= SIZE) else %pad : f32\n") +
      (isMax ? "%m = reduce max %u over [r, s] : f32\n"
             : "%m = reduce add %u over [r, s] : f32\n") +
      "store %m, %y[n, c, h, w] : f32\n}";
  KernelRunner kernel(kernelText, baseline);
  std::vector<float> x = randomFloats(6 * size * size);
  kernel.add(x);
  kernel.addOutput<float>(6 * out * out);
  kernel.run();
  std::vector<double> want;
  for (int plane = 0; plane < 6; ++plane) {
    for (int h = 0; h < out; ++h) {
      for (int w = 0; w < out; ++w) {
        double value = isMax ? -INFINITY : 0;
        for (int r = 0; r < window; ++r) {
          for (int s = 0; s < window; ++s) {
            int i = h * stride + r - 1;
            int j = w * stride + s - 1;
            if (i >= 0 && i < size && j >= 0 && j < size) {
              double element = x[(plane * size + i) * size + j];
              value = isMax ? std::max(value, element) : value + element;
            }
          }
        }
        want.push_back(value);
      }
    }
  }
  checkClose(kernel.elements<float>(1, want.size()), want);
}

TEST_CASE("kernel: pools with padding", "[kernel]") {
  for (bool isMax : {true, false}) {
    checkPool(27, 3, 2, isMax, false);
    checkPool(14, 3, 1, isMax, true);
    checkPool(9, 5, 3, isMax, false);
    checkPool(40, 2, 2, isMax, false);
    checkPool(3, 3, 1, isMax, false);
  }
}

TEST_CASE("kernel: elementwise with broadcast, every length of tail", "[kernel]") {
  for (int columns : {1, 2, 7, 15, 16, 17, 31, 100}) {
    std::string n = std::to_string(columns);
    KernelRunner kernel("zyxk.kernel @ew ports(%x: in f32[6, " + n +
                            "], %b: in f32[6], %y: out f32[6, " + n + "]) axes(r < 6, n < " + n +
                            R"() {
      %zero = arith.constant 0.0 : f32
      %a = load %x[r, n] : f32
      %c = load %b[r] : f32
      %s = arith.addf %a, %c : f32
      %m = arith.maximumf %s, %zero : f32
      store %m, %y[r, n] : f32
    })",
                        columns == 31);
    std::vector<float> x = randomFloats(6 * columns);
    std::vector<float> b = randomFloats(6);
    kernel.add(x);
    kernel.add(b);
    kernel.addOutput<float>(x.size());
    kernel.run();
    std::vector<double> want;
    for (size_t i = 0; i < x.size(); ++i) {
      want.push_back(std::max(x[i] + b[i / columns], 0.0F));
    }
    checkClose(kernel.elements<float>(2, x.size()), want);
  }
}

TEST_CASE("kernel: transpose, flip and every second element", "[kernel]") {
  KernelRunner kernel(R"(zyxk.kernel @move ports(%x: in f32[20, 33], %t: out f32[33, 20],
      %f: out f32[33, 20], %s: out f32[33, 10]) axes(j < 33, i < 20, k < 10) {
    %a = load %x[i, j] : f32
    store %a, %t[j, i] : f32
    store %a, %f[32 - j, 19 - i] : f32
    %b = load %x[k * 2 + 1, j] : f32
    store %b, %s[j, k] : f32
  })");
  std::vector<float> x = randomFloats(660);
  kernel.add(x);
  kernel.addOutput<float>(660);
  kernel.addOutput<float>(660);
  kernel.addOutput<float>(330);
  kernel.run();
  std::vector<double> transposed(660);
  std::vector<double> flipped(660);
  std::vector<double> second(330);
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 33; ++j) {
      transposed[j * 20 + i] = x[i * 33 + j];
      flipped[(32 - j) * 20 + 19 - i] = x[i * 33 + j];
      if (i % 2 == 1) {
        second[j * 10 + i / 2] = x[i * 33 + j];
      }
    }
  }
  checkClose(kernel.elements<float>(1, 660), transposed, 0);
  checkClose(kernel.elements<float>(2, 660), flipped, 0);
  checkClose(kernel.elements<float>(3, 330), second, 0);
}

TEST_CASE("kernel: gather clamps, scatter adds in order", "[kernel]") {
  KernelRunner kernel(
      R"(zyxk.kernel @gather ports(%x: in f32[10, 6], %p: in i64[9], %y: out f32[9, 6],
      %z: inout f32[10, 6]) axes(i < 9, c < 6) {
    %k = load %p[i] : i64
    %low = arith.constant 0 : i64
    %high = arith.constant 9 : i64
    %at = arith.index_cast %k : i64 to index
    %v = load %x[%at, c] oob clamp : f32
    store %v, %y[i, c] : f32
    %k0 = arith.maxsi %k, %low : i64
    %k1 = arith.minsi %k0, %high : i64
    %to = arith.index_cast %k1 : i64 to index
    store %v, %z[%to, c] combine add : f32
  })");
  std::vector<float> x = randomFloats(60);
  std::vector<int64_t> p = {3, -5, 9, 100, 3, 3, 0, int64_t(1) << 40, 7};
  kernel.add(x);
  kernel.add(p);
  kernel.addOutput<float>(54);
  kernel.add(std::vector<float>(60, 1));
  kernel.run();
  std::vector<double> gathered;
  std::vector<double> scattered(60, 1);
  for (int64_t index : p) {
    int64_t at = std::clamp<int64_t>(index, 0, 9);
    for (int c = 0; c < 6; ++c) {
      gathered.push_back(x[at * 6 + c]);
      scattered[at * 6 + c] += x[at * 6 + c];
    }
  }
  checkClose(kernel.elements<float>(2, 54), gathered, 0);
  checkClose(kernel.elements<float>(3, 60), scattered);
}

TEST_CASE("kernel: concatenation is where over disjoint sets", "[kernel]") {
  KernelRunner kernel(R"(zyxk.kernel @concat ports(%a: in f32[2, 3, 21], %b: in f32[2, 4, 21],
      %c: in f32[2, 7, 5], %y: out f32[2, 7, 26]) axes(n < 2, c < 7, w < 26) {
    %zero = arith.constant 0.0 : f32
    %x = load %a[n, c, w] : f32
    %x0 = where %x if (c < 3 and w < 21) else %zero : f32
    %z = load %b[n, c - 3, w] : f32
    %z0 = where %z if (c >= 3 and w < 21) else %x0 : f32
    %t = load %c[n, c, w - 21] : f32
    %t0 = where %t if (w >= 21) else %z0 : f32
    store %t0, %y[n, c, w] : f32
  })");
  std::vector<float> a = randomFloats(126);
  std::vector<float> b = randomFloats(168);
  std::vector<float> c = randomFloats(70);
  kernel.add(a);
  kernel.add(b);
  kernel.add(c);
  kernel.addOutput<float>(364);
  kernel.run();
  std::vector<double> want;
  for (int n = 0; n < 2; ++n) {
    for (int ch = 0; ch < 7; ++ch) {
      for (int w = 0; w < 26; ++w) {
        want.push_back(w >= 21  ? c[(n * 7 + ch) * 5 + w - 21]
                       : ch < 3 ? a[(n * 3 + ch) * 21 + w]
                                : b[(n * 4 + ch - 3) * 21 + w]);
      }
    }
  }
  checkClose(kernel.elements<float>(3, 364), want, 0);
}

TEST_CASE("kernel: coordinates as values, upsampling, narrow integers", "[kernel]") {
  KernelRunner kernel(R"(zyxk.kernel @mixed ports(%x: in i8[5, 9], %y: out i32[5, 18])
      axes(h < 5, w < 18) {
    %v = load %x[h, w floordiv 2] : i8
    %e = arith.extsi %v : i8 to i32
    %i = index w
    %j = arith.index_cast %i : index to i32
    %k = index h
    %l = arith.index_cast %k : index to i32
    %s = arith.addi %e, %j : i32
    %t = arith.muli %s, %l : i32
    store %t, %y[h, w] : i32
  })");
  std::vector<int8_t> x;
  for (int i = 0; i < 45; ++i) {
    x.push_back(static_cast<int8_t>(i * 37));
  }
  kernel.add(x);
  kernel.addOutput<int32_t>(90);
  kernel.run();
  std::vector<int32_t> want;
  for (int h = 0; h < 5; ++h) {
    for (int w = 0; w < 18; ++w) {
      want.push_back((x[h * 9 + w / 2] + w) * h);
    }
  }
  CHECK(kernel.elements<int32_t>(1, 90) == want);
}

TEST_CASE("kernel: a large map is split into tasks", "[kernel]") {
  KernelRunner kernel(R"(zyxk.kernel @big ports(%x: in f32[300, 501], %y: out f32[300, 501])
      axes(i < 300, j < 501) {
    %a = load %x[i, j] : f32
    %b = arith.mulf %a, %a : f32
    store %b, %y[i, j] : f32
  })");
  CHECK(kernel.numTasks() > 4);
  std::vector<float> x = randomFloats(300 * 501);
  kernel.add(x);
  kernel.addOutput<float>(x.size());
  kernel.run();
  std::vector<double> want;
  for (float value : x) {
    want.push_back(double(value) * value);
  }
  checkClose(kernel.elements<float>(1, x.size()), want);
}
