// RUN: zyx-opt %s | zyx-opt | FileCheck %s
// RUN: zyx-opt %s -mlir-print-op-generic | zyx-opt | FileCheck %s
// Movement ops survive printing and parsing.

// CHECK-LABEL: func.func @roundtrip
func.func @roundtrip(%x: tensor<2x3xf32>, %r: tensor<1x3xf32>, %v: tensor<f32>) {
  // CHECK: zyx.reshape %{{.*}} [3, 2] : tensor<2x3xf32> -> tensor<3x2xf32>
  %0 = zyx.reshape %x [3, 2] : tensor<2x3xf32> -> tensor<3x2xf32>
  // CHECK: zyx.permute %{{.*}} [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %1 = zyx.permute %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  // CHECK: zyx.expand %{{.*}} [4, 3] : tensor<1x3xf32> -> tensor<4x3xf32>
  %2 = zyx.expand %r [4, 3] : tensor<1x3xf32> -> tensor<4x3xf32>
  // CHECK: zyx.pad %{{.*}}, %{{.*}} low [1, 0] high [0, 2] : tensor<2x3xf32>, tensor<f32> -> tensor<3x5xf32>
  %3 = zyx.pad %x, %v low [1, 0] high [0, 2] : tensor<2x3xf32>, tensor<f32> -> tensor<3x5xf32>
  // CHECK: zyx.narrow %{{.*}} starts [1, 0] sizes [1, 2] steps [1, 2] : tensor<2x3xf32> -> tensor<1x2xf32>
  %4 = zyx.narrow %x starts [1, 0] sizes [1, 2] steps [1, 2] : tensor<2x3xf32> -> tensor<1x2xf32>
  // CHECK: zyx.flip %{{.*}} [0] : tensor<2x3xf32> -> tensor<2x3xf32>
  %5 = zyx.flip %x [0] : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.window %{{.*}} sizes [2] strides [1] dilations [1] : tensor<2x3xf32> -> tensor<2x2x2xf32>
  %6 = zyx.window %x sizes [2] strides [1] dilations [1] : tensor<2x3xf32> -> tensor<2x2x2xf32>
  return
}
