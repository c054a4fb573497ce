// Contractions without a matrix unit: tiles of any factors in workgroup memory, any epilogue.
// RUN: zyx-opt %s -zyxk-lower-matrix=target=vulkan -split-input-file | FileCheck %s

// A is contiguous along k, and its tile is written across rows.
// CHECK-LABEL: gpu.func @product(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: zyxk.grid = array<i64: 4, 1, 1>
// CHECK-DAG: memref.alloc() : memref<1088xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: memref.alloc() : memref<4352xf32, #gpu.address_space<workgroup>>
// CHECK: scf.for
// CHECK-COUNT-8: memref.load
// CHECK: gpu.barrier
// CHECK-COUNT-8: memref.store
// CHECK: gpu.barrier
// CHECK-COUNT-256: math.fma
// CHECK-NOT: math.fma
// CHECK: scf.yield
// CHECK-COUNT-16: memref.store
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: scf.if
// CHECK: math.tanh
// CHECK: memref.store
zyxk.kernel @product ports(%a: in f32[100, 72], %b: in f32[72, 77], %c: out f32[100, 77])
    axes(i < 100, j < 77, k < 72) {
  %x = load %a[i, k] : f32
  %w = load %b[k, j] : f32
  %s = contract %x, %w over [k] : f32, f32 -> f32
  %t = math.tanh %s : f32
  store %t, %c[i, j] : f32
}

// -----

// Integers are sign-extended; a prologue is part of the factor; small problems get small tiles.
// CHECK-LABEL: gpu.func @bytes(
// CHECK-SAME: known_block_size = array<i32: 16, 1, 1>
// CHECK: arith.maxsi %{{.*}} : i8
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.muli %{{.*}} : i32
zyxk.kernel @bytes ports(%a: in i8[8, 24], %b: in i8[8, 24], %c: out i32[8, 8])
    axes(i < 8, j < 8, k < 24) {
  %zero = arith.constant 0 : i8
  %x = load %a[i, k] : i8
  %r = arith.maxsi %x, %zero : i8
  %w = load %b[j, k] : i8
  %s = contract %r, %w over [k] : i8, i8 -> i32
  store %s, %c[i, j] : i32
}

// -----

// A sum of nothing.
// CHECK-LABEL: gpu.func @empty(
// CHECK-NOT: iter_args
// CHECK: memref.store
zyxk.kernel @empty ports(%a: in f32[3, 0], %b: in f32[0, 5], %c: out f32[3, 5])
    axes(i < 3, j < 5, k < 0) {
  %x = load %a[i, k] : f32
  %w = load %b[k, j] : f32
  %s = contract %x, %w over [k] : f32, f32 -> f32
  store %s, %c[i, j] : f32
}
