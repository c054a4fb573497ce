// Attention on plain threads: targets without wgmma, types and heads that it does not take.
// RUN: zyx-opt %s -zyxk-lower-gpu=target=sm_80 | FileCheck %s
// RUN: zyx-opt %s -zyxk-lower-gpu=target=sm_90a | FileCheck %s
// RUN: zyx-opt %s -zyxk-lower-gpu=target=vulkan | FileCheck %s

// 32 queries a workgroup, 40 columns: 1280 + 32 * 40 + 32 * 32 elements of workgroup memory.
// CHECK-LABEL: gpu.func @masked(
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK-SAME: zyxk.grid = array<i64: 6, 1, 1>
// CHECK-DAG: memref.alloc() {{.*}} : memref<1280xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: memref.alloc() {{.*}} : memref<1024xf32, #gpu.address_space<workgroup>>
// Queries, then the loop over key tiles.
// CHECK: scf.for
// CHECK: scf.for
// Keys: loads behind the last one stay inside.
// CHECK: scf.for
// CHECK: arith.minui
// CHECK: gpu.barrier
// Scores: 4 rows x 4 keys of a thread.
// CHECK: scf.for
// CHECK-COUNT-16: math.fma
// Logits outside of the domain are -inf; the load of the bias relies on it.
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: scf.if
// CHECK: memref.load
// CHECK: gpu.shuffle
// CHECK: math.exp
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK-COUNT-12: math.fma
// CHECK: gpu.barrier
// CHECK: arith.divf {{.*}} fastmath<arcp,afn>
zyxk.kernel @masked ports(%q, %k: in f32[3, 50, 40], %v: in f32[3, 50, 24], %b: in f32[50],
                          %o: out f32[3, 50, 24])
    axes(h < 3, i < 50, j < 50, d < 40, e < 24 where j <= i) {
  %q0 = load %q[h, i, d] : f32
  %k0 = load %k[h, j, d] : f32
  %v0 = load %v[h, j, e] : f32
  %s = contract %q0, %k0 over [d] : f32, f32 -> f32
  %b0 = load %b[i - j] : f32
  %t = arith.addf %s, %b0 : f32
  %m, %l, %u = expsum %t over [j] weights(unit, %v0 : f32) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[h, i, e] : f32
}
