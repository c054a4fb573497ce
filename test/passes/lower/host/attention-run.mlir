// Attention on the host against the interpreter: any vectors, any number of threads, keys and values
// in place and packed, ragged blocks, one query, one key, one column, loads in the logits.
// RUN: zyxc kernel check %s | FileCheck %s
// RUN: zyxc kernel check %s --threads 3 --sizes 10 | FileCheck %s
// RUN: zyxc kernel check %s --target host-avx2 --sizes 10 | FileCheck %s
// RUN: zyxc kernel check %s --target host-scalar --sizes 10 | FileCheck %s
// RUN: zyxc kernel check %s --sizes 10 --schedule '#zyxk.attn<q = 32, kv = 20, pack = 1>' | FileCheck %s

// CHECK: checked @cross on host{{.*}}: {{.*}} all agree
zyxk.kernel @cross dims(H, S, T) ports(%q: in f32[S, H, 32], %k: in f32[T, H, 32], %v: in f32[T, H, 16],
                                       %o: out f32[S, H, 16], %lse: out f32[H, S])
    axes(h < H, i < S, j < T, d < 32, e < 16) {
  %q0 = load %q[i, h, d] : f32
  %k0 = load %k[j, h, d] : f32
  %v0 = load %v[j, h, e] : f32
  %s = contract %q0, %k0 over [d] : f32, f32 -> f32
  %m, %l, %u = expsum %s over [j] weights(unit, %v0 : f32) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[i, h, e] : f32
  %g = math.log %l : f32
  %y = arith.addf %m, %g : f32
  store %y, %lse[h, i] : f32
}

// Queries are scaled and keys gathered from pages; the maximum itself is stored.
// CHECK: checked @paged on host{{.*}}: {{.*}} all agree
zyxk.kernel @paged dims(S, T) ports(%q: in f32[S, 20], %page: in i64[T], %k: in f32[T, 20], %v: in f16[T, 9],
                                    %o: out f32[S, 9], %top: out f32[S])
    axes(i < S, j < T, d < 20, e < 9) assume(T >= 1) {
  %half = arith.constant 0.5 : f32
  %q0 = load %q[i, d] : f32
  %q1 = arith.mulf %q0, %half : f32
  %p0 = load %page[j] : i64
  %p = arith.index_cast %p0 : i64 to index
  %k0 = load %k[%p, d] oob clamp : f32
  %v0 = load %v[j, e] : f16
  %s = contract %q1, %k0 over [d] : f32, f32 -> f32
  %m, %l, %u = expsum %s over [j] weights(unit, %v0 : f16) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[i, e] : f32
  store %m, %top[i] : f32
}

// A window of keys, a bias that exists only there, keys stored as columns.
// CHECK: checked @window on host{{.*}}: {{.*}} all agree
zyxk.kernel @window dims(S) ports(%q: in f32[S, 24], %k: in f32[24, S], %v: in f32[S, 40],
                                  %bias: in f32[12], %mask: in f32[S], %o: out f32[S, 40])
    axes(i < S, j < S, d < 24, e < 40 where j <= i + 3 and j >= i - 8) {
  %q0 = load %q[i, d] : f32
  %k0 = load %k[d, j] : f32
  %v0 = load %v[j, e] : f32
  %s = contract %q0, %k0 over [d] : f32, f32 -> f32
  %b = load %bias[i - j + 3] : f32
  %c = load %mask[j] : f32
  %t0 = math.tanh %s : f32
  %t1 = arith.addf %t0, %b : f32
  %t = arith.addf %t1, %c : f32
  %m, %l, %u = expsum %t over [j] weights(unit, %v0 : f32) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[i, e] : f32
}

// Scores and sums of f64; one axis is summed in the scores and is that of the values, too.
// CHECK: checked @wide on host{{.*}}: {{.*}} all agree
zyxk.kernel @wide dims(S, D) ports(%q, %k, %v: in f64[S, D], %o: out f64[S, D])
    axes(i < S, j < S, d < D where j <= i) {
  %q0 = load %q[i, d] : f64
  %k0 = load %k[j, d] : f64
  %v0 = load %v[j, d] : f64
  %s = contract %q0, %k0 over [d] : f64, f64 -> f64
  %c = arith.constant 0.25 : f64
  %t = arith.mulf %s, %c : f64
  %m, %l, %u = expsum %t over [j] weights(unit, %v0 : f64) : f64
  %r = arith.divf %u, %l : f64
  store %r, %o[i, d] : f64
}

// Each query of a group sees the same keys; outputs lie along the queries.
// CHECK: checked @grouped on host{{.*}}: {{.*}} all agree
zyxk.kernel @grouped dims(H, S) ports(%q: in f16[H * 3, S, 64], %k, %v: in f16[H, S, 64],
                                      %o: out f32[H * 3, 64, S])
    axes(h < H * 3, i < S, j < S, d < 64, e < 64) {
  %q0 = load %q[h, i, d] : f16
  %k0 = load %k[h floordiv 3, j, d] : f16
  %v0 = load %v[h floordiv 3, j, e] : f16
  %s = contract %q0, %k0 over [d] : f16, f16 -> f32
  %c = arith.constant 0.125 : f32
  %t = arith.mulf %s, %c : f32
  %m, %l, %u = expsum %t over [j] weights(unit, %v0 : f16) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[h, e, i] : f32
}
