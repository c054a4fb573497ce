// The end of a residual block: an elementwise kernel with two inputs.
// RUN: zyx-opt %s --zyxk-lower-host | FileCheck %s
// CHECK: func.func @relu_add
zyxk.kernel @relu_add ports(%x, %r: in f32[1, 256, 56, 56], %y: out f32[1, 256, 56, 56])
    axes(n < 1, c < 256, h < 56, w < 56) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[n, c, h, w] : f32
  %b = load %r[n, c, h, w] : f32
  %s = arith.addf %a, %b : f32
  %m = arith.maximumf %s, %zero : f32
  store %m, %y[n, c, h, w] : f32
} schedule #zyxk.map<tile = 16384>
