// Kernels and programs that KernelTransformTest.cpp transforms beside those of test/kernels.
#pragma once

namespace zyxc::test {

inline constexpr const char *masked = R"(
  zyxk.kernel @masked dims(N, D) ports(%x: in f32[N, N], %v: in f32[N, D], %y: out f32[N, D]) axes(i < N, j < N, d < D) {
    %low = arith.constant 0xFF800000 : f32
    %a = load %x[i, j] : f32
    %t = where %a if (j <= i) else %low : f32
    %m = reduce max %t over [j] : f32
    %s = arith.subf %t, %m : f32
    %e = math.exp %s : f32
    %l = reduce add %e over [j] : f32
    %w = load %v[j, d] : f32
    %p = arith.mulf %e, %w : f32
    %u = reduce add %p over [j] : f32
    %r = arith.divf %u, %l : f32
    store %r, %y[i, d] : f32
  })";

inline constexpr const char *convolution = R"(
  zyxk.kernel @convolution dims(C, H, W, O) ports(%x: in f32[C, H, W], %w: in f32[O, C, 3, 3], %y: out f32[O, H, W])
      axes(o < O, p < H, q < W, c < C, r < 3, s < 3) {
    %zero = arith.constant 0.0 : f32
    %a = load %x[c, p + r - 1, q + s - 1] oob else(%zero) : f32
    %b = load %w[o, c, r, s] : f32
    %t = arith.mulf %a, %b : f32
    %u = reduce add %t over [c, r, s] : f32
    %g = scalar @silu(%u) : f32
    store %g, %y[o, p, q] : f32
  })";

/// Two launches that share an input, one that reads what both write, one that reads that.
inline constexpr const char *statistics = R"(
  zyxk.kernel @row_max ports(%x: in f32[6, 10], %y: out f32[6]) axes(r < 6, n < 10) {
    %a = load %x[r, n] : f32
    %m = reduce max %a over [n] : f32
    store %m, %y[r] : f32
  }
  zyxk.kernel @row_sum dims(R) ports(%y: out f32[R], %x: in f32[R, 10]) axes(k < 10, i < R) {
    %a = load %x[i, k] : f32
    %m = reduce add %a over [k] : f32
    store %m, %y[i] : f32
  }
  zyxk.kernel @difference dims(N) ports(%a, %b: in f32[N], %y: out f32[N]) axes(n < N) {
    %p = load %a[n] : f32
    %q = load %b[n] : f32
    %d = arith.subf %p, %q : f32
    store %d, %y[n] : f32
  }
  zyxk.kernel @spread ports(%x: in f32[6, 10], %d: in f32[6], %y: out f32[10, 6]) axes(i < 10, j < 6) {
    %a = load %x[j, i] : f32
    %b = load %d[5 - j] : f32
    %s = arith.addf %a, %b : f32
    store %s, %y[i, j] : f32
  }
  zyxk.program @statistics ports(%x: in f32[6, 10], %y: out f32[10, 6], %m, %s, %d: scratch f32[6]) {
    launch @row_max(%x, %m)
    launch @row_sum(%s, %x) dims(R = 6)
    launch @difference(%m, %s, %d) dims(N = 6)
    launch @spread(%x, %d, %y)
  })";

/// Folds that are fused, split and shared: a tree whose states the next launch composes, a free one
/// beside a reduction, and a sort between.
inline constexpr const char *folded = R"(
  zyxk.kernel @compose dims(R, N) ports(%x: in f32[R, N], %p, %q: out f32[R]) axes(r < R, n < N) {
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %a = load %x[r, n] : f32
    %s, %t = fold %a over [n] order tree init(%one, %zero) step(%s: f32, %t: f32, %v: f32) {
      %u = arith.mulf %v, %s : f32
      %w = arith.mulf %v, %t : f32
      %z = arith.addf %w, %v : f32
      yield %u, %z : f32, f32
    } merge(%s: f32, %t: f32, %u: f32, %v: f32) {
      %a = arith.mulf %u, %s : f32
      %b = arith.mulf %u, %t : f32
      %c = arith.addf %b, %v : f32
      yield %a, %c : f32, f32
    }
    store %s, %p[r] : f32
    store %t, %q[r] : f32
  }
  zyxk.kernel @squares dims(R) ports(%x: in f32[R, 7], %y: out f32[R]) axes(k < 7, i < R) {
    %zero = arith.constant 0.0 : f32
    %a = load %x[i, k] : f32
    %s = fold %a over [k] order free init(%zero) step(%s: f32, %v: f32) {
      %q = arith.mulf %v, %v : f32
      %t = arith.addf %s, %q : f32
      yield %t : f32
    } merge(%s: f32, %t: f32) {
      %u = arith.addf %s, %t : f32
      yield %u : f32
    }
    store %s, %y[i] : f32
  }
  zyxk.kernel @sort dims(R) ports(%x: in f32[R], %v: out f32[R], %i: out i64[R]) axes() {
    opaque @sort(%x, %v, %i)
  }
  zyxk.kernel @join dims(R) ports(%p, %q, %s, %v: in f32[R], %y: out f32[R]) axes(r < R) {
    %a = load %p[r] : f32
    %b = load %q[r] : f32
    %c = load %s[r] : f32
    %d = load %v[r] : f32
    %e = arith.addf %a, %b : f32
    %f = arith.mulf %c, %d : f32
    %g = arith.addf %e, %f : f32
    store %g, %y[r] : f32
  }
  zyxk.program @folded ports(%x: in f32[6, 7], %y: out f32[6], %at: out i64[6],
                             %p, %q, %s, %v: scratch f32[6]) {
    launch @compose(%x, %p, %q) dims(R = 6, N = 7)
    launch @squares(%x, %s) dims(R = 6)
    launch @sort(%s, %v, %at) dims(R = 6)
    launch @join(%p, %q, %s, %v, %y) dims(R = 6)
  })";

} // namespace zyxc::test
