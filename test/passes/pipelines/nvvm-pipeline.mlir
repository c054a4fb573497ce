// RUN: zyx-opt %s -zyxk-nvvm-pipeline -split-input-file | FileCheck %s

// Ports become pointers to global memory that do not alias; those only read are marked. Workgroup
// memory is a global. Identifiers know their range, sizes are constants.
// CHECK: llvm.mlir.global internal @[[SHARED:.*]]() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8 x f32>
// CHECK: llvm.func @reduce(%[[X:.*]]: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %[[Y:.*]]: !llvm.ptr<1> {llvm.noalias})
// CHECK-SAME: nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>, nvvm.minctasm = 2 : i32
// CHECK-SAME: zyxk.grid = array<i64: 37, 1, 1>
// CHECK-DAG: nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 37> : i32
// CHECK-DAG: nvvm.read.ptx.sreg.tid.x range <i32, 0, 256> : i32
// CHECK-DAG: llvm.mlir.addressof @[[SHARED]] : !llvm.ptr<3>
// A vector access keeps the alignment that the driver states.
// CHECK: llvm.getelementptr inbounds %[[X]][%{{.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
!global = memref<37888xf32, #gpu.address_space<global>>
!shared = memref<8xf32, #gpu.address_space<workgroup>>
gpu.module @reduce attributes {zyxk.scratch_bytes = 0 : i64} {
  gpu.func @reduce(%x: !global, %y: memref<37xf32, #gpu.address_space<global>>) kernel
      attributes {zyxk.launch = 0 : i64, zyxk.grid = array<i64: 37, 1, 1>, zyxk.min_blocks = 2 : i64,
                  known_block_size = array<i32: 256, 1, 1>, zyxk.shared_bytes = 0 : i64} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    %row = gpu.block_id x
    %t = gpu.thread_id x
    %lane = gpu.lane_id
    %warp = gpu.subgroup_id : index
    %sm = memref.alloc() : !shared
    %base = arith.muli %row, %c1024 : index
    %mine = arith.muli %t, %c4 : index
    %at = arith.addi %base, %mine : index
    %v = vector.load %x[%at] {alignment = 16 : i64} : !global, vector<4xf32>
    %s = vector.reduction <add>, %v : vector<4xf32> into f32
    %w = gpu.subgroup_reduce add %s : (f32) -> f32
    %lead = arith.cmpi eq, %lane, %c0 : index
    scf.if %lead {
      memref.store %w, %sm[%warp] : !shared
    }
    gpu.barrier
    %first = memref.load %sm[%c0] : !shared
    %store = arith.cmpi eq, %t, %c0 : index
    scf.if %store {
      memref.store %first, %y[%row] : memref<37xf32, #gpu.address_space<global>>
    }
    gpu.return
  }
}

// -----

// Tensor maps lie in the parameters; dynamic workgroup memory is one aligned external global; its
// address goes to inline assembly, which is kept as it is. 4 GiB need indices of 64 bits.
// CHECK: llvm.mlir.global external @dynamic_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.func @copy(%{{.*}}: !llvm.ptr<1> {llvm.noalias}, %[[MAP:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
// CHECK: %[[BASE:.*]] = llvm.mlir.addressof @dynamic_shared : !llvm.ptr<3>
// CHECK: %[[TILE:.*]] = llvm.getelementptr inbounds %[[BASE]][%{{.*}}] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[TILE]] : !llvm.ptr<3> to i32
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "copy $0, $1;", "r,l,~{memory}" %[[ADDRESS]], %[[MAP]] : (i32, !llvm.ptr) -> ()
// CHECK: llvm.getelementptr inbounds %{{.*}}[%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f16
gpu.module @copy attributes {zyxk.scratch_bytes = 0 : i64} {
  gpu.func @copy(%y: memref<2147483648xf16, #gpu.address_space<global>>, %map: !llvm.ptr) kernel
      attributes {zyxk.launch = 0 : i64, zyxk.grid = array<i64: 132, 1, 1>,
                  known_block_size = array<i32: 128, 1, 1>, zyxk.shared_bytes = 65536 : i64} {
    %at = arith.constant 16384 : index
    %base = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %tile = memref.view %base[%at][] : memref<?xi8, #gpu.address_space<workgroup>>
        to memref<64x64xf16, #gpu.address_space<workgroup>>
    %index = memref.extract_aligned_pointer_as_index %tile
        : memref<64x64xf16, #gpu.address_space<workgroup>> -> index
    %address = arith.index_castui %index : index to i32
    llvm.inline_asm has_side_effects asm_dialect = att "copy $0, $1;", "r,l,~{memory}" %address, %map : (i32, !llvm.ptr) -> ()
    gpu.barrier
    %block = gpu.block_id x
    %t = gpu.thread_id x
    %v = memref.load %tile[%t, %t] : memref<64x64xf16, #gpu.address_space<workgroup>>
    memref.store %v, %y[%block] : memref<2147483648xf16, #gpu.address_space<global>>
    gpu.return
  }
}

// -----

// A launch that may start early begins with the wait for the launch before it.
// CHECK-LABEL: llvm.func @second
// CHECK-NEXT: nvvm.griddepcontrol wait
gpu.module @early attributes {zyxk.scratch_bytes = 0 : i64} {
  gpu.func @second(%x: memref<1024xf32, #gpu.address_space<global>>) kernel
      attributes {zyxk.launch = 1 : i64, zyxk.grid = array<i64: 4, 1, 1>, zyxk.starts_early,
                  known_block_size = array<i32: 256, 1, 1>, zyxk.shared_bytes = 0 : i64} {
    gpu.return
  }
}
