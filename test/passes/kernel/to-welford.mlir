// A mean and the squared deviations from it in one pass.
// RUN: zyx-opt %s --zyxk-to-welford | FileCheck %s

// CHECK-LABEL: @layer_norm
// CHECK: %[[A:.*]] = load
// CHECK: %[[MEAN:.*]], %[[M2:.*]] = welford %[[A]] over [n] : f32
// CHECK: arith.subf %[[A]], %[[MEAN]] : f32
// CHECK: arith.divf %[[M2]], %{{.*}} : f32
// CHECK-NOT: reduce
zyxk.kernel @layer_norm ports(%x: in f32[64, 768], %y: out f32[64, 768]) axes(r < 64, n < 768) {
  %count = arith.constant 768.0 : f32
  %a = load %x[r, n] : f32
  %sum = reduce add %a over [n] : f32
  %mean = arith.divf %sum, %count : f32
  %d = arith.subf %a, %mean : f32
  %d2 = arith.mulf %d, %d : f32
  %squares = reduce add %d2 over [n] : f32
  %variance = arith.divf %squares, %count : f32
  %unit = arith.divf %d, %variance : f32
  store %unit, %y[r, n] : f32
}

// Divided by something else than the count: left as it is.
// CHECK-LABEL: @other
// CHECK-NOT: welford
zyxk.kernel @other ports(%x: in f32[64, 768], %y: out f32[64]) axes(r < 64, n < 768) {
  %count = arith.constant 767.0 : f32
  %a = load %x[r, n] : f32
  %sum = reduce add %a over [n] : f32
  %mean = arith.divf %sum, %count : f32
  %d = arith.subf %a, %mean : f32
  %d2 = arith.mulf %d, %d : f32
  %squares = reduce add %d2 over [n] : f32
  store %squares, %y[r] : f32
}
