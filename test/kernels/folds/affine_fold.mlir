// The last state of h = a * h + b along rows: affine maps are joined in order, so parts of a row can be
// joined before the state is known.
// RUN: zyxc kernel check %s --target sm_80 --simulate --sizes 8 --work 2e6 | FileCheck %s
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @affine_fold on {{.*}}: {{.*}} all agree
zyxk.kernel @affine_fold dims(R, N) ports(%a, %b: in f32[R, N], %h: in f32[R], %y: out f32[R])
    axes(r < R, n < N) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %x = load %a[r, n] : f32
  %z = load %b[r, n] : f32
  %p, %q = fold %x, %z over [n] order tree init(%one, %zero)
      step(%p0: f32, %q0: f32, %x0: f32, %z0: f32) {
    %s = arith.mulf %x0, %p0 : f32
    %t = arith.mulf %x0, %q0 : f32
    %u = arith.addf %t, %z0 : f32
    yield %s, %u : f32, f32
  } merge(%p0: f32, %q0: f32, %p1: f32, %q1: f32) {
    %s = arith.mulf %p1, %p0 : f32
    %t = arith.mulf %p1, %q0 : f32
    %u = arith.addf %t, %q1 : f32
    yield %s, %u : f32, f32
  }
  %h0 = load %h[r] : f32
  %s = arith.mulf %p, %h0 : f32
  %last = arith.addf %s, %q : f32
  store %last, %y[r] : f32
}
