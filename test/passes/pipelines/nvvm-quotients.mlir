// RUN: zyx-opt %s -zyxk-nvvm-pipeline | FileCheck %s

!global = memref<1024xf32, #gpu.address_space<global>>
gpu.module @quotients attributes {zyxk.scratch_bytes = 0 : i64} {
  // Quotients are exact; those of a sigmoid, and by a reciprocal, are within 2 ulp.
  // CHECK-LABEL: llvm.func @quotients
  // CHECK: llvm.fdiv
  // CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
  // CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
  // CHECK-NOT: llvm.fdiv
  gpu.func @quotients(%x: !global, %y: !global) kernel attributes {zyxk.launch = 6 : i64,
      zyxk.grid = array<i64: 1, 1, 1>, known_block_size = array<i32: 256, 1, 1>,
      zyxk.shared_bytes = 0 : i64} {
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %a = memref.load %x[%t] : !global
    %b = memref.load %y[%t] : !global
    %q = arith.divf %a, %b : f32
    memref.store %q, %x[%t] : !global
    %e = math.exp %b : f32
    %d = arith.addf %e, %one : f32
    %s = arith.divf %a, %d : f32
    %r = arith.divf %s, %b fastmath<arcp> : f32
    memref.store %r, %y[%t] : !global
    gpu.return
  }
}
