// A batch normalization after a convolution scales the weights: what is left is a contraction, a
// parameter and one addition.
// RUN: zyxc run %s --numerics reorder --stop-after rules --dump-after rules 2>&1 | FileCheck %s
// RUN: zyxc run %s --numerics exact --stop-after rules --dump-after rules 2>&1 | FileCheck %s --check-prefix=EXACT

// CHECK: scale-contract: 1 matches, 1 unions
// EXACT-NOT: scale-contract
func.func @main(%x: tensor<1x2x4x4xf32> {zyx.name = "x"})
    -> (tensor<1x2x4x4xf32> {zyx.name = "y"}) {
  %w = zyx.constant dense<[[[[0.5]], [[1.5]]], [[[2.0]], [[-1.0]]]]> : tensor<2x2x1x1xf32>
  %s = zyx.constant dense<[0.5, 1.5]> : tensor<2xf32>
  %v = zyx.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = zyx.conv %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1
    : tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32> -> tensor<1x2x4x4xf32>
  %1 = zyx.batch_norm %0, %s, %s, %s, %v epsilon 1.0e-5
    : tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    -> tensor<1x2x4x4xf32>
  return %1 : tensor<1x2x4x4xf32>
}
