// RUN: zyx-opt %s -zyx-decompose=ops=contract -canonicalize | FileCheck %s
// The sum of products of a contraction, as an oracle for tests.

// Only when asked for by name.
// CHECK-LABEL: func.func @contract(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = zyx.reshape %[[X]] [2, 1, 3] : tensor<2x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V1:.*]] = zyx.expand %[[V0]] [2, 4, 3] : tensor<2x1x3xf32> -> tensor<2x4x3xf32>
// CHECK-NEXT: %[[V2:.*]] = zyx.permute %[[Y]] [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
// CHECK-NEXT: %[[V3:.*]] = zyx.reshape %[[V2]] [1, 4, 3] : tensor<4x3xf32> -> tensor<1x4x3xf32>
// CHECK-NEXT: %[[V4:.*]] = zyx.expand %[[V3]] [2, 4, 3] : tensor<1x4x3xf32> -> tensor<2x4x3xf32>
// CHECK-NEXT: %[[V5:.*]] = zyx.mul %[[V1]], %[[V4]] : tensor<2x4x3xf32>, tensor<2x4x3xf32> -> tensor<2x4x3xf32>
// CHECK-NEXT: %[[V6:.*]] = zyx.reduce_sum %[[V5]] over [2] : tensor<2x4x3xf32> -> tensor<2x4xf32>
// CHECK-NEXT: return %[[V6]]
func.func @contract(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = zyx.contract %x [0, 1], %y [1, 2] -> [0, 2] in f32 to f32 : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
