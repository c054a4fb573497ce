// Contractions for mma.sync: all warps copy and compute; copies run stages - 1 tiles ahead.
// RUN: zyx-opt %s -zyxk-lower-matrix=target=sm_80 -split-input-file | FileCheck %s
// RUN: zyx-opt %s -zyxk-lower-matrix=target=sm_90a -split-input-file | FileCheck %s --check-prefix=UNIT

// CHECK-LABEL: gpu.func @product(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: zyxk.grid = array<i64: 512, 1, 1>
// CHECK-SAME: zyxk.shared_bytes = 147456
// All stages are filled before the loop: 4 pieces of A, 8 of B for each of 256 threads.
// CHECK-COUNT-12: cp.async.cg.shared.global [$0+$1], [$2+$3], 16;
// CHECK: cp.async.commit_group
// CHECK: cf.cond_br
// CHECK: cp.async.wait_group
// CHECK: gpu.barrier
// CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared
// CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.trans.shared
// CHECK: cf.br
// One turn is two steps: fragments are loaded a step before their use; where a tile ends the next
// one is waited for, and its stage filled again.
// CHECK-COUNT-8: ldmatrix
// CHECK-COUNT-32: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: cf.cond_br
// CHECK: cp.async.wait_group
// CHECK: gpu.barrier
// CHECK-COUNT-12: cp.async.cg
// CHECK: cp.async.commit_group
// CHECK-COUNT-8: ldmatrix
// CHECK-COUNT-32: mma.sync
// CHECK-NOT: mma.sync
// CHECK: cf.cond_br
// CHECK: cp.async.wait_group
// CHECK: gpu.barrier
// CHECK: st.shared.v2.f32
// CHECK: bar.warp.sync
// CHECK: vector.store
// UNIT-LABEL: gpu.func @product(
// UNIT: wgmma.mma_async
zyxk.kernel @product ports(%a: in f16[4096, 4096], %b: in f16[4096, 4096], %c: out f16[4096, 4096])
    axes(i < 4096, j < 4096, k < 4096) {
  %x = load %a[i, k] : f16
  %w = load %b[k, j] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  %o = arith.truncf %s : f32 to f16
  store %o, %c[i, j] : f16
}

// -----

// Ragged sizes: pieces outside are zeros, what is stored is guarded. Both units can be asked for.
// CHECK-LABEL: gpu.func @ragged(
// CHECK: arith.minsi
// CHECK: cp.async.cg.shared.global [$0+$1], [$2+$3], 16, $4;
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: scf.if
// CHECK: memref.store
// UNIT-LABEL: gpu.func @ragged(
// UNIT-NOT: wgmma
// UNIT: mma.sync
zyxk.kernel @ragged ports(%a: in bf16[100, 72], %b: in bf16[77, 72], %c: out f32[100, 77])
    axes(i < 100, j < 77, k < 72) {
  %x = load %a[i, k] : bf16
  %w = load %b[j, k] : bf16
  %s = contract %x, %w over [k] : bf16, bf16 -> f32
  store %s, %c[i, j] : f32
} schedule #zyxk.mma<unit = mma>
