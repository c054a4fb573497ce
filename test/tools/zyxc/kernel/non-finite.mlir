// Infinities and NaNs in the inputs: every sum over a row of half of them is a NaN, exactly.
// RUN: zyxc kernel check %s | FileCheck %s --check-prefix=FINITE
// RUN: zyxc kernel check --non-finite 2 %s | FileCheck %s --check-prefix=NONFINITE
// FINITE: all agree with the interpreter (largest error {{[0-9.e-]*[1-9][0-9.e-]*}} of what is allowed)
// NONFINITE: all agree with the interpreter (largest error 0 of what is allowed)
zyxk.kernel @sums ports(%x: in f32[20, 300], %y: out f32[20]) axes(i < 20, j < 300) {
  %v = load %x[i, j] : f32
  %s = reduce add %v over [j] : f32
  store %s, %y[i] : f32
}
