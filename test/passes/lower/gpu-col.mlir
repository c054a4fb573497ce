// RUN: zyx-opt %s --zyxk-lower-gpu=target=sm_90a | FileCheck %s

// Eight rows of 32 vectors in flight a workgroup; 16 workgroups share the rows of a column.
// CHECK-LABEL: gpu.func @sum(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, zyxk.grid = array<i64: 1024, 1, 1>
// CHECK: scf.for
// CHECK-COUNT-8: vector.load {{.*}} {alignment = 16 : i64}
// CHECK-COUNT-8: arith.addf
// CHECK: gpu.barrier
// CHECK: vector.store
// CHECK: gpu.func @sum_1(
// CHECK-COUNT-16: vector.load
// CHECK: vector.store
zyxk.kernel @sum ports(%x: in f32[16384, 8192], %y: out f32[8192]) axes(r < 16384, n < 8192) {
  %a = load %x[r, n] : f32
  %s = reduce add %a over [r] : f32
  store %s, %y[n] : f32
}

// Columns that are read again: one launch, the rows shared by the team for reduction and stores.
// CHECK-LABEL: gpu.module @centre
// CHECK-SAME: zyxk.scratch_bytes = 0
// CHECK: gpu.barrier
// CHECK: arith.subf
// CHECK-NOT: gpu.func
zyxk.kernel @centre ports(%x: in f32[700, 36], %y: out f32[700, 36]) axes(r < 700, n < 36) {
  %a = load %x[r, n] : f32
  %m = reduce add %a over [r] : f32
  %d = arith.subf %a, %m : f32
  store %d, %y[r, n] : f32
}

// A vector times a matrix is bound by memory: products, and their sums along columns.
// CHECK-LABEL: gpu.module @vector
// CHECK: scf.for
// CHECK-COUNT-8: vector.load {{.*}} {alignment = 16 : i64}
// CHECK: arith.mulf
// CHECK: gpu.func @vector_1(
zyxk.kernel @vector ports(%a: in f32[4096], %b: in f32[4096, 4096], %c: out f32[4096])
    axes(j < 4096, k < 4096) {
  %x = load %a[k] : f32
  %w = load %b[k, j] : f32
  %s = contract %x, %w over [k] : f32, f32 -> f32
  store %s, %c[j] : f32
}
