// Attention on wgmma: one warpgroup loads, the others compute 64 rows each.
// RUN: zyx-opt %s -zyxk-lower-gpu=target=sm_90a -split-input-file | FileCheck %s

// CHECK-LABEL: gpu.func @narrow(
// CHECK-SAME: known_block_size = array<i32: 640, 1, 1>
// CHECK-SAME: zyxk.grid = array<i64: 16, 1, 1>
// CHECK-SAME: zyxk.min_blocks = 1
// CHECK-SAME: zyxk.shared_bytes = 131232
// CHECK-SAME: box = array<i64: 64, 256, 1>, dims = array<i64: 64, 512, 8>, port = 0
// CHECK-SAME: box = array<i64: 64, 64, 1>, dims = array<i64: 64, 512, 4>, port = 1
// Full and empty of two buffers of queries, four of keys, four of values; four arrivals empty one.
// CHECK-COUNT-20: mbarrier.init
// CHECK: fence.mbarrier_init
// CHECK: gpu.barrier
// CHECK: setmaxnreg.dec.sync.aligned.u32 $0
// CHECK: scf.while
// CHECK: cp.async.bulk.tensor.3d
// CHECK: scf.for
// CHECK-COUNT-2: cp.async.bulk.tensor.3d
// CHECK: setmaxnreg.inc
// CHECK: scf.while
// Queries are loaded once a tile, and defined anew in the loop.
// CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared
// CHECK: scf.for
// CHECK-COUNT-16: xor.b32
// CHECK: wgmma.fence
// The scores start at zero.
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{[^;]*}}{$32, $33, $34, $35}, $36, 0, 1, 1, 0;
// CHECK-COUNT-3: wgmma.mma_async{{[^;]*}} 1, 1, 1, 0;
// CHECK: wgmma.wait_group
// No mask: keys fill their tiles. The scale goes to the exponent: 0.125 * log2(e).
// CHECK-NOT: arith.select
// CHECK: vote.sync.any
// CHECK: scf.if
// CHECK-COUNT-32: arith.mulf
// CHECK: arith.constant 0.180336878 : f32
// CHECK-COUNT-32: math.fma
// CHECK-COUNT-16: cvt.rn.f16x2.f32
// CHECK-COUNT-4: wgmma.mma_async{{[^;]*}} 1, 1, 1, 1;
// CHECK: scf.yield
// The quotient is a product with a reciprocal, one a row.
// CHECK: arith.divf
// CHECK-NOT: arith.divf
// CHECK: vector.store {{.*}} {alignment = 4 : i64} : {{.*}} vector<2xf16>
// CHECK: arith.divf
zyxk.kernel @narrow ports(%q: in f16[8, 512, 64], %k, %v: in f16[4, 512, 64],
                          %o: out f16[8, 512, 64])
    axes(h < 8, i < 512, j < 512, d < 64, e < 64) {
  %q0 = load %q[h, i, d] : f16
  %k0 = load %k[h floordiv 2, j, d] : f16
  %v0 = load %v[h floordiv 2, j, e] : f16
  %s = contract %q0, %k0 over [d] : f16, f16 -> f32
  %c = arith.constant 0.125 : f32
  %t = arith.mulf %s, %c : f32
  %m, %l, %u = expsum %t over [j] weights(unit, %v0 : f16) : f32
  %r = arith.divf %u, %l : f32
  %z = arith.truncf %r : f32 to f16
  store %z, %o[h, i, e] : f16
}

// -----

// Two warpgroups with 128 columns; only tiles on the diagonal are masked, others are skipped.
// CHECK-LABEL: gpu.func @causal(
// CHECK-SAME: known_block_size = array<i32: 384, 1, 1>
// CHECK: setmaxnreg.inc
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// CHECK: arith.cmpi sgt
// CHECK: scf.if
// CHECK-COUNT-64: arith.select
// CHECK: scf.yield
// CHECK: vote.sync.any
// CHECK: m64n128k16.f32.bf16.bf16
// Tiles that are skipped: all warps have seen them full before they are let go.
// CHECK: mbarrier.try_wait
// CHECK: mbarrier.try_wait
// CHECK: bar.sync
// CHECK: mbarrier.arrive
// CHECK: mbarrier.arrive
// Rows behind the last query are not stored; the log-sum-exp by one lane of four.
// CHECK: arith.cmpi ult
// CHECK: scf.if
// CHECK: scf.if
// CHECK: memref.store
zyxk.kernel @causal ports(%q, %k, %v: in bf16[2, 300, 128], %o: out bf16[2, 300, 128],
                          %lse: out f32[2, 300])
    axes(h < 2, i < 300, j < 300, d < 128, e < 128 where j <= i) {
  %q0 = load %q[h, i, d] : bf16
  %k0 = load %k[h, j, d] : bf16
  %v0 = load %v[h, j, e] : bf16
  %s = contract %q0, %k0 over [d] : bf16, bf16 -> f32
  %m, %l, %u = expsum %s over [j] weights(unit, %v0 : bf16) : f32
  %r = arith.divf %u, %l : f32
  %z = arith.truncf %r : f32 to bf16
  store %z, %o[h, i, e] : bf16
  %g = math.log %l : f32
  %y = arith.addf %m, %g : f32
  store %y, %lse[h, i] : f32
}
