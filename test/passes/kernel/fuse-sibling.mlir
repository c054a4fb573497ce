// Launches side by side that read the same port become one; axes meet where the port says so.
// RUN: zyx-opt %s --zyxk-fuse-sibling | FileCheck %s

// CHECK: zyxk.kernel @row_max_row_sum dims(M) ports(%in0: in f32[M, 64], %out1: out f32[M], %out2: out f32[M]) axes(r < M, n < 64) {
// CHECK-DAG: reduce max %{{.*}} over [n] : f32
// CHECK-DAG: reduce add %{{.*}} over [n] : f32
// CHECK-DAG: store %{{.*}}, %out1[r] : f32
// CHECK-DAG: store %{{.*}}, %out2[r] : f32
// CHECK: zyxk.program @both dims(M)
// CHECK-NEXT: launch @row_max_row_sum(%in0, %out1, %out2) dims(M = M)
// CHECK-NEXT: }
zyxk.kernel @row_max dims(R) ports(%x: in f32[R, 64], %y: out f32[R]) axes(r < R, n < 64) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  store %m, %y[r] : f32
}
zyxk.kernel @row_sum dims(R) ports(%y: out f32[R], %x: in f32[R, 64]) axes(k < 64, i < R) {
  %a = load %x[i, k] : f32
  %m = reduce add %a over [k] : f32
  store %m, %y[i] : f32
}
zyxk.program @both dims(M) ports(%x: in f32[M, 64], %y, %z: out f32[M]) {
  launch @row_max(%x, %y) dims(R = M)
  launch @row_sum(%z, %x) dims(R = M)
}

// The second one reads what the first one writes.
// CHECK: zyxk.program @chain
// CHECK-NEXT: launch
// CHECK-NEXT: launch
zyxk.kernel @add ports(%x, %b: in f32[8], %y: out f32[8]) axes(i < 8) {
  %a = load %x[i] : f32
  %c = load %b[i] : f32
  %s = arith.addf %a, %c : f32
  store %s, %y[i] : f32
}
zyxk.program @chain ports(%x: in f32[8], %y: out f32[8], %w: scratch f32[8]) {
  launch @add(%x, %x, %w)
  launch @add(%x, %w, %y)
}
