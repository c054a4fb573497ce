// RUN: zyx-opt %s | zyx-opt | FileCheck %s
// RUN: zyx-opt %s -mlir-print-op-generic | zyx-opt | FileCheck %s
// Composite ops survive printing and parsing.

// CHECK-LABEL: func.func @roundtrip
func.func @roundtrip(%x: tensor<1x4x8x8xf32>, %w: tensor<6x2x3x3xf32>, %c: tensor<4xf32>, %a: tensor<5x2x3xf32>, %b: tensor<3x4xf32>) {
  // CHECK: zyx.matmul %{{.*}}, %{{.*}} : tensor<5x2x3xf32>, tensor<3x4xf32> -> tensor<5x2x4xf32>
  %0 = zyx.matmul %a, %b : tensor<5x2x3xf32>, tensor<3x4xf32> -> tensor<5x2x4xf32>
  // CHECK: zyx.conv %{{.*}}, %{{.*}} strides [2, 1] low [1, 0] high [1, 2] dilations [1, 2] groups 2 : tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32> -> tensor<1x6x4x6xf32>
  %1 = zyx.conv %x, %w strides [2, 1] low [1, 0] high [1, 2] dilations [1, 2] groups 2 : tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32> -> tensor<1x6x4x6xf32>
  // CHECK: zyx.max_pool %{{.*}} sizes [3, 3] strides [2, 2] low [0, 0] high [1, 1] dilations [1, 1] : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  %2 = zyx.max_pool %x sizes [3, 3] strides [2, 2] low [0, 0] high [1, 1] dilations [1, 1] : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  // CHECK: zyx.avg_pool %{{.*}} sizes [3, 3] strides [2, 2] low [0, 0] high [1, 1] dilations [1, 1] count [0, 0] [0, 0] : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  %3 = zyx.avg_pool %x sizes [3, 3] strides [2, 2] low [0, 0] high [1, 1] dilations [1, 1] count [0, 0] [0, 0] : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  // CHECK: zyx.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} epsilon 1.000000e-05 : tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<1x4x8x8xf32>
  %4 = zyx.batch_norm %x, %c, %c, %c, %c epsilon 1.000000e-05 : tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<1x4x8x8xf32>
  // CHECK: zyx.lrn %{{.*}} size 5 alpha 1.000000e-04 beta 7.500000e-01 bias 1.000000e+00 : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
  %5 = zyx.lrn %x size 5 alpha 1.000000e-04 beta 7.500000e-01 bias 1.000000e+00 : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
  // CHECK: zyx.softmax %{{.*}} over [1] : tensor<3x4xf32> -> tensor<3x4xf32>
  %6 = zyx.softmax %b over [1] : tensor<3x4xf32> -> tensor<3x4xf32>
  // CHECK: zyx.log_softmax %{{.*}} over [0, 1] : tensor<3x4xf32> -> tensor<3x4xf32>
  %7 = zyx.log_softmax %b over [0, 1] : tensor<3x4xf32> -> tensor<3x4xf32>
  // CHECK: zyx.stack %{{.*}}, %{{.*}} axis 1 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x2x4xf32>
  %8 = zyx.stack %b, %b axis 1 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x2x4xf32>
  return
}
