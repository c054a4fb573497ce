// RUN: zyx-opt %s -zyx-decompose=ops=softmax,stack | FileCheck %s
// RUN: not zyx-opt %s -zyx-decompose=ops=add 2>&1 | FileCheck %s --check-prefix=ERROR
// Only the picked ops are replaced; an op without a decomposition is refused.

// ERROR: zyx-decompose: 'add' names no op with a decomposition

// CHECK-LABEL: func.func @picked
// CHECK-NOT: zyx.softmax
// CHECK-NOT: zyx.stack
// CHECK: zyx.concat
// CHECK: zyx.log_softmax
func.func @picked(%x: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = zyx.softmax %x over [1] : tensor<3x4xf32> -> tensor<3x4xf32>
  %1 = zyx.stack %0, %x axis 0 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<2x3x4xf32>
  %2 = zyx.log_softmax %1 over [1] : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// New ops keep the location of the op that they replace.
// RUN: zyx-opt %s -zyx-decompose -mlir-print-debuginfo | FileCheck %s --check-prefix=LOCATION
// LOCATION-LABEL: func.func @location
// LOCATION: zyx.concat {{.*}} loc([[WHERE:.*]])
// LOCATION: [[WHERE]] = loc("node_7")
func.func @location(%x: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = zyx.stack %x, %x axis 0 : tensor<4xf32>, tensor<4xf32> -> tensor<2x4xf32> loc("node_7")
  return %0 : tensor<2x4xf32>
}
