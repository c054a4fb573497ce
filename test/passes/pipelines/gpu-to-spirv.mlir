// RUN: zyx-opt %s -zyxk-gpu-to-spirv | FileCheck %s
!in = memref<1024xf32, #gpu.address_space<global>>
!half = memref<1024xf16, #gpu.address_space<global>>
!brain = memref<64xbf16, #gpu.address_space<global>>
!shared = memref<64xf32, #gpu.address_space<workgroup>>

// Ports are addresses in push constants; a vector access is one memory operation of 16 bytes;
// products and sums are not contracted; functions are polynomials.
// CHECK-LABEL: spirv.module @__spv__wide
// CHECK: spirv.GlobalVariable @wide_arguments : !spirv.ptr<!spirv.struct<(i64 [0], i64 [8])>, PushConstant>
// CHECK: spirv.func @wide() "None"
// CHECK: spirv.ConvertUToPtr {{.*}} : i64 to !spirv.ptr<vector<4xf32>, PhysicalStorageBuffer>
// CHECK-NEXT: spirv.Load "PhysicalStorageBuffer" {{.*}} ["Aligned", 16] : vector<4xf32>
// CHECK-NOT: spirv.GL.Exp
// CHECK: spirv.FMul {{.*}} {no_contraction}
// CHECK: spirv.Store "PhysicalStorageBuffer" {{.*}} ["Aligned", 16] : vector<4xf32>
// CHECK: spirv.EntryPoint "GLCompute" @wide, @__builtin__LocalInvocationId__
// CHECK: spirv.ExecutionMode @wide "LocalSize", 64, 1, 1
gpu.module @wide {
  gpu.func @wide(%x: !in, %y: !in) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %i = arith.muli %t, %c4 : index
    %v = vector.load %x[%i] {alignment = 16 : i64} : !in, vector<4xf32>
    %e = math.exp %v : vector<4xf32>
    vector.store %e, %y[%i] {alignment = 16 : i64} : !in, vector<4xf32>
    gpu.return
  }
}

// Eight halves are four words. Without a stated alignment each element is one access.
// CHECK-LABEL: spirv.func @halves
// CHECK: spirv.Load "PhysicalStorageBuffer" {{.*}} ["Aligned", 16] : vector<4xi32>
// CHECK: spirv.Bitcast {{.*}} : i32 to vector<2xf16>
// CHECK: spirv.FDiv {{.*}} : f32
// CHECK: spirv.Store "PhysicalStorageBuffer" {{.*}} ["Aligned", 2] : vector<4xf16>
gpu.module @halves {
  gpu.func @halves(%x: !half, %y: !half) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %i = arith.muli %t, %c8 : index
    %v = vector.load %x[%i] {alignment = 16 : i64} : !half, vector<8xf16>
    %two = arith.constant dense<2.0> : vector<8xf16>
    %d = arith.divf %v, %two : vector<8xf16>
    vector.store %d, %y[%i] : !half, vector<8xf16>
    gpu.return
  }
}

// bf16 never reaches SPIR-V: it is 16 bits, computed in f32. Booleans are bytes in memory.
// CHECK-LABEL: spirv.func @brain
// CHECK-NOT: bf16
// CHECK: spirv.Load "PhysicalStorageBuffer" {{.*}} ["Aligned", 2] : i16
// CHECK: spirv.FAdd {{.*}} : f32
// CHECK: spirv.Store "PhysicalStorageBuffer" {{.*}} ["Aligned", 2] : i16
// CHECK-LABEL: spirv.ExecutionMode @brain
gpu.module @brain {
  gpu.func @brain(%x: !brain, %y: !brain) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %one = arith.constant 1.0 : bf16
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !brain
    %s = arith.addf %v, %one : bf16
    memref.store %s, %y[%t] : !brain
    gpu.return
  }
}

// Workgroup memory is a variable whose items are as wide as its accesses; a barrier orders both
// kinds of memory; shuffles of doubles are shuffles of words.
// CHECK-LABEL: spirv.GlobalVariable @shared_shared{{.*}} : !spirv.ptr<!spirv.array<16 x vector<4xf32>>, Workgroup>
// CHECK: spirv.GroupNonUniformShuffleXor <Subgroup> {{.*}} : f32, i32
// CHECK: spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|UniformMemory|WorkgroupMemory>
// CHECK: spirv.GroupNonUniformShuffle <Subgroup> {{.*}} : vector<2xi32>, i32
gpu.module @shared {
  gpu.func @shared(%x: !in) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %m = memref.alloc() : !shared
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %eight = arith.constant 8 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !in
    %s, %ok = gpu.shuffle xor %v, %one, %eight : f32
    memref.store %s, %m[%t] : !shared
    gpu.barrier
    %q = vector.load %m[%c0] {alignment = 16 : i64} : !shared, vector<4xf32>
    %w = arith.extf %q : vector<4xf32> to vector<4xf64>
    %a = vector.extract %w[3] : f64 from vector<4xf64>
    %b, %valid = gpu.shuffle down %a, %one, %eight : f64
    %f = arith.truncf %b : f64 to f32
    memref.store %f, %x[%t] : !in
    gpu.return
  }
}

// A loop that may not run leaves its initial values: the variables of its results begin with them.
// CHECK-LABEL: spirv.func @maybe()
// CHECK: %[[FIRST:.*]] = spirv.Load "PhysicalStorageBuffer"
// CHECK: %[[A:.*]] = spirv.Variable : !spirv.ptr<f32, Function>
// CHECK: %[[B:.*]] = spirv.Variable : !spirv.ptr<f32, Function>
// CHECK: spirv.Store "Function" %[[A]], %[[FIRST]] : f32
// CHECK: spirv.Store "Function" %[[B]], %{{.*}} : f32
// CHECK: spirv.mlir.loop
gpu.module @maybe {
  gpu.func @maybe(%x: !in, %y: !in) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %low = arith.constant -1.0e30 : f32
    %t = gpu.thread_id x
    %first = memref.load %x[%t] : !in
    %sum, %most = scf.for %i = %c0 to %t step %c1 iter_args(%s = %first, %m = %low) -> (f32, f32) {
      %v = memref.load %x[%i] : !in
      %a = arith.addf %s, %v : f32
      %b = arith.subf %m, %v : f32
      scf.yield %a, %b : f32, f32
    }
    %r = arith.mulf %sum, %most : f32
    memref.store %r, %y[%t] : !in
    gpu.return
  }
}
