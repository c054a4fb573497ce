// A value that one launch writes to scratch and one other reads is computed where it is needed.
// RUN: zyx-opt %s --split-input-file --zyxk-fuse-producer | FileCheck %s

// An elementwise producer, read transposed; the other kernels go.
// CHECK-NOT: zyxk.kernel @scale dims
// CHECK: zyxk.kernel @scale_turn dims(M) ports(%out0: out f32[8, M], %in1: in f32[M, 8]) axes(i < 8, j < M) {
// CHECK-NEXT: %[[A:.*]] = load %in1[j, i] : f32
// CHECK-NEXT: %[[E:.*]] = math.exp %[[A]] : f32
// CHECK-NEXT: store %[[E]], %out0[i, j] : f32
// CHECK: zyxk.program @both dims(M) ports(%in0: in f32[M, 8], %out1: out f32[8, M]) {
// CHECK-NEXT: launch @scale_turn(%out1, %in0) dims(M = M)
zyxk.kernel @scale dims(R, C) ports(%x: in f32[R, C], %y: out f32[R, C]) axes(r < R, c < C) {
  %a = load %x[r, c] : f32
  %e = math.exp %a : f32
  store %e, %y[r, c] : f32
}
zyxk.kernel @turn dims(R, C) ports(%x: in f32[R, C], %y: out f32[C, R]) axes(i < C, j < R) {
  %a = load %x[j, i] : f32
  store %a, %y[i, j] : f32
}
zyxk.program @both dims(M) ports(%x: in f32[M, 8], %y: out f32[8, M], %w: scratch f32[M, 8]) {
  launch @scale(%x, %w) dims(R = M, C = 8)
  launch @turn(%w, %y) dims(R = M, C = 8)
}

// -----

// A contraction and what follows it: bias and activation. The summed axis is a new one.
// CHECK-LABEL: zyxk.kernel @matmul_bias
// CHECK-SAME: axes(r < 32, c < 16, k < 64)
// CHECK: %[[C:.*]] = contract %{{.*}}, %{{.*}} over [k] : f32, f32 -> f32
// CHECK: %[[S:.*]] = arith.addf %[[C]], %{{.*}} : f32
// CHECK: store %[[S]]
zyxk.kernel @matmul ports(%x: in f32[32, 64], %w: in f32[64, 16], %y: out f32[32, 16]) axes(i < 32, j < 16, k < 64) {
  %a = load %x[i, k] : f32
  %b = load %w[k, j] : f32
  %c = contract %a, %b over [k] : f32, f32 -> f32
  store %c, %y[i, j] : f32
}
zyxk.kernel @bias ports(%x: in f32[32, 16], %b: in f32[16], %y: out f32[32, 16]) axes(r < 32, c < 16) {
  %a = load %x[r, c] : f32
  %b0 = load %b[c] : f32
  %s = arith.addf %a, %b0 : f32
  store %s, %y[r, c] : f32
}
zyxk.program @layer ports(%x: in f32[32, 64], %w: in f32[64, 16], %b: in f32[16], %y: out f32[32, 16], %t: scratch f32[32, 16]) {
  launch @matmul(%x, %w, %t)
  launch @bias(%t, %b, %y)
}

// -----

// A softmax walks along an axis that it stores: not recomputed at each point.
// CHECK: launch @softmax
// CHECK: launch @copy
zyxk.kernel @softmax ports(%x: in f32[4, 8], %y: out f32[4, 8]) axes(r < 4, n < 8) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  store %d, %y[r, n] : f32
}
zyxk.kernel @copy ports(%x: in f32[4, 8], %y: out f32[4, 8]) axes(r < 4, n < 8) {
  %a = load %x[r, n] : f32
  store %a, %y[r, n] : f32
}
zyxk.program @rows ports(%x: in f32[4, 8], %y: out f32[4, 8], %t: scratch f32[4, 8]) {
  launch @softmax(%x, %t)
  launch @copy(%t, %y)
}
