// RUN: zyx-opt %s --zyxk-lower-gpu=target=sm_90a | FileCheck %s

// A tile of 64 x 64: four vectors of each operand in flight, then vectors to workgroup memory, then
// columns of it as vectors of the result.
// CHECK-LABEL: gpu.func @transpose_add(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, zyxk.grid = array<i64: 16384, 1, 1>
// CHECK: memref.alloc() {alignment = 16 : i64} : memref<4096xf32, #gpu.address_space<workgroup>>
// CHECK-COUNT-8: vector.load {{.*}} {alignment = 16 : i64} : memref<67108864xf32
// CHECK-COUNT-4: vector.store {{.*}} : memref<4096xf32
// CHECK: gpu.barrier
// CHECK-COUNT-16: memref.load {{.*}} : memref<4096xf32
// CHECK-NOT: scf.if
// CHECK-COUNT-4: vector.store {{.*}} {alignment = 16 : i64} : memref<67108864xf32
zyxk.kernel @transpose_add ports(%x: in f32[8192, 8192], %b: in f32[8192, 8192],
    %y: out f32[8192, 8192]) axes(i < 8192, j < 8192) {
  %a = load %x[j, i] : f32
  %c = load %b[i, j] : f32
  %d = arith.addf %a, %c : f32
  store %d, %y[i, j] : f32
}

// Ragged tiles: loads are moved inside, stores are conditional.
// CHECK-LABEL: gpu.func @ragged(
// CHECK: arith.minui
// CHECK: vector.load {{.*}} : memref<28800xf16
// CHECK: gpu.barrier
// CHECK: scf.if
zyxk.kernel @ragged ports(%x: in f16[4, 100, 72], %y: out f16[4, 72, 100])
    axes(b < 4, i < 72, j < 100) {
  %a = load %x[b, j, i] : f16
  store %a, %y[b, i, j] : f16
}
