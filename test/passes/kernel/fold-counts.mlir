// RUN: zyx-opt %s -zyxk-fold-counts | FileCheck %s

// CHECK-LABEL: zyxk.kernel @counts
// CHECK-DAG: arith.constant 2.000000e+01 : f32
// CHECK-DAG: arith.constant -12 : i8
// CHECK-NOT: reduce add
// CHECK: reduce max
// CHECK-NOT: reduce add
zyxk.kernel @counts ports(%x: in f32[4, 5], %y: out f32[4], %z: out i8[4]) axes(r < 4, n < 5, m < 2) {
  %one = arith.constant 1.0 : f32
  %i = arith.constant -6 : i8
  %a = load %x[r, n] : f32
  %c = reduce add %one over [r, n] : f32
  %d = reduce add %i over [m] : i8
  %e = reduce max %a over [n] : f32
  %q = arith.divf %e, %c : f32
  store %q, %y[r] : f32
  store %d, %z[r] : i8
}

// Unknown sizes, restricted domains and values that vary stay.
// CHECK-LABEL: zyxk.kernel @stays
// CHECK: reduce add
// CHECK: reduce add
zyxk.kernel @stays dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(r < N, n < N) {
  %one = arith.constant 1.0 : f32
  %c = reduce add %one over [n] : f32
  %a = load %x[r] : f32
  %s = reduce add %a over [r] : f32
  %q = arith.divf %s, %c : f32
  store %q, %y[n] : f32
}
