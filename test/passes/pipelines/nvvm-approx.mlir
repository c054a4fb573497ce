// Exponentials and quotients that become 16 bits.
// RUN: zyx-opt %s -zyxk-nvvm-pipeline | FileCheck %s

!global = memref<1024xf32, #gpu.address_space<global>>
!half = memref<1024xf16, #gpu.address_space<global>>

gpu.module @math attributes {zyxk.scratch_bytes = 0 : i64} {
  // x * sigmoid(2 z) rounded to f16: log2 e is in the constants, and the quotient, whose divisor is
  // at least 1, a product.
  // CHECK-LABEL: llvm.func @sigmoid
  // CHECK-DAG: %[[LINEAR:.*]] = llvm.mlir.constant(-2.30220819 : f32)
  // CHECK-DAG: %[[CUBIC:.*]] = llvm.mlir.constant(-0.102943{{[0-9]*}} : f32)
  // CHECK-NOT: llvm.mlir.constant(1.44269502 : f32)
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
  // CHECK-NOT: llvm.nvvm.div.full
  gpu.func @sigmoid(%x: !global, %y: !half) kernel attributes {zyxk.launch = 4 : i64,
      zyxk.grid = array<i64: 1, 1, 1>, known_block_size = array<i32: 256, 1, 1>,
      zyxk.shared_bytes = 0 : i64} {
    %one = arith.constant 1.0 : f32
    %linear = arith.constant -1.5957691 : f32
    %cubic = arith.constant -0.0713548 : f32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !global
    %v2 = arith.mulf %v, %v : f32
    %s = arith.mulf %v2, %cubic : f32
    %a = arith.addf %s, %linear : f32
    %z = arith.mulf %v, %a : f32
    %e = math.exp %z : f32
    %d = arith.addf %e, %one : f32
    %q = arith.divf %v, %d : f32
    %h = arith.truncf %q : f32 to f16
    memref.store %h, %y[%t] : !half
    gpu.return
  }

  // With a divisor that may be below 1 the quotient is exact; one that stays f32 takes the full range.
  // CHECK-LABEL: llvm.func @full_range
  // CHECK: llvm.fdiv
  // CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
  gpu.func @full_range(%x: !global, %y: !half) kernel attributes {zyxk.launch = 5 : i64,
      zyxk.grid = array<i64: 1, 1, 1>, known_block_size = array<i32: 256, 1, 1>,
      zyxk.shared_bytes = 0 : i64} {
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !global
    %d = arith.addf %v, %one : f32
    %q = arith.divf %v, %d : f32
    %h = arith.truncf %q : f32 to f16
    memref.store %h, %y[%t] : !half
    %v2 = arith.mulf %v, %v : f32
    %d2 = arith.addf %v2, %one : f32
    %q2 = arith.divf %v, %d2 : f32
    memref.store %q2, %x[%t] : !global
    gpu.return
  }
}
