// RUN: zyx-opt %s -zyx-decompose -canonicalize | FileCheck %s
// Composites with a contraction or windows become primitives.

// Products of f16 are summed in f32; batch axes are labels.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[X:.*]]: tensor<5x2x3xf16>, %[[Y:.*]]: tensor<3x4xf16>)
// CHECK-NEXT: %[[V0:.*]] = zyx.contract %[[X]] [0, 1, 3], %[[Y]] [3, 2] -> [0, 1, 2] in f32 to f16 : tensor<5x2x3xf16>, tensor<3x4xf16> -> tensor<5x2x4xf16>
// CHECK-NEXT: return %[[V0]]
func.func @matmul(%x: tensor<5x2x3xf16>, %y: tensor<3x4xf16>) -> tensor<5x2x4xf16> {
  %0 = zyx.matmul %x, %y : tensor<5x2x3xf16>, tensor<3x4xf16> -> tensor<5x2x4xf16>
  return %0 : tensor<5x2x4xf16>
}

// A contraction over windows of the padded input; groups are a batch axis of both operands.
// CHECK-LABEL: func.func @conv(
// CHECK-SAME: %[[X:.*]]: tensor<1x4x8x8xf32>, %[[Y:.*]]: tensor<6x2x3x3xf32>)
// CHECK-NEXT: %[[V0:.*]] = zyx.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V1:.*]] = zyx.pad %[[X]], %[[V0]] low [0, 0, 1, 0] high [0, 0, 1, 2] : tensor<1x4x8x8xf32>, tensor<f32> -> tensor<1x4x10x10xf32>
// CHECK-NEXT: %[[V2:.*]] = zyx.reshape %[[V1]] [1, 2, 2, 10, 10] : tensor<1x4x10x10xf32> -> tensor<1x2x2x10x10xf32>
// CHECK-NEXT: %[[V3:.*]] = zyx.reshape %[[Y]] [2, 3, 2, 3, 3] : tensor<6x2x3x3xf32> -> tensor<2x3x2x3x3xf32>
// CHECK-NEXT: %[[V4:.*]] = zyx.window %[[V2]] sizes [3, 3] strides [2, 1] dilations [1, 2] : tensor<1x2x2x10x10xf32> -> tensor<1x2x2x4x6x3x3xf32>
// CHECK-NEXT: %[[V5:.*]] = zyx.contract %[[V4]] [0, 1, 2, 4, 5, 6, 7], %[[V3]] [1, 3, 2, 6, 7] -> [0, 1, 3, 4, 5] in f32 to f32 : tensor<1x2x2x4x6x3x3xf32>, tensor<2x3x2x3x3xf32> -> tensor<1x2x3x4x6xf32>
// CHECK-NEXT: %[[V6:.*]] = zyx.reshape %[[V5]] [1, 6, 4, 6] : tensor<1x2x3x4x6xf32> -> tensor<1x6x4x6xf32>
// CHECK-NEXT: return %[[V6]]
func.func @conv(%x: tensor<1x4x8x8xf32>, %w: tensor<6x2x3x3xf32>) -> tensor<1x6x4x6xf32> {
  %0 = zyx.conv %x, %w strides [2, 1] low [1, 0] high [1, 2] dilations [1, 2] groups 2 : tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32> -> tensor<1x6x4x6xf32>
  return %0 : tensor<1x6x4x6xf32>
}

