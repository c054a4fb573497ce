// Layer normalization: the variance is a reduction of a value that uses another reduction.
// RUN: zyx-opt %s --zyxk-lower-host | FileCheck %s
// CHECK: func.func @layer_norm
zyxk.kernel @layer_norm ports(%x: in f32[64, 768], %g: in f32[768], %b: in f32[768],
    %y: out f32[64, 768]) axes(r < 64, n < 768) {
  %count = arith.constant 768.0 : f32
  %epsilon = arith.constant 1.0e-05 : f32
  %a = load %x[r, n] : f32
  %sum = reduce add %a over [n] : f32
  %mean = arith.divf %sum, %count : f32
  %d = arith.subf %a, %mean : f32
  %d2 = arith.mulf %d, %d : f32
  %squares = reduce add %d2 over [n] : f32
  %variance = arith.divf %squares, %count : f32
  %shifted = arith.addf %variance, %epsilon : f32
  %deviation = math.sqrt %shifted : f32
  %unit = arith.divf %d, %deviation : f32
  %scale = load %g[n] : f32
  %bias = load %b[n] : f32
  %scaled = arith.mulf %unit, %scale : f32
  %out = arith.addf %scaled, %bias : f32
  store %out, %y[r, n] : f32
}
