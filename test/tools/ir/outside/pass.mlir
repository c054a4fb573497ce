// RUN: zyx-opt %s -zyx-decompose=ops=softmax | FileCheck %s
// CHECK-NOT: zyx.softmax
// CHECK: zyx.reduce_max
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = zyx.softmax %x over [1] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
