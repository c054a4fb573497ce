// Contractions for wgmma: one loading thread, warpgroups that compute, an epilogue in a rolled loop.
// RUN: zyx-opt %s -zyxk-lower-matrix=target=sm_90a -split-input-file | FileCheck %s

// A is K-major (one load a stage), B is N-major: chunks of 64 columns, one load each.
// CHECK-LABEL: gpu.module @mlp attributes {zyxk.scratch_bytes = 0 : i64}
// CHECK: llvm.mlir.global external @dynamic_shared() {addr_space = 3 : i32, alignment = 1024 : i64}
// CHECK: gpu.func @mlp(
// CHECK-SAME: %[[MAPA:[^:]*]]: !llvm.ptr, %[[MAPB:[^:]*]]: !llvm.ptr) kernel
// CHECK-SAME: known_block_size = array<i32: 384, 1, 1>
// CHECK-SAME: zyxk.grid = array<i64: 132, 1, 1>
// CHECK-SAME: zyxk.min_blocks = 1
// CHECK-SAME: zyxk.shared_bytes = 229440
// CHECK-SAME: box = array<i64: 64, 128>, dims = array<i64: 4096, 4096>, port = 0 : i64, strides = array<i64: 8192>, swizzle = 128 : i64, type = f16
// CHECK-SAME: box = array<i64: 64, 64>, dims = array<i64: 4096, 4096>, port = 1 : i64
// CHECK-COUNT-4: mbarrier.init
// CHECK: fence.mbarrier_init
// CHECK: gpu.barrier
// CHECK: setmaxnreg.dec
// CHECK: setmaxnreg.inc
// CHECK: mbarrier.arrive.expect_tx
// CHECK-COUNT-5: cp.async.bulk.tensor.2d
// CHECK-NOT: cp.async.bulk.tensor
// CHECK: wgmma.fence
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16
// CHECK-NOT: wgmma.mma_async
// CHECK: wgmma.commit_group
// CHECK: "wgmma.wait_group.sync.aligned $0;"
// CHECK: mbarrier.arrive.shared
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK-COUNT-16: st.shared.v2.f32
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<4096xf32
// CHECK: bar.sync
// CHECK: scf.for
// CHECK: vector.shuffle
// CHECK: math.tanh %{{.*}} : vector<8xf32>
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<16777216xf16
// CHECK: bar.sync
// CHECK-NOT: zyxk.kernel
zyxk.kernel @mlp ports(%a: in f16[4096, 4096], %b: in f16[4096, 4096], %bias: in f32[4096],
                       %c: out f16[4096, 4096]) axes(i < 4096, j < 4096, k < 4096) {
  %x = load %a[i, k] : f16
  %w = load %b[k, j] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  %v = load %bias[j] : f32
  %h = arith.addf %s, %v : f32
  %t = math.tanh %h : f32
  %o = arith.truncf %t : f32 to f16
  store %o, %c[i, j] : f16
}

// -----

// Both operands along the rows: both transposed in the instruction. The batch axis is the third
// coordinate; ragged rows and columns are guarded where they are stored.
// CHECK-LABEL: gpu.func @transposed(
// CHECK-SAME: box = array<i64: 64, 64, 1>, dims = array<i64: 1000, 512, 6>, port = 0 : i64, strides = array<i64: 2000, 1024000>
// CHECK-SAME: box = array<i64: 64, 64>, dims = array<i64: 520, 512>, port = 1 : i64, strides = array<i64: 1040>
// CHECK-SAME: type = bf16
// CHECK: cp.async.bulk.tensor.3d
// CHECK: cp.async.bulk.tensor.2d
// CHECK: wgmma.mma_async.sync.aligned.m64n{{[^;]*}}.f32.bf16.bf16{{[^;]*}}, 1, 1, 1, 1, 1;\0A
// CHECK: scf.if
// CHECK: scf.for
// CHECK: scf.if
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<3120000xf32
zyxk.kernel @transposed ports(%a: in bf16[6, 512, 1000], %b: in bf16[512, 520],
                              %c: out f32[6, 1000, 520])
    axes(e < 6, i < 1000, j < 520, k < 512) {
  %x = load %a[e, k, i] : bf16
  %w = load %b[k, j] : bf16
  %s = contract %x, %w over [k] : bf16, bf16 -> f32
  store %s, %c[e, i, j] : f32
}

// -----

// The schedule sets tile, stages and registers.
// CHECK-LABEL: gpu.func @scheduled(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: zyxk.shared_bytes = 65568
// CHECK: m64n128k16
zyxk.kernel @scheduled ports(%a: in f16[256, 256], %b: in f16[256, 256], %c: out f32[256, 256])
    axes(i < 256, j < 256, k < 256) {
  %x = load %a[i, k] : f16
  %w = load %b[j, k] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  store %s, %c[i, j] : f32
} schedule #zyxk.mma<unit = wgmma, cta = [64, 128, 64], stages = 2>
