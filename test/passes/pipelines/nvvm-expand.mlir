// RUN: zyx-opt %s -zyxk-nvvm-pipeline | FileCheck %s

!global = memref<1024xf32, #gpu.address_space<global>>
!half = memref<1024xf16, #gpu.address_space<global>>
!double = memref<1024xf64, #gpu.address_space<global>>
gpu.module @math attributes {zyxk.scratch_bytes = 0 : i64} {
  // Functions of f64, and of f32 without an accurate polynomial, are calls of libdevice.
  // CHECK-DAG: llvm.func @__nv_exp(f64) -> f64
  // CHECK-DAG: llvm.func @__nv_sinf(f32) -> f32
  // CHECK-DAG: llvm.func @__nv_fmodf(f32, f32) -> f32

  // exp in f32: two parts of the exponent, one of them as bits; no function left.
  // CHECK-LABEL: llvm.func @exp
  // CHECK: llvm.intr.maxnum
  // CHECK: llvm.intr.minnum
  // CHECK: llvm.intr.fma
  // CHECK: llvm.shl
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
  // CHECK: llvm.fmul
  // CHECK-NOT: llvm.call
  gpu.func @exp(%x: !global) kernel attributes {zyxk.launch = 0 : i64,
      zyxk.grid = array<i64: 1, 1, 1>, known_block_size = array<i32: 256, 1, 1>,
      zyxk.shared_bytes = 0 : i64} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !global
    %e = math.exp %v : f32
    memref.store %e, %x[%t] : !global
    gpu.return
  }

  // Vectors of functions are taken apart; f16 goes through f32. tanh is a polynomial or
  // a quotient, or one instruction where an approximation will do.
  // CHECK-LABEL: llvm.func @vector
  // CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<4xf16>
  // CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.div.full"
  // CHECK: llvm.intr.tanh(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
  // CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<4xf16>
  gpu.func @vector(%x: !half, %y: !global) kernel attributes {zyxk.launch = 1 : i64,
      zyxk.grid = array<i64: 1, 1, 1>, known_block_size = array<i32: 256, 1, 1>,
      zyxk.shared_bytes = 0 : i64} {
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %at = arith.muli %t, %c4 : index
    %v = vector.load %x[%at] {alignment = 8 : i64} : !half, vector<4xf16>
    %e = math.tanh %v : vector<4xf16>
    %w = memref.load %y[%t] : !global
    %a = math.tanh %w fastmath<afn> : f32
    memref.store %a, %y[%t] : !global
    vector.store %e, %x[%at] {alignment = 8 : i64} : !half, vector<4xf16>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @library
  // CHECK-DAG: llvm.call @__nv_exp
  // CHECK-DAG: llvm.call @__nv_sinf
  // CHECK-DAG: llvm.call @__nv_fmodf
  // CHECK-DAG: llvm.intr.exp2(%{{.*}}) : (f32) -> f32
  // CHECK-DAG: llvm.intr.sqrt(%{{.*}}) : (f64) -> f64
  gpu.func @library(%x: !global, %y: !double) kernel attributes {zyxk.launch = 2 : i64,
      zyxk.grid = array<i64: 1, 1, 1>, known_block_size = array<i32: 256, 1, 1>,
      zyxk.shared_bytes = 0 : i64} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !global
    %s = math.sin %v : f32
    %p = math.exp2 %s : f32
    %r = arith.remf %p, %v : f32
    memref.store %r, %x[%t] : !global
    %w = memref.load %y[%t] : !double
    %e = math.exp %w : f64
    %q = math.sqrt %e : f64
    memref.store %q, %y[%t] : !double
    gpu.return
  }

  // Comparisons that give the larger number, or NaN, are one instruction.
  // CHECK-LABEL: llvm.func @extreme
  // CHECK-NOT: llvm.select
  // CHECK: llvm.intr.maximum
  // CHECK: llvm.intr.maximum
  gpu.func @extreme(%x: !global, %y: !global) kernel attributes {zyxk.launch = 4 : i64,
      zyxk.grid = array<i64: 1, 1, 1>, known_block_size = array<i32: 256, 1, 1>,
      zyxk.shared_bytes = 0 : i64} {
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %a = memref.load %x[%t] : !global
    %b = memref.load %y[%t] : !global
    %more = arith.cmpf ogt, %a, %b : f32
    %larger = arith.select %more, %a, %b : f32
    %nan = arith.cmpf uno, %a, %a : f32
    %max = arith.select %nan, %a, %larger : f32
    %negative = arith.cmpf ogt, %zero, %max : f32
    %relu = arith.select %negative, %zero, %max : f32
    memref.store %relu, %y[%t] : !global
    gpu.return
  }

  // A shuffle of 16 bits moves 32.
  // CHECK-LABEL: llvm.func @shuffle
  // CHECK: llvm.zext %{{.*}} : i16 to i32
  // CHECK: nvvm.shfl.sync down
  // CHECK: llvm.trunc %{{.*}} : i32 to i16
  gpu.func @shuffle(%x: !half) kernel attributes {zyxk.launch = 3 : i64,
      zyxk.grid = array<i64: 1, 1, 1>, known_block_size = array<i32: 32, 1, 1>,
      zyxk.shared_bytes = 0 : i64} {
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !half
    %s, %valid = gpu.shuffle down %v, %c1, %c32 : f16
    memref.store %s, %x[%t] : !half
    gpu.return
  }

  // Products and sums are fused; exp whose result is rounded to f16 is one instruction.
  // CHECK-LABEL: llvm.func @rounded
  // CHECK-NOT: llvm.intr.maxnum
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
  // CHECK: llvm.intr.fma
  // CHECK-NOT: llvm.fadd
  gpu.func @rounded(%x: !global, %y: !half) kernel attributes {zyxk.launch = 2 : i64,
      zyxk.grid = array<i64: 1, 1, 1>, known_block_size = array<i32: 256, 1, 1>,
      zyxk.shared_bytes = 0 : i64} {
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !global
    %e = math.exp %v : f32
    %p = arith.mulf %e, %v : f32
    %s = arith.addf %p, %one : f32
    %h = arith.truncf %s : f32 to f16
    memref.store %h, %y[%t] : !half
    gpu.return
  }
}
