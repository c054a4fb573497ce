// RUN: zyx-opt %s --zyxk-lower-host | FileCheck %s
// RUN: zyxc kernel check %s | FileCheck %s --check-prefix=AGREE
// AGREE-COUNT-3: all agree with the interpreter

// A long sum of few results would be one task. Its parts wait in shared memory, after the ports, and
// a function that runs after all tasks joins them in order.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME: memref<640000xf32>, %{{[^:]*}}: memref<64xf32>, %[[SHARED:[^:]*]]: memref<2304xi8>, %[[SCRATCH:[^:]*]]: memref<256xi8>, %{{[^:]*}}: index, %{{[^:]*}}: index)
// CHECK-SAME: zyxk.num_tasks = 9 : i64
// CHECK-SAME: zyxk.parts_bytes = 2304 : i64
// CHECK-DAG: memref.view %[[SHARED]]
// CHECK-DAG: memref.view %[[SCRATCH]]
// CHECK-LABEL: func.func @columns_join(
// CHECK-SAME: memref<640000xf32>, %[[OUT:[^:]*]]: memref<64xf32>, %[[SHARED:[^:]*]]: memref<2304xi8>
// CHECK-SAME: zyxk.joins
// CHECK: memref.view %[[SHARED]]
// CHECK: vector.store %{{.*}}, %[[OUT]]
zyxk.kernel @columns ports(%x: in f32[10000, 64], %y: out f32[64]) axes(r < 10000, n < 64) {
  %a = load %x[r, n] : f32
  %s = reduce add %a over [r] : f32
  store %s, %y[n] : f32
}

// Enough rows are tasks as they are, and a serial order stays one.
// CHECK-LABEL: func.func @rows(
// CHECK-NOT: zyxk.parts_bytes
// CHECK-LABEL: func.func @serial(
// CHECK-NOT: zyxk.parts_bytes
zyxk.kernel @rows ports(%x: in f32[16, 40000], %y: out f32[16]) axes(r < 16, n < 40000) {
  %a = load %x[r, n] : f32
  %s = reduce add %a over [n] : f32
  store %s, %y[r] : f32
}
zyxk.kernel @serial ports(%x: in f32[300000], %y: out f32[1]) axes(n < 300000) {
  %a = load %x[n] : f32
  %s = reduce add %a over [n] order serial : f32
  store %s, %y[0] : f32
}
