// RUN: zyx-opt %s -zyx-decompose -canonicalize | FileCheck %s
// Composites of elementwise ops and reductions become primitives.

// The vectors are combined before they are broadcast.
// CHECK-LABEL: func.func @batch_norm(
// CHECK-SAME: %[[X:.*]]: tensor<1x4x8x8xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = zyx.constant dense<9.99999974E-6> : tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = zyx.add %[[Y]], %[[V0]] : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = zyx.sqrt %[[V1]] : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = zyx.div %[[Y]], %[[V2]] : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[V4:.*]] = zyx.mul %[[Y]], %[[V3]] : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[V5:.*]] = zyx.sub %[[Y]], %[[V4]] : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[V6:.*]] = zyx.reshape %[[V3]] [1, 4, 1, 1] : tensor<4xf32> -> tensor<1x4x1x1xf32>
// CHECK-NEXT: %[[V7:.*]] = zyx.expand %[[V6]] [1, 4, 8, 8] : tensor<1x4x1x1xf32> -> tensor<1x4x8x8xf32>
// CHECK-NEXT: %[[V8:.*]] = zyx.mul %[[X]], %[[V7]] : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
// CHECK-NEXT: %[[V9:.*]] = zyx.reshape %[[V5]] [1, 4, 1, 1] : tensor<4xf32> -> tensor<1x4x1x1xf32>
// CHECK-NEXT: %[[V10:.*]] = zyx.expand %[[V9]] [1, 4, 8, 8] : tensor<1x4x1x1xf32> -> tensor<1x4x8x8xf32>
// CHECK-NEXT: %[[V11:.*]] = zyx.add %[[V8]], %[[V10]] : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
// CHECK-NEXT: return %[[V11]]
func.func @batch_norm(%x: tensor<1x4x8x8xf32>, %c: tensor<4xf32>) -> tensor<1x4x8x8xf32> {
  %0 = zyx.batch_norm %x, %c, %c, %c, %c epsilon 1.000000e-05 : tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// Narrow floats are computed in f32.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[X:.*]]: tensor<3x4xf16>)
// CHECK-NEXT: %[[V0:.*]] = zyx.cast %[[X]] to f32 : tensor<3x4xf16> -> tensor<3x4xf32>
// CHECK-NEXT: %[[V1:.*]] = zyx.reduce_max %[[V0]] over [1] : tensor<3x4xf32> -> tensor<3xf32>
// CHECK-NEXT: %[[V2:.*]] = zyx.reshape %[[V1]] [3, 1] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %[[V3:.*]] = zyx.expand %[[V2]] [3, 4] : tensor<3x1xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %[[V4:.*]] = zyx.sub %[[V0]], %[[V3]] : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %[[V5:.*]] = zyx.exp %[[V4]] : tensor<3x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %[[V6:.*]] = zyx.reduce_sum %[[V5]] over [1] : tensor<3x4xf32> -> tensor<3xf32>
// CHECK-NEXT: %[[V7:.*]] = zyx.reshape %[[V6]] [3, 1] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %[[V8:.*]] = zyx.expand %[[V7]] [3, 4] : tensor<3x1xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %[[V9:.*]] = zyx.div %[[V5]], %[[V8]] : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %[[V10:.*]] = zyx.cast %[[V9]] to f16 : tensor<3x4xf32> -> tensor<3x4xf16>
// CHECK-NEXT: return %[[V10]]
func.func @softmax(%x: tensor<3x4xf16>) -> tensor<3x4xf16> {
  %0 = zyx.softmax %x over [1] : tensor<3x4xf16> -> tensor<3x4xf16>
  return %0 : tensor<3x4xf16>
}

// CHECK-LABEL: func.func @log_softmax(
// CHECK-SAME: %[[X:.*]]: tensor<3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = zyx.reduce_max %[[X]] over [1] : tensor<3x4xf32> -> tensor<3xf32>
// CHECK-NEXT: %[[V1:.*]] = zyx.reshape %[[V0]] [3, 1] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %[[V2:.*]] = zyx.expand %[[V1]] [3, 4] : tensor<3x1xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %[[V3:.*]] = zyx.sub %[[X]], %[[V2]] : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %[[V4:.*]] = zyx.exp %[[V3]] : tensor<3x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %[[V5:.*]] = zyx.reduce_sum %[[V4]] over [1] : tensor<3x4xf32> -> tensor<3xf32>
// CHECK-NEXT: %[[V6:.*]] = zyx.reshape %[[V5]] [3, 1] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %[[V7:.*]] = zyx.log %[[V6]] : tensor<3x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %[[V8:.*]] = zyx.expand %[[V7]] [3, 4] : tensor<3x1xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %[[V9:.*]] = zyx.sub %[[V3]], %[[V8]] : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: return %[[V9]]
func.func @log_softmax(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = zyx.log_softmax %x over [1] : tensor<3x4xf32> -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @stack(
// CHECK-SAME: %[[X:.*]]: tensor<3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = zyx.reshape %[[X]] [3, 1, 4] : tensor<3x4xf32> -> tensor<3x1x4xf32>
// CHECK-NEXT: %[[V1:.*]] = zyx.reshape %[[X]] [3, 1, 4] : tensor<3x4xf32> -> tensor<3x1x4xf32>
// CHECK-NEXT: %[[V2:.*]] = zyx.concat %[[V0]], %[[V1]] axis 1 : tensor<3x1x4xf32>, tensor<3x1x4xf32> -> tensor<3x2x4xf32>
// CHECK-NEXT: return %[[V2]]
func.func @stack(%x: tensor<3x4xf32>) -> tensor<3x2x4xf32> {
  %0 = zyx.stack %x, %x axis 1 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
