// tanh on a GPU: a polynomial below 0.8, the power above, NaN and infinities by either.
// RUN: zyxc kernel check %s --target sm_90a --simulate | FileCheck %s
// RUN: zyxc kernel check %s --target sm_90a --simulate --non-finite 20 | FileCheck %s
// RUN: zyxc kernel emit %s --target sm_90a --emit ptx | FileCheck %s --check-prefix=PTX
// CHECK: all agree
// PTX: ex2.approx.ftz.f32
zyxk.kernel @tanhs ports(%x: in f32[4096], %y: out f32[4096]) axes(i < 4096) {
  %a = load %x[i] : f32
  %c = arith.constant 3.0 : f32
  %b = arith.mulf %a, %c : f32
  %t = math.tanh %b : f32
  store %t, %y[i] : f32
}
