// RUN: zyx-opt %s --zyxk-lower-gpu=target=sm_90a | FileCheck %s

// Tiles of 256 threads with four elements each; the total of a tile is carried to the next one.
// CHECK-LABEL: gpu.func @cumsum(
// CHECK-SAME: zyxk.grid = array<i64: 100, 1, 1>
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (f32)
// CHECK: vector.load {{.*}} {alignment = 16 : i64}
// CHECK-COUNT-6: gpu.shuffle idx
// CHECK: gpu.barrier
// CHECK: vector.store {{.*}} {alignment = 16 : i64}
// CHECK: gpu.barrier
zyxk.kernel @cumsum ports(%x: in f32[100, 4096], %y: out f32[100, 4096]) axes(r < 100, n < 4096) {
  %a = load %x[r, n] : f32
  %s = scan add %a along n : f32
  store %s, %y[r, n] : f32
}

// From the end, without the element itself; short rows need no workgroup memory.
// CHECK-LABEL: gpu.func @reverse(
// CHECK-NOT: gpu.barrier
// CHECK: arith.subi
// CHECK: arith.addf
zyxk.kernel @reverse ports(%x: in f32[100, 32], %y: out f32[100, 32]) axes(r < 100, n < 32) {
  %a = load %x[r, n] : f32
  %s = scan add %a along n exclusive reverse : f32
  store %s, %y[r, n] : f32
}

// One long row: the totals of its parts, then each part from the sum of those before it.
// CHECK-LABEL: gpu.module @long
// CHECK-SAME: zyxk.scratch_bytes = {{[1-9]}}
// CHECK: gpu.func @long(
// CHECK-NOT: vector.store
// CHECK: gpu.func @long_1(
// CHECK-SAME: zyxk.launch = 1
// CHECK: memref.view
// CHECK: scf.for
// CHECK: vector.store
zyxk.kernel @long ports(%x: in f32[16777216], %y: out f32[16777216]) axes(n < 16777216) {
  %a = load %x[n] : f32
  %s = scan add %a along n : f32
  store %s, %y[n] : f32
}
