// Ops that combine values along axes, scalar calls and loads outside of their port, there and back.
// RUN: zyx-opt %s | FileCheck %s
// RUN: zyx-opt %s | zyx-opt | FileCheck %s
// RUN: zyx-opt %s --mlir-print-op-generic | zyx-opt | FileCheck %s

// CHECK-LABEL: zyxk.kernel @attention dims(B, S)
// CHECK-SAME: axes(b < B, i < S, j < S, d < 64, e < 64 where i >= j)
// CHECK: %[[S:.*]] = contract
// CHECK: %[[M:.*]], %[[SUMS:.*]]:2 = expsum %[[S]] over [j] weights(unit, %{{.*}} : f16) : f32
// CHECK: arith.divf %[[SUMS]]#1, %[[SUMS]]#0 : f32
zyxk.kernel @attention dims(B, S) ports(%q, %k, %v: in f16[B, S, 64], %o: out f32[B, S, 64])
    axes(b < B, i < S, j < S, d < 64, e < 64 where j <= i) {
  %q0 = load %q[b, i, d] : f16
  %k0 = load %k[b, j, d] : f16
  %v0 = load %v[b, j, e] : f16
  %s = contract %q0, %k0 over [d] : f16, f16 -> f32
  %m, %l, %u = expsum %s over [j] weights(unit, %v0 : f16) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[b, i, e] : f32
}

// CHECK-LABEL: zyxk.kernel @triangle
// CHECK-SAME: axes(i < 8, j < i + 1)
zyxk.kernel @triangle ports(%x: in f32[8, 8], %y: out f32[8]) axes(i < 8, j < i + 1) {
  %a = load %x[i, j] : f32
  %s = reduce add %a over [j] : f32
  store %s, %y[i] : f32
}

// CHECK-LABEL: zyxk.kernel @variance
// CHECK: %{{.*}}, %[[M2:.*]] = welford %{{.*}} over [n] : f32
zyxk.kernel @variance dims(R, N) ports(%x: in f32[R, N], %y: out f32[R]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %mean, %m2 = welford %a over [n] : f32
  store %m2, %y[r] : f32
}

// CHECK-LABEL: zyxk.kernel @running
// CHECK: scan add %{{.*}} along n : f32
// CHECK: scan max %{{.*}} along n exclusive reverse : f32
zyxk.kernel @running dims(R, N) ports(%x: in f32[R, N], %y, %z: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %s = scan add %a along n : f32
  %m = scan max %a along n exclusive reverse : f32
  store %s, %y[r, n] : f32
  store %m, %z[r, n] : f32
}

// CHECK-LABEL: zyxk.kernel @shifted
// CHECK: load %in0[r + 1] oob else(%[[C:.*]]) : f32
// CHECK: load %in0[%{{.*}}] oob else(%[[C]]) : f32
// CHECK: scalar @gelu_tanh(%{{.*}}) : f32
// CHECK: scalar @max(%{{.*}}, %{{.*}}) : f32
zyxk.kernel @shifted ports(%x: in f32[8], %p: in i64[8], %y: out f32[8]) axes(r < 8) {
  %c = arith.constant 2.0 : f32
  %a = load %x[r + 1] oob else(%c) : f32
  %k = load %p[r] : i64
  %i = arith.index_cast %k : i64 to index
  %b = load %x[%i] oob else(%c) : f32
  %g = scalar @gelu_tanh(%a) : f32
  %o = scalar @max(%g, %b) : f32
  store %o, %y[r] : f32
}
