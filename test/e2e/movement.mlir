// RUN: zyxc verify %s | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
func.func @main(%x: tensor<4x6x10xf32>, %y: tensor<4x6x10xf32>, %z: tensor<3xi64>)
    -> (tensor<10x4x6xf32>, tensor<8x3x10xf32>, tensor<4x6x13xf32>, tensor<2x6x5xf32>, tensor<4x6x10xf32>, tensor<8x6x10xf32>, tensor<4x3x10xf32>, tensor<4x12x2x5xf32>, tensor<4x6x8x3xf32>) {
  %v = zyx.constant dense<2.5> : tensor<f32>
  %0 = zyx.permute %x [2, 0, 1] : tensor<4x6x10xf32> -> tensor<10x4x6xf32>
  %1 = zyx.reshape %x [8, 3, 10] : tensor<4x6x10xf32> -> tensor<8x3x10xf32>
  %2 = zyx.pad %x, %v low [0, 0, 1] high [0, 0, 2] : tensor<4x6x10xf32>, tensor<f32> -> tensor<4x6x13xf32>
  %3 = zyx.narrow %x starts [1, 0, 1] sizes [2, 6, 5] steps [1, 1, 2] : tensor<4x6x10xf32> -> tensor<2x6x5xf32>
  %4 = zyx.flip %x [0, 2] : tensor<4x6x10xf32> -> tensor<4x6x10xf32>
  %5 = zyx.concat %x, %y axis 0 : tensor<4x6x10xf32>, tensor<4x6x10xf32> -> tensor<8x6x10xf32>
  %6 = zyx.gather %x, %z axis 1 : tensor<4x6x10xf32>, tensor<3xi64> -> tensor<4x3x10xf32>
  // A channel shuffle: reshape, permute, reshape.
  %7 = zyx.reshape %0 [2, 5, 12, 2] : tensor<10x4x6xf32> -> tensor<2x5x12x2xf32>
  %8 = zyx.permute %7 [3, 2, 0, 1] : tensor<2x5x12x2xf32> -> tensor<2x12x2x5xf32>
  %9 = zyx.concat %8, %8 axis 0 : tensor<2x12x2x5xf32>, tensor<2x12x2x5xf32> -> tensor<4x12x2x5xf32>
  %10 = zyx.window %x sizes [3] strides [1] dilations [1] : tensor<4x6x10xf32> -> tensor<4x6x8x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %9, %10 : tensor<10x4x6xf32>, tensor<8x3x10xf32>, tensor<4x6x13xf32>, tensor<2x6x5xf32>, tensor<4x6x10xf32>, tensor<8x6x10xf32>, tensor<4x3x10xf32>, tensor<4x12x2x5xf32>, tensor<4x6x8x3xf32>
}
