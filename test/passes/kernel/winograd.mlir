// A 3x3 convolution as transforms and one product per point of a 4x4 tile.
// RUN: zyx-opt %s --zyxk-winograd | FileCheck %s

// CHECK: zyxk.kernel @conv_filter ports(%in0: in f32[32, 16, 3, 3], %out1: out f32[4, 4, 32, 16])
// CHECK: zyxk.kernel @conv_input ports(%in0: in f32[2, 16, 13, 14], %out1: out f32[4, 4, 16, 2, 7, 7])
// CHECK: zyxk.kernel @conv_product ports(%in0: in f32[4, 4, 32, 16], %in1: in f32[4, 4, 16, 2, 7, 7], %out2: out f32[4, 4, 32, 2, 7, 7])
// CHECK: contract %{{.*}}, %{{.*}} over [i3] : f32, f32 -> f32
// CHECK: zyxk.kernel @conv_result
// CHECK: arith.maximumf
// CHECK: zyxk.program @conv
// CHECK-NEXT: launch @conv_filter(%in1, %scratch3)
// CHECK-NEXT: launch @conv_input(%in0, %scratch4)
// CHECK-NEXT: launch @conv_product(%scratch3, %scratch4, %scratch5)
// CHECK-NEXT: launch @conv_result(%out2, %scratch5)
zyxk.kernel @conv ports(%x: in f32[2, 16, 13, 14], %w: in f32[32, 16, 3, 3], %y: out f32[2, 32, 13, 14])
    axes(n < 2, o < 32, p < 13, q < 14, c < 16, r < 3, s < 3) {
  %zero = arith.constant 0.0 : f32
  %v = load %x[n, c, p + r - 1, q + s - 1] : f32
  %u = where %v if (p + r >= 1 and p + r <= 13 and q + s >= 1 and q + s <= 14) else %zero : f32
  %f = load %w[o, c, r, s] : f32
  %t = contract %u, %f over [c, r, s] : f32, f32 -> f32
  %m = arith.maximumf %t, %zero : f32
  store %m, %y[n, o, p, q] : f32
}

// Stride 2 has no such form.
// CHECK: zyxk.kernel @strided
// CHECK-NOT: zyxk.program
zyxk.kernel @strided ports(%x: in f32[16, 15, 15], %w: in f32[32, 16, 3, 3], %y: out f32[32, 7, 7])
    axes(o < 32, p < 7, q < 7, c < 16, r < 3, s < 3) {
  %v = load %x[c, p * 2 + r, q * 2 + s] : f32
  %f = load %w[o, c, r, s] : f32
  %t = contract %v, %f over [c, r, s] : f32, f32 -> f32
  store %t, %y[o, p, q] : f32
}
