// A sum of products becomes a contraction, whose operands are as narrow as they are in memory.
// RUN: zyx-opt %s --zyxk-conv-to-contract | FileCheck %s

// CHECK-LABEL: @conv
// CHECK: %[[U:.*]] = where
// CHECK: %[[F:.*]] = load %in1
// CHECK: %[[R:.*]] = contract %[[U]], %[[F]] over [c, r, s] : f16, f16 -> f32
// CHECK: store %[[R]]
zyxk.kernel @conv ports(%x: in f16[2, 16, 14, 14], %w: in f16[32, 16, 3, 3], %y: out f32[2, 32, 14, 14])
    axes(n < 2, o < 32, p < 14, q < 14, c < 16, r < 3, s < 3) {
  %zero = arith.constant 0.0 : f16
  %v = load %x[n, c, p + r - 1, q + s - 1] : f16
  %u = where %v if (p + r >= 1 and p + r <= 14 and q + s >= 1 and q + s <= 14) else %zero : f16
  %f = load %w[o, c, r, s] : f16
  %a = arith.extf %u : f16 to f32
  %b = arith.extf %f : f16 to f32
  %m = arith.mulf %a, %b : f32
  %t = reduce add %m over [c, r, s] : f32
  store %t, %y[n, o, p, q] : f32
}

// One factor does not depend on the summed axis.
// CHECK-LABEL: @scaled
// CHECK: reduce add
zyxk.kernel @scaled ports(%x: in f32[8, 16], %w: in f32[8], %y: out f32[8]) axes(i < 8, k < 16) {
  %a = load %x[i, k] : f32
  %b = load %w[i] : f32
  %m = arith.mulf %a, %b : f32
  %t = reduce add %m over [k] : f32
  store %t, %y[i] : f32
}
