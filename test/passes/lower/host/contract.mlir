// RUN: zyx-opt %s -zyxk-lower-host -split-input-file | FileCheck %s

// Both operands are packed by each task; the register tile is a loop of multiply-adds, in a function
// of its own.
// CHECK-LABEL: func.func private @matmul_tile(
// CHECK: scf.for
// CHECK-COUNT-16: math.fma
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: memref<4096xf32>, %{{.*}}: memref<4096xf32>, %{{.*}}: memref<4096xf32>
// CHECK-SAME: zyxk.num_tasks = 1 : i64, zyxk.scratch_bytes
// CHECK: memref.view
// CHECK: call @matmul_tile
// CHECK-NOT: zyxk.kernel
zyxk.kernel @matmul ports(%a: in f32[64, 64], %b: in f32[64, 64], %c: out f32[64, 64])
    axes(i < 64, j < 64, k < 64) {
  %x = load %a[i, k] : f32
  %y = load %b[k, j] : f32
  %s = contract %x, %y over [k] : f32, f32 -> f32
  store %s, %c[i, j] : f32
}

// -----

// Weights that are prepared have a packing function; the kernel's port holds the packed form.
// The epilogue is part of the same task loop.
// CHECK-LABEL: func.func @conv(
// CHECK-SAME: memref<{{[0-9]+}}xf32>, %{{.*}}: memref<1568xf32>
// CHECK: vector.maskedload
// CHECK: call @conv_tile
// CHECK: arith.maximumf
// CHECK: vector.{{masked}}store
// CHECK-LABEL: func.func @conv_pack_0(
// CHECK-SAME: zyxk.packed_bytes = {{[0-9]+}} : i64, zyxk.packs_port = 0 : i64
zyxk.kernel @conv ports(%w: in f32[16, 8, 3, 3], %x: in f32[8, 14, 14], %y: out f32[16, 14, 14])
    axes(m < 16, p < 14, q < 14, c < 8, r < 3, s < 3) {
  %zero = arith.constant 0.0 : f32
  %a = load %w[m, c, r, s] : f32
  %l = load %x[c, p + r - 1, q + s - 1] : f32
  %b = where %l if (p + r - 1 >= 0 and p + r - 1 < 14 and q + s - 1 >= 0 and q + s - 1 < 14)
       else %zero : f32
  %t = contract %a, %b over [c, r, s] : f32, f32 -> f32
  %v = arith.maximumf %t, %zero : f32
  store %v, %y[m, p, q] : f32
} schedule #zyxk.contract<pack_a = prepared>
