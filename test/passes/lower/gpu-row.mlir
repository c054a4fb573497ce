// RUN: zyx-opt %s --zyxk-lower-gpu=target=sm_90a | FileCheck %s

// The row is loaded once and stays in registers: four vectors a thread. Each reduction goes through
// lanes, shuffles and workgroup memory.
// CHECK-LABEL: gpu.func @softmax(
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>, zyxk.grid = array<i64: 8192, 1, 1>
// CHECK: memref.alloc() {alignment = 16 : i64} : memref<16xf32, #gpu.address_space<workgroup>>
// CHECK-COUNT-4: vector.load {{.*}} {alignment = 16 : i64}
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK-NOT: vector.load
// CHECK-COUNT-4: math.exp {{.*}} : vector<4xf32>
// CHECK: gpu.barrier
// CHECK-NOT: vector.load
// CHECK-NOT: math.exp
// CHECK-COUNT-4: vector.store {{.*}} {alignment = 16 : i64}
zyxk.kernel @softmax ports(%x: in f32[8192, 8192], %y: out f32[8192, 8192])
    axes(r < 8192, n < 8192) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] : f32
  %q = arith.divf %e, %s : f32
  store %q, %y[r, n] : f32
}

// Short rows: eight threads each, several rows in a workgroup, no workgroup memory.
// CHECK-LABEL: gpu.func @short(
// CHECK-NOT: memref.alloc
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-NOT: gpu.barrier
// CHECK: vector.store
zyxk.kernel @short ports(%x: in f32[1000, 32], %y: out f32[1000, 32]) axes(r < 1000, n < 32) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  store %d, %y[r, n] : f32
}

// A row that fits in neither registers nor workgroup memory is loaded again, in loops.
// CHECK-LABEL: gpu.func @long(
// CHECK: scf.for
// CHECK-COUNT-4: vector.load
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK-COUNT-4: vector.load
// CHECK-COUNT-4: vector.store
zyxk.kernel @long ports(%x: in f32[1000, 262144], %y: out f32[1000, 262144])
    axes(r < 1000, n < 262144) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  store %d, %y[r, n] : f32
}

// One long row: parts in scratch memory, joined by a second launch.
// CHECK-LABEL: gpu.module @total
// CHECK-SAME: zyxk.scratch_bytes = {{[1-9]}}
// CHECK: gpu.func @total(
// CHECK: memref.view
// CHECK: gpu.func @total_1(
// CHECK-SAME: zyxk.launch = 1
// CHECK: memref.view
zyxk.kernel @total ports(%x: in f32[16777216], %y: out f32[1]) axes(n < 16777216) {
  %a = load %x[n] : f32
  %s = reduce add %a over [n] : f32
  store %s, %y[0] : f32
}

// Rows of odd length: scalars; what a thread reads behind the end does not count.
// CHECK-LABEL: gpu.func @arg(
// CHECK: arith.minui
// CHECK-NOT: vector.load
// CHECK: gpu.shuffle
// CHECK: arith.extsi %{{.*}} : i32 to i64
zyxk.kernel @arg ports(%x: in f32[100, 1001], %y: out i64[100]) axes(r < 100, n < 1001) {
  %a = load %x[r, n] : f32
  %p = reduce argmax %a over [n] : f32 -> i64
  store %p, %y[r] : i64
}

// Means along both axes: those that differ inside of the workgroup's unit are kept in workgroup
// memory, each computed once.
// CHECK-LABEL: gpu.func @levels(
// CHECK-SAME: zyxk.grid = array<i64: 1, 1, 1>
// CHECK-DAG: memref.alloc() {alignment = 16 : i64} : memref<64xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: memref.alloc() {alignment = 16 : i64} : memref<32xf32, #gpu.address_space<workgroup>>
// CHECK: memref.store {{.*}} : memref<64xf32
// CHECK: gpu.barrier
// CHECK: memref.load {{.*}} : memref<64xf32
// CHECK: memref.store {{.*}} : memref<32xf32
// CHECK: gpu.barrier
// CHECK: vector.store
zyxk.kernel @levels ports(%x: in f32[64, 32], %y: out f32[64, 32]) axes(i < 64, j < 32) {
  %a = load %x[i, j] : f32
  %r = reduce add %a over [j] : f32
  %b = arith.subf %a, %r : f32
  %c = reduce max %b over [i] : f32
  %d = arith.subf %b, %c : f32
  store %d, %y[i, j] : f32
}
