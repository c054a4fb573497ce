// Composites in regions and in decompositions of custom ops become primitives, too.
// RUN: zyx-opt %s -zyx-decompose | FileCheck %s
// CHECK-LABEL: func.func @main
// CHECK-NOT: zyx.softmax
// CHECK: zyx.if
// CHECK: zyx.reduce_max
// CHECK: zyx.loop
// CHECK: zyx.reduce_max
// CHECK-LABEL: func.func private @plain
// CHECK-NOT: zyx.softmax
// CHECK: zyx.reduce_max
func.func @main(%c: tensor<i1>, %x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %a = zyx.if %c : (tensor<i1>) -> tensor<2x3xf32> {
    %s = zyx.softmax %x over [1] : tensor<2x3xf32> -> tensor<2x3xf32>
    zyx.yield %s : tensor<2x3xf32>
  } else {
    zyx.yield %x : tensor<2x3xf32>
  }
  %b = zyx.loop limit [2] while %c carry %a : (tensor<i1>, tensor<2x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<2x3xf32>):
    %s = zyx.softmax %p over [0] : tensor<2x3xf32> -> tensor<2x3xf32>
    zyx.yield %c, %s : tensor<i1>, tensor<2x3xf32>
  }
  %k = zyx.custom "lib"(%x) like @plain : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %b, %k : tensor<2x3xf32>, tensor<2x3xf32>
}
func.func private @plain(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %s = zyx.softmax %x over [1] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}
