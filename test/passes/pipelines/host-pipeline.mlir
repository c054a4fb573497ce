// RUN: zyx-opt %s -zyxk-host-pipeline | FileCheck %s

// The entry loads the addresses of the ports and of the scratch memory from the argument slots and
// calls the body, whose ports do not alias.
// CHECK: llvm.func @double(%[[ARGS:.*]]: !llvm.ptr, %[[LO:.*]]: i64, %[[HI:.*]]: i64)
// CHECK-SAME: zyxk.num_tasks = 4 : i64
// CHECK: llvm.getelementptr %[[ARGS]][0] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK: llvm.getelementptr %[[ARGS]][1] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK: llvm.getelementptr %[[ARGS]][2] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK: llvm.call @double.body(%{{.*}}, %{{.*}}, %{{.*}}, %[[LO]], %[[HI]])
// CHECK: llvm.func internal @double.body(%{{.*}}: !llvm.ptr {llvm.noalias}
// exp becomes a polynomial: no call is left.
// CHECK-NOT: llvm.call
func.func @double(%x: memref<64xf32>, %y: memref<64xf32>, %scratch: memref<0xi8>, %lo: index,
    %hi: index) attributes {zyxk.num_tasks = 4 : i64, zyxk.scratch_bytes = 0 : i64} {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %task = %lo to %hi step %c1 {
    %at = arith.muli %task, %c16 : index
    %v = vector.load %x[%at] : memref<64xf32>, vector<16xf32>
    %e = math.exp %v : vector<16xf32>
    vector.store %e, %y[%at] : memref<64xf32>, vector<16xf32>
  }
  return
}
