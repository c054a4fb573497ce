// Attention on mma.sync: four warps, the next tile of keys and values copied while one is computed.
// RUN: zyx-opt %s -zyxk-lower-gpu=target=sm_80 | FileCheck %s

// CHECK-LABEL: gpu.func @attn(
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK-SAME: zyxk.grid = array<i64: 16, 1, 1>
// CHECK-SAME: zyxk.min_blocks = 3
// CHECK-SAME: zyxk.shared_bytes = 40960
// Queries and the first keys and values: 64 rows each, in 4 steps of 16 rows.
// CHECK-COUNT-4: cp.async.cg
// CHECK: cp.async.commit_group
// CHECK-COUNT-8: cp.async.cg
// CHECK: cp.async.commit_group
// CHECK: gpu.barrier
// Queries stay in registers.
// CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared
// CHECK: scf.for
// CHECK: cp.async.wait_group
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK-COUNT-8: cp.async.cg
// CHECK: cp.async.commit_group
// 4 steps of the depth x 8 tiles of 8 keys, with one ldmatrix for two tiles.
// CHECK-COUNT-32: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// Tiles on the diagonal are masked.
// CHECK: scf.if
// CHECK-COUNT-32: arith.select
// CHECK: vote.sync.any
// CHECK-COUNT-16: cvt.rn.f16x2.f32
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans
// CHECK-COUNT-32: mma.sync
// CHECK: scf.yield
// CHECK: arith.divf
// CHECK: vector.store {{.*}} {alignment = 4 : i64} : {{.*}} vector<2xf16>
zyxk.kernel @attn ports(%q, %k, %v: in f16[2, 512, 64], %o: out f16[2, 512, 64])
    axes(h < 2, i < 512, j < 512, d < 64, e < 64 where j <= i) {
  %q0 = load %q[h, i, d] : f16
  %k0 = load %k[h, j, d] : f16
  %v0 = load %v[h, j, e] : f16
  %s = contract %q0, %k0 over [d] : f16, f16 -> f32
  %c = arith.constant 0.125 : f32
  %t = arith.mulf %s, %c : f32
  %m, %l, %u = expsum %t over [j] weights(unit, %v0 : f16) : f32
  %r = arith.divf %u, %l : f32
  %z = arith.truncf %r : f32 to f16
  store %z, %o[h, i, e] : f16
}
