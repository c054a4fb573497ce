// Unit axes go, contiguous axes merge with their ports, guards that always hold go, equal ops are
// shared.
// RUN: zyx-opt %s --zyxk-normalize | FileCheck %s

// CHECK-LABEL: zyxk.kernel @relu ports(%in0: in f32[802816], %out1: out f32[802816]) axes(w < 802816) {
// CHECK: %[[A:.*]] = load %in0[w] : f32
// CHECK-NOT: where
// CHECK: %[[M:.*]] = arith.maximumf %[[A]], %{{.*}} : f32
// CHECK: store %[[M]], %out1[w] : f32
zyxk.kernel @relu ports(%x: in f32[1, 256, 56, 56], %y: out f32[1, 256, 56, 56])
    axes(n < 1, c < 256, h < 56, w < 56) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[n, c, h, w] : f32
  %g = where %a if (h >= 0 and w <= 55) else %zero : f32
  %m = arith.maximumf %g, %zero : f32
  store %m, %y[n, c, h, w] : f32
}

// The axes of a window stay: the padded load uses h alone.
// CHECK-LABEL: zyxk.kernel @pool ports(%in0: in f32[64, 112, 112], %out1: out f32[64, 56, 56]) axes(c < 64, h < 56, w < 56, r < 3, s < 3) {
// CHECK: load %in0[c, h * 2 + r - 1, w * 2 + s - 1] : f32
zyxk.kernel @pool ports(%x: in f32[1, 64, 112, 112], %y: out f32[1, 64, 56, 56])
    axes(n < 1, c < 64, h < 56, w < 56, r < 3, s < 3) {
  %low = arith.constant 0xFF800000 : f32
  %v = load %x[n, c, h * 2 + r - 1, w * 2 + s - 1] : f32
  %u = where %v if (h * 2 + r >= 1 and w * 2 + s >= 1) else %low : f32
  %m = reduce max %u over [r, s] : f32
  store %m, %y[n, c, h, w] : f32
}

// The rows of a softmax merge, its columns with nothing; the second load is the first.
// CHECK-LABEL: zyxk.kernel @softmax ports(%in0: in f32[96, 512], %out1: out f32[96, 512]) axes(h < 96, n < 512) {
// CHECK: load
// CHECK-NOT: load
// CHECK: store
zyxk.kernel @softmax ports(%x: in f32[8, 12, 512], %y: out f32[8, 12, 512]) axes(b < 8, h < 12, n < 512, u < 1) {
  %a = load %x[b, h, n] : f32
  %m = reduce max %a over [n, u] : f32
  %b = load %x[b, h, n] : f32
  %d = arith.subf %b, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] : f32
  %o = reduce add %s over [u] : f32
  %q = arith.divf %e, %o : f32
  store %q, %y[b, h, n] : f32
}

// A coordinate of a merged axis is simplified back: (i * 8 + j) floordiv 8 is i.
// CHECK-LABEL: zyxk.kernel @blocks
// CHECK: load %in0[i, j] : f32
zyxk.kernel @blocks ports(%x: in f32[6, 8], %y: out f32[8, 6]) axes(i < 6, j < 8) {
  %a = load %x[(i * 8 + j) floordiv 8, (i * 8 + j) mod 8] : f32
  store %a, %y[j, i] : f32
}

// A contraction keeps one axis, even of extent 1.
// CHECK-LABEL: zyxk.kernel @outer ports(%in0: in f32[4, 1], %in1: in f32[1, 4], %out2: out f32[4, 4]) axes(i < 4, j < 4, k < 1) {
// CHECK: contract %{{.*}}, %{{.*}} over [k]
zyxk.kernel @outer ports(%a: in f32[4, 1], %b: in f32[1, 4], %y: out f32[4, 4]) axes(i < 4, j < 4, k < 1, l < 1) {
  %x = load %a[i, k + l] : f32
  %w = load %b[k, j] : f32
  %c = contract %x, %w over [k, l] : f32, f32 -> f32
  store %c, %y[i, j] : f32
}

// The restriction holds for the sum, which knows r; without r it would hold for the store, too.
// CHECK-LABEL: zyxk.kernel @restricted
// CHECK-SAME: axes(i < 8, r < 1, s < 4 where i + r >= 1)
zyxk.kernel @restricted ports(%x: in f32[8, 4], %y: out f32[8]) axes(i < 8, r < 1, s < 4 where i + r >= 1) {
  %a = load %x[i + r, s] : f32
  %t = reduce add %a over [r, s] : f32
  store %t, %y[i] : f32
}
