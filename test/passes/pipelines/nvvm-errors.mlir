// RUN: zyx-opt %s -pass-pipeline="builtin.module(gpu.module(zyxk-nvvm-expand,zyxk-gpu-to-nvvm{libdevice=false}))" -verify-diagnostics -split-input-file

gpu.module @m {
  gpu.func @f(%x: memref<64xf64, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<64xf64, #gpu.address_space<global>>
    // expected-error@+1 {{'math.exp' op on 'f64' needs libdevice, which was not found: install the CUDA toolkit, or set CUDA_HOME to it}}
    %e = math.exp %v : f64
    memref.store %e, %x[%t] : memref<64xf64, #gpu.address_space<global>>
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error@+1 {{'gpu.func' op needs known_block_size, with threads in the first dimension only}}
  gpu.func @f() kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error@+1 {{'gpu.func' op has 65536 bytes of static workgroup memory; what exceeds 49152 must be dynamic (gpu.dynamic_shared_memory)}}
  gpu.func @f() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %sm = memref.alloc() : memref<16384xf32, #gpu.address_space<workgroup>>
    %c0 = arith.constant 0 : index
    %v = memref.load %sm[%c0] : memref<16384xf32, #gpu.address_space<workgroup>>
    memref.store %v, %sm[%c0] : memref<16384xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @f(%x: memref<64xf32, strided<[?], offset: ?>, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    // expected-error@+1 {{failed to legalize operation 'memref.load'}}
    %v = memref.load %x[%t] : memref<64xf32, strided<[?], offset: ?>, #gpu.address_space<global>>
    memref.store %v, %x[%t] : memref<64xf32, strided<[?], offset: ?>, #gpu.address_space<global>>
    gpu.return
  }
}
