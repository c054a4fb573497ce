// Log-sum-exp of rows in one pass, with a maximum that grows: a fold in any order.
// RUN: zyxc kernel check %s | FileCheck %s
// RUN: zyxc kernel check %s --target sm_80 --simulate --sizes 8 --work 2e6 | FileCheck %s
// CHECK: checked @log_sum_exp on {{.*}}: {{.*}} all agree
zyxk.kernel @log_sum_exp dims(R, N) ports(%x: in f32[R, N], %y: out f32[R]) axes(r < R, n < N)
    assume(N >= 1) {
  %low = arith.constant -3.0e38 : f32
  %zero = arith.constant 0.0 : f32
  %a = load %x[r, n] : f32
  %m, %l = fold %a over [n] order free init(%low, %zero) step(%m0: f32, %l0: f32, %v: f32) {
    %m1 = arith.maximumf %m0, %v : f32
    %d = arith.subf %m0, %m1 : f32
    %e = math.exp %d : f32
    %s = arith.mulf %l0, %e : f32
    %f = arith.subf %v, %m1 : f32
    %g = math.exp %f : f32
    %l1 = arith.addf %s, %g : f32
    yield %m1, %l1 : f32, f32
  } merge(%m0: f32, %l0: f32, %m1: f32, %l1: f32) {
    %m2 = arith.maximumf %m0, %m1 : f32
    %d0 = arith.subf %m0, %m2 : f32
    %e0 = math.exp %d0 : f32
    %s0 = arith.mulf %l0, %e0 : f32
    %d1 = arith.subf %m1, %m2 : f32
    %e1 = math.exp %d1 : f32
    %s1 = arith.mulf %l1, %e1 : f32
    %l2 = arith.addf %s0, %s1 : f32
    yield %m2, %l2 : f32, f32
  }
  %t = math.log %l : f32
  %r = arith.addf %m, %t : f32
  store %r, %y[r] : f32
}
