// RUN: zyx-opt %s | FileCheck %s
// RUN: zyx-opt %s | zyx-opt | FileCheck %s
// RUN: zyx-opt %s --mlir-print-op-generic | zyx-opt | FileCheck %s

// CHECK-LABEL: zyxk.kernel @softmax dims(R, N) ports(%in0: in f32[R, N], %out1: out f32[R, N]) axes(r < R, n < N) {
// CHECK-NEXT: %[[A:.*]] = load %in0[r, n] : f32
// CHECK-NEXT: %[[M:.*]] = reduce max %[[A]] over [n] : f32
// CHECK: store %{{.*}}, %out1[r, n] : f32
// CHECK: } schedule #zyxk.row<rows = 1, hold = reload, vec = 16>
zyxk.kernel @softmax dims(R, N) ports(%x: in f32[R,N], %y: out f32[R,N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] order tree : f32
  %q = arith.divf %e, %s : f32
  store %q, %y[r, n] : f32
} schedule #zyxk.row<scope = lane, rows = 1, hold = reload, vec = 16>

// CHECK-LABEL: zyxk.kernel @attention_scores dims(B, S)
// CHECK-SAME: in0: in f16[B, S, 64], %in1: in f16[B, S, 64], %out2: out f32[B, S, S] align 64
// CHECK-SAME: axes(b < B, i < S, j < S, d < 64 where i >= j) assume(S mod 8 == 0) {
// CHECK: contract %{{.*}}, %{{.*}} over [d] : f16, f16 -> f32
// CHECK: } schedule #zyxk.contract<mr = 8, nr = 32, pack_a = none, order = "nkm">
zyxk.kernel @attention_scores dims(B, S) ports(%q, %k: in f16[B,S,64], %o: out f32[B,S,S] align 64)
    axes(b < B, i < S, j < S, d < 64 where j <= i) assume(S mod 8 == 0) {
  %q0 = load %q[b, i, d] : f16
  %k0 = load %k[b, j, d] : f16
  %s = contract %q0, %k0 over [d] : f16, f16 -> f32
  store %s, %o[b, i, j] : f32
} schedule #zyxk.contract<pack_a = none, mr = 8, nr = 32, order = "nkm", unit = fma>

// CHECK-LABEL: zyxk.kernel @gather ports(%in0: in f32[10, 4], %in1: in i32[6], %out2: out f32[6, 4] layout(_0, _1 -> _0 * 8 + _1)) axes(i < 6, c < 4) {
// CHECK: load %in0[%{{.*}}, c] oob clamp : f32
zyxk.kernel @gather ports(%x: in f32[10, 4], %p: in i32[6], %y: out f32[6, 4] layout(a, b -> a * 8 + b)) axes(i < 6, c < 4) {
  %k = load %p[i] : i32
  %i = arith.index_cast %k : i32 to index
  %v = load %x[%i, c] oob clamp : f32
  store %v, %y[i, c] combine add : f32
} schedule #zyxk.map<>

// CHECK-LABEL: zyxk.kernel @pool
// CHECK: load %in0[h * 2 + r - 1, (c * 3) floordiv 4] : f32
// CHECK: where %{{.*}} if (h * 2 + r >= 1 and h * 2 + r <= 9) else %{{.*}} : f32
// CHECK: %[[I:.*]] = index r
// CHECK: reduce argmax %{{.*}} over [r] last : f32 -> i64
zyxk.kernel @pool ports(%x: in f32[9, 3], %y: out f32[5, 4], %z: out i64[5, 4]) axes(h < 5, r < 3, c < 4) {
  %zero = arith.constant 0.0 : f32
  %v = load %x[h * 2 + r - 1, c * 3 floordiv 4] : f32
  %w = where %v if (h * 2 + r >= 1 and h * 2 + r < 10) else %zero : f32
  %i = index r
  %j = arith.index_cast %i : index to i32
  %f = arith.sitofp %j : i32 to f32
  %u = arith.addf %w, %f : f32
  %m = reduce max %u over [r] : f32
  %a = reduce argmax %u over [r] last : f32 -> i64
  store %m, %y[h, c] : f32
  store %a, %z[h, c] : i64
}
