// The interpreter of zyxk kernels on values worked out by hand.
#include "test/unit/mlir/interp/InterpretedKernel.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace zyxc;
using namespace zyxc::test;

TEST_CASE("kernel interpreter: softmax with symbolic dims", "[kernel-interp]") {
  InterpretedKernel kernel(
      R"(zyxk.kernel @softmax dims(R, N) ports(%x: in f64[R, N], %y: out f64[R, N])
      axes(r < R, n < N) {
    %a = load %x[r, n] : f64
    %m = reduce max %a over [n] : f64
    %d = arith.subf %a, %m : f64
    %e = math.exp %d : f64
    %s = reduce add %e over [n] : f64
    %q = arith.divf %e, %s : f64
    store %q, %y[r, n] : f64
  })",
      {2, 3});
  double ln2 = std::log(2.0);
  kernel.set(0, {0, ln2, 0, 700, 700, 700 - ln2});
  REQUIRE(kernel.run().empty());
  Values want = {0.25, 0.5, 0.25, 0.4, 0.4, 0.2};
  Values got = kernel.get(1);
  for (size_t i = 0; i < want.size(); ++i) {
    CHECK(std::abs(got[i] - want[i]) < 1e-12);
  }
}

TEST_CASE("kernel interpreter: contraction with a transposed operand", "[kernel-interp]") {
  InterpretedKernel kernel(
      R"(zyxk.kernel @mm ports(%a: in i8[2, 3], %b: in i8[2, 3], %c: out i32[2, 2])
      axes(i < 2, j < 2, k < 3) {
    %x = load %a[i, k] : i8
    %w = load %b[j, k] : i8
    %s = contract %x, %w over [k] : i8, i8 -> i32
    store %s, %c[i, j] : i32
  })");
  kernel.set(0, {127, 127, 127, -1, 2, -3});
  kernel.set(1, {127, 127, 127, 1, 0, -1});
  REQUIRE(kernel.run().empty());
  CHECK(kernel.get(2) == Values{48387, 0, -254, 2});
}

TEST_CASE("kernel interpreter: a guard keeps reads inside of the port", "[kernel-interp]") {
  const char *text = R"(zyxk.kernel @pad dims(N) ports(%x: in f32[N], %y: out f32[N + 2])
      axes(i < N + 2, r < 1) {
    %zero = arith.constant 7.0 : f32
    %a = load %x[i - 1] : f32
    %b = arith.addf %a, %a : f32
    %c = where %b if (i >= 1 and i <= N) else %zero : f32
    store %c, %y[i] : f32
  })";
  InterpretedKernel kernel(text, {3});
  kernel.set(0, {1, 2, 3});
  REQUIRE(kernel.run().empty());
  CHECK(kernel.get(1) == Values{7, 2, 4, 6, 7});
  InterpretedKernel empty(text, {0});
  REQUIRE(empty.run().empty());
  CHECK(empty.get(1) == Values{7, 7});
  InterpretedKernel wrong(R"(zyxk.kernel @pad dims(N) ports(%x: in f32[N], %y: out f32[N + 2])
      axes(i < N + 2) {
    %a = load %x[i - 1] : f32
    store %a, %y[i] : f32
  })",
                          {3});
  CHECK(wrong.run().find("load reads outside of its port") != std::string::npos);
}

TEST_CASE("kernel interpreter: a reduction over a window keeps its guard", "[kernel-interp]") {
  InterpretedKernel kernel(R"(zyxk.kernel @pool ports(%x: in f32[4], %y: out f32[4], %z: out i64[4])
      axes(i < 4, r < 3) {
    %low = arith.constant 0xFF800000 : f32
    %a = load %x[i + r - 1] : f32
    %b = where %a if (i + r >= 1 and i + r <= 4) else %low : f32
    %m = reduce max %b over [r] : f32
    %p = reduce argmax %b over [r] last : f32 -> i64
    store %m, %y[i] : f32
    store %p, %z[i] : i64
  })");
  kernel.set(0, {5, 5, 2, 1});
  REQUIRE(kernel.run().empty());
  CHECK(kernel.get(1) == Values{5, 5, 5, 2});
  CHECK(kernel.get(2) == Values{2, 1, 0, 0});
}

TEST_CASE("kernel interpreter: restricted domains and bounds over outer axes", "[kernel-interp]") {
  for (std::string axes : {"axes(i < 4, j < 4 where j <= i)", "axes(i < 4, j < i + 1)"}) {
    InterpretedKernel bound("zyxk.kernel @k ports(%x: in f32[4, 4], %y: out f32[4])" + axes + R"( {
      %a = load %x[i, j] : f32
      %s = reduce add %a over [j] : f32
      store %s, %y[i] : f32
    })");
    bound.set(0, {1, 10, 100, 1000, 1, 10, 100, 1000, 1, 10, 100, 1000, 1, 10, 100, 1000});
    REQUIRE(bound.run().empty());
    CHECK(bound.get(1) == Values{1, 11, 111, 1111});
  }
}

