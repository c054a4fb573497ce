// Factors that TMA and cp.async cannot read are packed by a launch before the product.
// RUN: zyx-opt %s -zyxk-lower-matrix=target=sm_90a -split-input-file | FileCheck %s

// Rows of 4093 halves do not start at multiples of 16 bytes: both factors are copied to rows that
// do, A along k and B along n (to whole lines of 128 bytes), by one launch. The product reads them by TMA.
// CHECK-LABEL: gpu.module @ragged attributes {zyxk.scratch_bytes = 67600128 : i64}
// CHECK: gpu.func @ragged(
// CHECK-SAME: memref<67600128xi8, #gpu.address_space<global>>) kernel
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, zyxk.grid = array<i64: 4099, 1, 1>, zyxk.launch = 0
// A thread loads four vectors before it stores the first, each as the two aligned ones around it.
// CHECK-COUNT-8: vector.load %{{.*}} {alignment = 16 : i64} : memref<16760835xf16
// CHECK: memref.view %{{.*}} : memref<67600128xi8, #gpu.address_space<global>> to memref<16773120xf16
// CHECK: vector.store %{{.*}} {alignment = 16 : i64}
// The last vector of a port may not be whole.
// CHECK: memref.load %{{.*}} : memref<16760835xf16
// CHECK-COUNT-8: vector.load %{{.*}} {alignment = 16 : i64} : memref<16769021xf16
// CHECK: vector.store %{{.*}} {alignment = 16 : i64}
// CHECK: gpu.func @ragged_1(
// CHECK-SAME: zyxk.launch = 1
// CHECK-SAME: zyxk.starts_early
// CHECK-SAME: dims = array<i64: 4093, 4095>, port = 3 : i64, strides = array<i64: 8192>
// CHECK-SAME: dims = array<i64: 4097, 4093>, offset = 33546240 : i64, port = 3 : i64, strides = array<i64: 8320>
// 256x128 cuts it to 4 whole waves of 132 workgroups; a warpgroup has two blocks of 64 rows.
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16
// Rows of C are not aligned either: two elements a thread, then the ends of rows.
// CHECK-COUNT-4: vector.from_elements %{{.*}} : vector<2xf16>
// CHECK: scf.if
// CHECK: vector.store %{{.*}} {alignment = 4 : i64} : memref<16777215xf16
// CHECK: memref.store %{{.*}} : memref<16777215xf16
// CHECK-NOT: memref.store %{{.*}} : memref<16777215xf16
zyxk.kernel @ragged ports(%a: in f16[4095, 4093], %b: in f16[4093, 4097], %c: out f16[4095, 4097])
    axes(i < 4095, j < 4097, k < 4093) {
  %x = load %a[i, k] : f16
  %w = load %b[k, j] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  %o = arith.truncf %s : f32 to f16
  store %o, %c[i, j] : f16
}

// -----

// A prologue: only its factor is packed, in whole vectors.
// CHECK-LABEL: gpu.func @prologue(
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<1048576xf16
// CHECK: arith.maximumf %{{.*}} : vector<8xf16>
// CHECK: vector.store
// CHECK-LABEL: gpu.func @prologue_1(
// CHECK-SAME: dims = array<i64: 1024, 1024>, port = 3
// CHECK-SAME: dims = array<i64: 1024, 1024>, port = 1
zyxk.kernel @prologue ports(%a: in f16[1024, 1024], %b: in f16[1024, 1024], %c: out f32[1024, 1024])
    axes(i < 1024, j < 1024, k < 1024) {
  %zero = arith.constant 0.0 : f16
  %x = load %a[i, k] : f16
  %r = arith.maximumf %x, %zero : f16
  %w = load %b[k, j] : f16
  %s = contract %r, %w over [k] : f16, f16 -> f32
  store %s, %c[i, j] : f32
}

// -----

// A convolution: its windows are packed, several axes as one index.
// CHECK-LABEL: gpu.func @conv(
// CHECK: arith.select
// CHECK: vector.store
// CHECK-LABEL: gpu.func @conv_1(
// CHECK: wgmma.mma_async
zyxk.kernel @conv ports(%w: in f16[64, 32, 3, 3], %x: in f16[8, 32, 28, 28], %y: out f16[8, 64, 28, 28])
    axes(n < 8, m < 64, p < 28, q < 28, c < 32, r < 3, s < 3) {
  %zero = arith.constant 0.0 : f16
  %a = load %w[m, c, r, s] : f16
  %l = load %x[n, c, p + r - 1, q + s - 1] : f16
  %b = where %l if (p + r - 1 >= 0 and p + r - 1 < 28 and q + s - 1 >= 0 and q + s - 1 < 28)
       else %zero : f16
  %t = contract %a, %b over [c, r, s] : f16, f16 -> f32
  %o = arith.truncf %t : f32 to f16
  store %o, %y[n, m, p, q] : f16
}
