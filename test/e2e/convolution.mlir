// RUN: zyxc verify %s --rtol=1e-4 | FileCheck %s
// RUN: zyxc run %s --quiet | FileCheck %s --check-prefix=ONE
// CHECK: verified {{[0-9]+}} outputs
// Bias, residual and relu are the epilogue of the convolution.
// ONE: 1 launches
func.func @main(%x: tensor<2x16x14x14xf32>, %w: tensor<24x16x3x3xf32>, %b: tensor<24xf32>, %r: tensor<2x24x14x14xf32>) -> tensor<2x24x14x14xf32> {
  %zero = zyx.constant dense<0.0> : tensor<f32>
  %0 = zyx.conv %x, %w strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups 1 : tensor<2x16x14x14xf32>, tensor<24x16x3x3xf32> -> tensor<2x24x14x14xf32>
  %1 = zyx.reshape %b [1, 24, 1, 1] : tensor<24xf32> -> tensor<1x24x1x1xf32>
  %2 = zyx.expand %1 [2, 24, 14, 14] : tensor<1x24x1x1xf32> -> tensor<2x24x14x14xf32>
  %3 = zyx.add %0, %2 : tensor<2x24x14x14xf32>, tensor<2x24x14x14xf32> -> tensor<2x24x14x14xf32>
  %4 = zyx.add %3, %r : tensor<2x24x14x14xf32>, tensor<2x24x14x14xf32> -> tensor<2x24x14x14xf32>
  %5 = zyx.reshape %zero [1, 1, 1, 1] : tensor<f32> -> tensor<1x1x1x1xf32>
  %6 = zyx.expand %5 [2, 24, 14, 14] : tensor<1x1x1x1xf32> -> tensor<2x24x14x14xf32>
  %7 = zyx.max %4, %6 : tensor<2x24x14x14xf32>, tensor<2x24x14x14xf32> -> tensor<2x24x14x14xf32>
  return %7 : tensor<2x24x14x14xf32>
}
