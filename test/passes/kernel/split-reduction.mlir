// A reduction in parts, joined by a second kernel.
// RUN: zyx-opt %s --split-input-file --zyxk-split-reduction=parts=8 | FileCheck %s

// CHECK-LABEL: zyxk.kernel @column_sum_parts ports(%in0: in f32[4096, 64], %out1: out f32[8, 64]) axes(r < 512, n < 64, part < 8) {
// CHECK: load %in0[{{.*}}part * 512{{.*}}, n] : f32
// CHECK: %[[S:.*]] = reduce add %{{.*}} over [r] : f32
// CHECK: store %[[S]], %out1[part, n] : f32
// CHECK-LABEL: zyxk.kernel @column_sum_join ports(%out0: out f32[64], %in1: in f32[8, 64]) axes(n < 64, part < 8) {
// CHECK: %[[P:.*]] = load %in1[part, n] : f32
// CHECK: %[[T:.*]] = reduce add %[[P]] over [part] : f32
// CHECK: math.sqrt %[[T]]
// CHECK-LABEL: zyxk.program @column_sum ports(%in0: in f32[4096, 64], %out1: out f32[64], %scratch2: scratch f32[8, 64]) {
// CHECK-NEXT: launch @column_sum_parts(%in0, %scratch2)
// CHECK-NEXT: launch @column_sum_join(%out1, %scratch2)
zyxk.kernel @column_sum ports(%x: in f32[4096, 64], %y: out f32[64]) axes(r < 4096, n < 64) {
  %a = load %x[r, n] : f32
  %s = reduce add %a over [r] : f32
  %t = math.sqrt %s : f32
  store %t, %y[n] : f32
}

// -----

// 100 rows are 7 parts of 13 and one of 9: the maximum ignores what is beyond.
// CHECK-LABEL: zyxk.kernel @ragged_parts
// CHECK-SAME: axes(r < 13, part < 8)
// CHECK: where %{{.*}} if (part * 13 + r <= 99) else %{{.*}} : f32
// CHECK-LABEL: zyxk.kernel @ragged_join
// CHECK: reduce max %{{.*}} over [part]
zyxk.kernel @ragged ports(%x: in f32[100], %y: out f32[1]) axes(r < 100) {
  %a = load %x[r] : f32
  %s = reduce max %a over [r] : f32
  store %s, %y[0] : f32
}

// -----

// Flash attention with split keys: the parts meet in another expsum.
// CHECK-LABEL: zyxk.kernel @attention_parts
// CHECK: %[[M:.*]], %[[SUMS:.*]]:2 = expsum %{{.*}} over [j] weights(unit, %{{.*}} : f16) : f32
// CHECK-DAG: store %[[M]], %{{.*}}[part, i] : f32
// CHECK-DAG: store %[[SUMS]]#0, %{{.*}}[part, i] : f32
// CHECK-DAG: store %[[SUMS]]#1, %{{.*}}[part, i, e] : f32
// CHECK-LABEL: zyxk.kernel @attention_join
// CHECK: expsum %{{.*}} over [part] weights(%{{.*}} : f32, %{{.*}} : f32) : f32
// CHECK-LABEL: zyxk.program @attention
zyxk.kernel @attention ports(%q: in f16[4, 64], %k, %v: in f16[4096, 64], %o: out f32[4, 64]) axes(i < 4, j < 4096, d < 64, e < 64) {
  %q0 = load %q[i, d] : f16
  %k0 = load %k[j, d] : f16
  %v0 = load %v[j, e] : f16
  %s = contract %q0, %k0 over [d] : f16, f16 -> f32
  %m, %l, %u = expsum %s over [j] weights(unit, %v0 : f16) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[i, e] : f32
}

// -----

// The variance of a long vector.
// CHECK-LABEL: zyxk.kernel @variance_parts
// CHECK-SAME: where
// CHECK: welford
// CHECK-LABEL: zyxk.kernel @variance_join
// CHECK: where %{{.*}} if (part <= 6)
// CHECK-LABEL: zyxk.program @variance
zyxk.kernel @variance ports(%x: in f32[1001], %y: out f32[1]) axes(r < 1001) {
  %a = load %x[r] : f32
  %mean, %m2 = welford %a over [r] : f32
  store %m2, %y[0] : f32
}

// -----

// Nothing to cut: an arg reduction stays one kernel.
// CHECK-LABEL: zyxk.kernel @position
// CHECK-NOT: zyxk.program
zyxk.kernel @position ports(%x: in f32[1000], %y: out i64[1]) axes(r < 1000) {
  %a = load %x[r] : f32
  %s = reduce argmax %a over [r] : f32 -> i64
  store %s, %y[0] : i64
}

// -----

// A tree of affine maps: parts are contiguous, and the merge folds their states in order. What is
// behind the end of the last part is no point of it.
// CHECK-LABEL: zyxk.kernel @affine_parts
// CHECK-SAME: axes(n < 13, part < 8 where part * 13 + n <= 99)
// CHECK: load %in0[n + part * 13] : f32
// CHECK: %[[S:.*]]:2 = fold %{{.*}} over [n] order tree init(%{{.*}}, %{{.*}}) step(
// CHECK: store %[[S]]#0, %out1[part] : f32
// CHECK: store %[[S]]#1, %out2[part] : f32
// CHECK-LABEL: zyxk.kernel @affine_join
// CHECK: %[[P:.*]] = load %in1[part] : f32
// CHECK: %[[Q:.*]] = load %in2[part] : f32
// CHECK: fold %[[P]], %[[Q]] over [part] order tree init(%{{.*}}, %{{.*}}) step(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32) {
// CHECK-NEXT: %[[E:.*]] = arith.mulf %[[C]], %[[A]] : f32
// CHECK-NEXT: %[[F:.*]] = arith.mulf %[[C]], %[[B]] : f32
// CHECK-NEXT: %[[G:.*]] = arith.addf %[[F]], %[[D]] : f32
// CHECK-NEXT: yield %[[E]], %[[G]] : f32, f32
// CHECK-NEXT: } merge(
zyxk.kernel @affine ports(%x: in f32[100], %y: out f32[1]) axes(n < 100) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %a = load %x[n] : f32
  %p, %q = fold %a over [n] order tree init(%one, %zero) step(%p: f32, %q: f32, %v: f32) {
    %s = arith.mulf %v, %p : f32
    %t = arith.mulf %v, %q : f32
    %u = arith.addf %t, %v : f32
    yield %s, %u : f32, f32
  } merge(%p: f32, %q: f32, %s: f32, %t: f32) {
    %u = arith.mulf %s, %p : f32
    %v = arith.mulf %s, %q : f32
    %w = arith.addf %v, %t : f32
    yield %u, %w : f32, f32
  }
  %r = arith.addf %p, %q : f32
  store %r, %y[0] : f32
}

// -----

// A serial fold has no parts.
// CHECK-LABEL: zyxk.kernel @serial ports
// CHECK-NOT: zyxk.program
zyxk.kernel @serial ports(%x: in f32[100], %y: out f32[1]) axes(n < 100) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[n] : f32
  %s = fold %a over [n] init(%zero) step(%s: f32, %v: f32) {
    %t = arith.mulf %s, %v : f32
    %u = arith.addf %t, %v : f32
    yield %u : f32
  }
  store %s, %y[0] : f32
}