// Padding by the lowest value never wins.
// CHECK-LABEL: func.func @max_pool(
// CHECK-SAME: %[[X:.*]]: tensor<1x4x8x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = zyx.constant dense<0xFF800000> : tensor<f32>
// CHECK-NEXT: %[[V1:.*]] = zyx.pad %[[X]], %[[V0]] low [0, 0, 0, 0] high [0, 0, 1, 1] : tensor<1x4x8x8xf32>, tensor<f32> -> tensor<1x4x9x9xf32>
// CHECK-NEXT: %[[V2:.*]] = zyx.window %[[V1]] sizes [3, 3] strides [2, 2] dilations [1, 1] : tensor<1x4x9x9xf32> -> tensor<1x4x4x4x3x3xf32>
// CHECK-NEXT: %[[V3:.*]] = zyx.reduce_max %[[V2]] over [4, 5] : tensor<1x4x4x4x3x3xf32> -> tensor<1x4x4x4xf32>
// CHECK-NEXT: return %[[V3]]
func.func @max_pool(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32> {
  %0 = zyx.max_pool %x sizes [3, 3] strides [2, 2] low [0, 0] high [1, 1] dilations [1, 1] : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// The divisor counts the elements of each window that are no padding.
// CHECK-LABEL: func.func @avg_pool(
// CHECK-SAME: %[[X:.*]]: tensor<1x4x8x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = zyx.constant dense<{{.*}}> : tensor<1x4x4x4xf32>
// CHECK-NEXT: %[[V1:.*]] = zyx.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V2:.*]] = zyx.pad %[[X]], %[[V1]] low [0, 0, 0, 0] high [0, 0, 1, 1] : tensor<1x4x8x8xf32>, tensor<f32> -> tensor<1x4x9x9xf32>
// CHECK-NEXT: %[[V3:.*]] = zyx.window %[[V2]] sizes [3, 3] strides [2, 2] dilations [1, 1] : tensor<1x4x9x9xf32> -> tensor<1x4x4x4x3x3xf32>
// CHECK-NEXT: %[[V4:.*]] = zyx.reduce_sum %[[V3]] over [4, 5] : tensor<1x4x4x4x3x3xf32> -> tensor<1x4x4x4xf32>
// CHECK-NEXT: %[[V5:.*]] = zyx.div %[[V4]], %[[V0]] : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32> -> tensor<1x4x4x4xf32>
// CHECK-NEXT: return %[[V5]]
func.func @avg_pool(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32> {
  %0 = zyx.avg_pool %x sizes [3, 3] strides [2, 2] low [0, 0] high [1, 1] dilations [1, 1] count [0, 0] [0, 0] : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// A sum of squares over windows of channels.
// CHECK-LABEL: func.func @lrn(
// CHECK-SAME: %[[X:.*]]: tensor<1x4x8x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = zyx.constant dense<7.500000e-01> : tensor<1x4x8x8xf32>
// CHECK-NEXT: %[[V1:.*]] = zyx.constant dense<1.000000e+00> : tensor<1x4x8x8xf32>
// CHECK-NEXT: %[[V2:.*]] = zyx.constant dense<3.33333337E-5> : tensor<1x4x8x8xf32>
// CHECK-NEXT: %[[V3:.*]] = zyx.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V4:.*]] = zyx.mul %[[X]], %[[X]] : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
// CHECK-NEXT: %[[V5:.*]] = zyx.pad %[[V4]], %[[V3]] low [0, 1, 0, 0] high [0, 1, 0, 0] : tensor<1x4x8x8xf32>, tensor<f32> -> tensor<1x6x8x8xf32>
// CHECK-NEXT: %[[V6:.*]] = zyx.window %[[V5]] sizes [3, 1, 1] strides [1, 1, 1] dilations [1, 1, 1] : tensor<1x6x8x8xf32> -> tensor<1x4x8x8x3x1x1xf32>
// CHECK-NEXT: %[[V7:.*]] = zyx.reduce_sum %[[V6]] over [4, 5, 6] : tensor<1x4x8x8x3x1x1xf32> -> tensor<1x4x8x8xf32>
// CHECK-NEXT: %[[V8:.*]] = zyx.mul %[[V7]], %[[V2]] : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
// CHECK-NEXT: %[[V9:.*]] = zyx.add %[[V8]], %[[V1]] : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
// CHECK-NEXT: %[[V10:.*]] = zyx.pow %[[V9]], %[[V0]] : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
// CHECK-NEXT: %[[V11:.*]] = zyx.div %[[X]], %[[V10]] : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
// CHECK-NEXT: return %[[V11]]
func.func @lrn(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = zyx.lrn %x size 3 alpha 1.000000e-04 beta 7.500000e-01 bias 1.000000e+00 : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}
