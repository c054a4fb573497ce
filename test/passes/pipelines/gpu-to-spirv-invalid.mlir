// RUN: zyx-opt %s -zyxk-gpu-to-spirv -verify-diagnostics -split-input-file
!port = memref<64xf64, #gpu.address_space<global>>
gpu.module @double {
  gpu.func @double(%x: !port) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !port
    // expected-error@+1 {{Vulkan has no such function in f64: compute it in f32}}
    %e = math.exp %v : f64
    memref.store %e, %x[%t] : !port
    gpu.return
  }
}

// -----

!port = memref<64xf32, #gpu.address_space<global>>
gpu.module @shuffle {
  gpu.func @shuffle(%x: !port) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !port
    // expected-error@+1 {{a shuffle's width is a constant power of two of at most 8, the device's subgroup size}}
    %s, %ok = gpu.shuffle xor %v, %one, %width : f32
    memref.store %s, %x[%t] : !port
    gpu.return
  }
}

// -----

!port = memref<64xf32, #gpu.address_space<global>>
gpu.module @view {
  gpu.func @view(%x: !port) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-error@+1 {{not handled for Vulkan}}
    %m = memref.cast %x : !port to memref<?xf32, #gpu.address_space<global>>
    %t = gpu.thread_id x
    %v = memref.load %m[%t] : memref<?xf32, #gpu.address_space<global>>
    memref.store %v, %x[%t] : !port
    gpu.return
  }
}

// -----

gpu.module @many {
  // expected-error@+1 {{argument of type 'f32': a Vulkan kernel takes static memrefs of identity layout}}
  gpu.func @many(%x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    gpu.return
  }
}
