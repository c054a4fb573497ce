// Softmax, attention and cross-entropy are one op: a maximum and sums of exponentials.
// RUN: zyx-opt %s --zyxk-to-expsum | FileCheck %s

// CHECK-LABEL: @softmax
// CHECK: %[[A:.*]] = load
// CHECK-NEXT: %[[M:.*]], %[[L:.*]] = expsum %[[A]] over [n] weights(unit) : f32
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[A]], %[[M]] : f32
// CHECK-NEXT: %[[E:.*]] = math.exp %[[D]] : f32
// CHECK-NEXT: arith.divf %[[E]], %[[L]] : f32
zyxk.kernel @softmax dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] : f32
  %q = arith.divf %e, %s : f32
  store %q, %y[r, n] : f32
}

// The weights are divided by their sum and rounded before they meet the values.
// CHECK-LABEL: @attention
// CHECK: %[[S:.*]] = contract
// CHECK: %[[V:.*]] = load %in2
// CHECK: %{{.*}}, %[[SUMS:.*]]:2 = expsum %{{.*}} over [j] weights(unit, %[[V]] : f16) : f32
// CHECK-NOT: reduce
// CHECK-NOT: math.exp
// CHECK: %[[O:.*]] = arith.divf %[[SUMS]]#1, %[[SUMS]]#0 : f32
// CHECK: store %[[O]]
zyxk.kernel @attention ports(%q, %k, %v: in f16[128, 64], %o: out f32[128, 64]) axes(i < 128, j < 128, d < 64, e < 64) {
  %scale = arith.constant 0.125 : f32
  %q0 = load %q[i, d] : f16
  %k0 = load %k[j, d] : f16
  %s = contract %q0, %k0 over [d] : f16, f16 -> f32
  %t = arith.mulf %s, %scale : f32
  %m = reduce max %t over [j] : f32
  %x = arith.subf %t, %m : f32
  %w = math.exp %x : f32
  %l = reduce add %w over [j] : f32
  %p = arith.divf %w, %l : f32
  %h = arith.truncf %p : f32 to f16
  %v0 = load %v[j, e] : f16
  %r = contract %h, %v0 over [j] : f16, f16 -> f32
  store %r, %o[i, e] : f32
}

// A mean of values weighted by exponentials.
// CHECK-LABEL: @weighted
// CHECK: %{{.*}}, %[[SUMS:.*]]:2 = expsum %{{.*}} over [n] weights(unit, %{{.*}} : f32) : f32
// CHECK: arith.divf %[[SUMS]]#1, %[[SUMS]]#0
zyxk.kernel @weighted ports(%x, %w: in f32[8, 16], %y: out f32[8]) axes(r < 8, n < 16) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] : f32
  %b = load %w[r, n] : f32
  %p = arith.mulf %b, %e : f32
  %u = reduce add %p over [n] : f32
  %q = arith.divf %u, %s : f32
  store %q, %y[r] : f32
}

// Other axes, or another maximum: left as it is.
// CHECK-LABEL: @other
// CHECK-NOT: expsum
zyxk.kernel @other ports(%x: in f32[8, 16], %y: out f32[8]) axes(r < 8, n < 16) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [r, n] : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] : f32
  store %s, %y[r] : f32
}
