// RUN: zyx-opt %s --zyxk-lower-gpu=target=sm_90a | FileCheck %s --check-prefixes=CHECK,PTX
// RUN: zyx-opt %s --zyxk-lower-gpu=target=vulkan | FileCheck %s

// Four aligned accesses of 16 bytes come before the first use; both axes are one.
// CHECK-LABEL: gpu.func @chain(
// PTX-SAME: known_block_size = array<i32: 256, 1, 1>, zyxk.grid = array<i64: 16384, 1, 1>
// CHECK-COUNT-4: vector.load {{.*}} {alignment = 16 : i64}
// CHECK-COUNT-4: math.tanh
// CHECK-COUNT-4: vector.store {{.*}} {alignment = 16 : i64}
// CHECK: gpu.return
zyxk.kernel @chain ports(%x: in f32[1024, 65536], %y: out f32[1024, 65536])
    axes(r < 1024, n < 65536) {
  %a = load %x[r, n] : f32
  %t = math.tanh %a : f32
  store %t, %y[r, n] : f32
}

// Three elements behind the last vector: the first threads of the last workgroup take one each.
// CHECK-LABEL: gpu.func @ragged(
// CHECK: vector.load
// CHECK: scf.if
// CHECK: vector.store
// CHECK: scf.if
// CHECK: memref.load
// CHECK: memref.store
zyxk.kernel @ragged ports(%x: in f32[1003], %y: out f32[1003]) axes(n < 1003) {
  %a = load %x[n] : f32
  %e = math.exp %a : f32
  store %e, %y[n] : f32
}

// Rows of 30 elements are no multiple of 16 bytes apart: the stores are vectors, the loads are not.
// Guards are selections, and loads outside are moved inside.
// CHECK-LABEL: gpu.func @pad(
// CHECK-NOT: vector.load
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: memref.load
// CHECK: arith.select
// CHECK: vector.store {{.*}} {alignment = 16 : i64}
zyxk.kernel @pad ports(%x: in f32[8, 30, 30], %y: out f32[8, 32, 32]) axes(c < 8, h < 32, w < 32) {
  %a = load %x[c, h - 1, w - 1] : f32
  %zero = arith.constant 0.0 : f32
  %p = where %a if (h >= 1 and h < 31 and w >= 1 and w < 31) else %zero : f32
  store %p, %y[c, h, w] : f32
}

// A gathered row is as aligned as any row.
// CHECK-LABEL: gpu.func @gather(
// CHECK: memref.load
// CHECK: arith.index_cast
// CHECK: vector.load {{.*}} {alignment = 16 : i64}
zyxk.kernel @gather ports(%x: in f32[1000, 64], %i: in i64[512], %y: out f32[512, 64])
    axes(r < 512, n < 64) {
  %k = load %i[r] : i64
  %at = arith.index_cast %k : i64 to index
  %a = load %x[%at, n] : f32
  store %a, %y[r, n] : f32
}

// A scatter that adds runs its points one after the other, in parallel over the rest.
// CHECK-LABEL: gpu.func @scatter(
// CHECK: scf.for
// CHECK: arith.addf
zyxk.kernel @scatter ports(%x: in f32[512, 64], %i: in i64[512], %y: inout f32[1000, 64])
    axes(r < 512, n < 64) {
  %k = load %i[r] : i64
  %at = arith.index_cast %k : i64 to index
  %a = load %x[r, n] : f32
  store %a, %y[%at, n] combine add : f32
}

// No points, no workgroups.
// CHECK-LABEL: gpu.func @empty(
// CHECK-SAME: zyxk.grid = array<i64: 0, 1, 1>
zyxk.kernel @empty ports(%x: in f32[0, 8], %y: out f32[0, 8]) axes(r < 0, n < 8) {
  %a = load %x[r, n] : f32
  store %a, %y[r, n] : f32
}
