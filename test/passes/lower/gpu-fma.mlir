// RUN: zyx-opt %s --zyxk-lower-gpu=target=sm_90a | FileCheck %s

// No matrix unit takes f32: tiles of both factors in workgroup memory, the next ones on their way
// while this one is multiplied; the epilogue on vectors of accumulators.
// CHECK-LABEL: gpu.func @product(
// CHECK-SAME: zyxk.grid = array<i64: 6, 1, 1>
// CHECK-COUNT-2: memref.alloc() {{.*}} : memref<1088xf32, #gpu.address_space<workgroup>>
// CHECK: vector.load
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: gpu.barrier
// CHECK: vector.load {{.*}} : memref<{{[0-9]+}}xf32, #gpu.address_space<global>>
// CHECK: scf.for
// CHECK: math.fma {{.*}} : vector<4xf32>
// CHECK: arith.addf {{.*}} : vector<4xf32>
// CHECK: vector.store {{.*}} {alignment = 16 : i64}
zyxk.kernel @product ports(%a: in f32[100, 96], %b: in f32[96, 132], %v: in f32[132],
    %c: out f32[100, 132]) axes(i < 100, j < 132, k < 96) {
  %x = load %a[i, k] : f32
  %w = load %b[k, j] : f32
  %s = contract %x, %w over [k] : f32, f32 -> f32
  %q = load %v[j] : f32
  %t = arith.addf %s, %q : f32
  store %t, %c[i, j] : f32
}

// A vector times a matrix is a reduction of products along columns.
// CHECK-LABEL: gpu.func @vector(
// CHECK: arith.mulf
// CHECK: gpu.barrier
zyxk.kernel @vector ports(%a: in f32[4096], %b: in f32[4096, 4096], %c: out f32[4096])
    axes(j < 4096, k < 4096) {
  %x = load %a[k] : f32
  %w = load %b[k, j] : f32
  %s = contract %x, %w over [k] : f32, f32 -> f32
  store %s, %c[j] : f32
}
