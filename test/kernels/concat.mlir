// Concatenation of two tensors along the channels: where over disjoint sets.
// RUN: zyx-opt %s --zyxk-lower-host | FileCheck %s
// CHECK: func.func @concat
zyxk.kernel @concat ports(%a: in f32[2, 64, 49], %b: in f32[2, 32, 49], %y: out f32[2, 96, 49])
    axes(n < 2, c < 96, p < 49) {
  %zero = arith.constant 0.0 : f32
  %x = load %a[n, c, p] : f32
  %x0 = where %x if (c < 64) else %zero : f32
  %z = load %b[n, c - 64, p] : f32
  %z0 = where %z if (c >= 64) else %x0 : f32
  store %z0, %y[n, c, p] : f32
}
