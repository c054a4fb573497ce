// Folds on the host and on simulated GPUs against the interpreter: orders, families, guards, types.
// RUN: zyxc kernel check %s --sizes 16 | FileCheck %s
// RUN: zyxc kernel check %s --sizes 8 --target host-avx2 | FileCheck %s
// RUN: zyxc kernel check %s --sizes 8 --target sm_90a --simulate --work 2e6 | FileCheck %s

// States per column: lanes along the columns.
// CHECK: checked @columns on {{.*}} all agree
zyxk.kernel @columns dims(R, N) ports(%x: in f32[R, N], %y: out f32[N], %k: out i32[N]) axes(r < R, n < N) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %a = load %x[r, n] : f32
  %s, %c = fold %a over [r] init(%zero, %none) step(%s: f32, %c: i32, %v: f32) {
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1 : i32
    %t = arith.mulf %s, %half : f32
    %u = arith.addf %t, %v : f32
    %d = arith.addi %c, %one : i32
    %p = arith.cmpf ogt, %v, %half : f32
    %e = arith.select %p, %d, %c : i32
    yield %u, %e : f32, i32
  }
  store %s, %y[n] : f32
  store %c, %k[n] : i32
}
// A free fold over both axes of a matrix per batch: a sum of squares and the largest element.
// CHECK: checked @squares on {{.*}} all agree
zyxk.kernel @squares dims(B, R, N) ports(%x: in f16[B, R, N], %y, %z: out f32[B]) axes(b < B, r < R, n < N) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %a = load %x[b, r, n] : f16
  %s, %m = fold %a over [r, n] order free init(%zero, %low) step(%s: f32, %m: f32, %v: f16) {
    %w = arith.extf %v : f16 to f32
    %q = arith.mulf %w, %w : f32
    %t = arith.addf %s, %q : f32
    %u = arith.maximumf %m, %w : f32
    yield %t, %u : f32, f32
  } merge(%s: f32, %m: f32, %t: f32, %u: f32) {
    %v = arith.addf %s, %t : f32
    %w = arith.maximumf %m, %u : f32
    yield %v, %w : f32, f32
  }
  store %s, %y[b] : f32
  store %m, %z[b] : f32
}
// The state is used again along the row, between a reduction and a store.
// CHECK: checked @decayed on {{.*}} all agree
zyxk.kernel @decayed dims(R, N) ports(%x: in f32[R, N], %h: in f32[R], %y: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %h0 = load %h[r] : f32
  %s = fold %a, %m over [n] init(%h0) step(%s: f32, %v: f32, %m: f32) {
    %half = arith.constant 0.5 : f32
    %t = arith.mulf %s, %half : f32
    %d = arith.subf %v, %m : f32
    %u = arith.addf %t, %d : f32
    yield %u : f32
  }
  %q = arith.addf %a, %s : f32
  store %q, %y[r, n] : f32
}
// A restricted domain: the points up to the diagonal, composed in order.
// CHECK: checked @triangle on {{.*}} all agree
zyxk.kernel @triangle dims(N) ports(%x: in f32[N, N], %y: out f32[N]) axes(i < N, j < N where j <= i) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %a = load %x[i, j] : f32
  %p, %q = fold %a over [j] order tree init(%one, %zero) step(%p: f32, %q: f32, %v: f32) {
    %s = arith.mulf %v, %p : f32
    %t = arith.mulf %v, %q : f32
    %u = arith.addf %t, %v : f32
    yield %s, %u : f32, f32
  } merge(%p: f32, %q: f32, %s: f32, %t: f32) {
    %u = arith.mulf %s, %p : f32
    %v = arith.mulf %s, %q : f32
    %w = arith.addf %v, %t : f32
    yield %u, %w : f32, f32
  }
  %r = arith.addf %p, %q : f32
  store %r, %y[i] : f32
}
// Behind a guard: rows outside of it are not loaded. Bytes as states.
// CHECK: checked @guarded on {{.*}} all agree
zyxk.kernel @guarded dims(R, N) ports(%x: in i8[R, N], %y: out i8[R + 2]) axes(r < R + 2, n < N) {
  %none = arith.constant 0 : i8
  %a = load %x[r - 1, n] : i8
  %s = fold %a over [n] init(%none) step(%s: i8, %v: i8) {
    %three = arith.constant 3 : i8
    %t = arith.muli %s, %three : i8
    %u = arith.xori %t, %v : i8
    yield %u : i8
  }
  %w = where %s if (r >= 1 and r <= R) else %none : i8
  store %w, %y[r] : i8
}