TEST_CASE("kernel interpreter: gather, scatter and combining stores", "[kernel-interp]") {
  InterpretedKernel kernel(
      R"(zyxk.kernel @k ports(%x: in f32[3, 2], %p: in i32[4], %y: inout f32[2, 2],
      %z: out f32[3]) axes(i < 4, c < 2) {
    %k = load %p[i] : i32
    %row = arith.index_cast %k : i32 to index
    %v = load %x[%row, c] oob clamp : f32
    %two = arith.constant 2 : index
    %half = arith.remsi %row, %two : index
    store %v, %y[%half, c] combine add : f32
  })");
  kernel.set(0, {1, 2, 10, 20, 100, 200});
  kernel.set(1, {0, 1, 1, 8});
  kernel.set(2, {0.5, 0, 0, 0});
  REQUIRE(kernel.run().empty());
  CHECK(kernel.get(2) == Values{101.5, 202, 20, 40});

  InterpretedKernel twice(R"(zyxk.kernel @k ports(%p: in i64[3], %y: out i64[4]) axes(i < 3) {
    %k = load %p[i] : i64
    %at = arith.index_cast %k : i64 to index
    store %k, %y[%at] : i64
  })");
  twice.set(0, {3, 1, 0});
  REQUIRE(twice.run().empty());
  CHECK(twice.get(1) == Values{0, 1, 0, 3});
  twice.set(0, {3, 1, 3});
  CHECK(twice.run().find("writes an element of port 1 twice at i = 2") != std::string::npos);
  twice.set(0, {3, 1, 4});
  CHECK(twice.run().find("is outside of port 1 at i = 2") != std::string::npos);
}

TEST_CASE("kernel interpreter: coordinates with division, lanes across blocks", "[kernel-interp]") {
  InterpretedKernel kernel(
      R"(zyxk.kernel @k dims(N) ports(%x: in i32[N], %y: out i32[N], %s: out i32[])
      axes(i < N) {
    %a = load %x[(i floordiv 2) + (i mod 2) * 150] : i32
    %i = index i
    %j = arith.index_cast %i : index to i32
    %b = arith.addi %a, %j : i32
    %t = reduce add %b over [i] : i32
    store %b, %y[i] : i32
    store %t, %s[] : i32
  })",
      {300});
  Values x(300);
  Values want(300);
  double sum = 0;
  for (int i = 0; i < 300; ++i) {
    x[i] = 7 * i;
  }
  for (int i = 0; i < 300; ++i) {
    want[i] = x[i / 2 + i % 2 * 150] + i;
    sum += want[i];
  }
  kernel.set(0, x);
  REQUIRE(kernel.run().empty());
  CHECK(kernel.get(1) == want);
  CHECK(kernel.get(2) == Values{sum});
}

TEST_CASE("kernel interpreter: reductions over no points give identities", "[kernel-interp]") {
  InterpretedKernel kernel(
      R"(zyxk.kernel @k dims(N) ports(%x: in f32[N], %y: out f32[2], %z: out i8[2])
      axes(n < N) {
    %a = load %x[n] : f32
    %s = reduce add %a over [n] : f32
    %m = reduce max %a over [n] : f32
    %b = arith.fptosi %a : f32 to i8
    %i = reduce min %b over [n] : i8
    %u = reduce umin %b over [n] : i8
    store %s, %y[0] : f32
    store %m, %y[1] : f32
    store %i, %z[0] : i8
    store %u, %z[1] : i8
  })",
      {0});
  REQUIRE(kernel.run().empty());
  CHECK(kernel.get(1) == Values{0, -std::numeric_limits<double>::infinity()});
  CHECK(kernel.get(2) == Values{127, -1});
}

TEST_CASE("kernel interpreter: casts round, integers wrap", "[kernel-interp]") {
  InterpretedKernel kernel(R"(zyxk.kernel @k ports(%x: in f32[4], %h: out f32[4], %w: out i8[4],
      %b: out i32[4], %o: out i8[4]) axes(i < 4) {
    %a = load %x[i] : f32
    %f = arith.truncf %a : f32 to f16
    %g = arith.extf %f : f16 to f32
    store %g, %h[i] : f32
    %c = arith.fptosi %a : f32 to i8
    %d = arith.addi %c, %c : i8
    store %d, %w[i] : i8
    %e = arith.bitcast %a : f32 to i32
    store %e, %b[i] : i32
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %a, %zero : f32
    %q = arith.extsi %p : i1 to i8
    store %q, %o[i] : i8
  })");
  kernel.set(0, {1.0009765625, 2049, -100, 1});
  REQUIRE(kernel.run().empty());
  CHECK(kernel.get(1) == Values{1.0009765625, 2048, -100, 1});
  CHECK(kernel.get(2) == Values{2, -2, 56, 2});
  CHECK(kernel.get(3)[3] == 0x3f800000);
  CHECK(kernel.get(4) == Values{-1, -1, 0, -1});
}

TEST_CASE("kernel interpreter: dims that the kernel does not assume", "[kernel-interp]") {
  InterpretedKernel kernel(
      R"(zyxk.kernel @k dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(i < N)
      assume(N mod 8 == 0) {
    %a = load %x[i] : f32
    store %a, %y[i] : f32
  })",
      {12});
  CHECK(kernel.error == "the dims are not what the kernel assumes");
}
