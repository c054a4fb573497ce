// KZ-T-A9: as A8, with a value that the write and the product share.
// RUN: zyxc verify %s | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
func.func @main(%d: tensor<4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %sum = zyx.reduce_sum %d over [0] : tensor<4xf32> -> tensor<f32>
  %h = zyx.reshape %sum [1] : tensor<f32> -> tensor<1xf32>
  %v = zyx.exp %s : tensor<4xf32> -> tensor<4xf32>
  %w = zyx.assign %d, %v : tensor<4xf32>
  %wide = zyx.expand %h [4] : tensor<1xf32> -> tensor<4xf32>
  %z = zyx.mul %wide, %v : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %a = zyx.after %d, %w : tensor<4xf32>, tensor<4xf32>
  return %a, %z : tensor<4xf32>, tensor<4xf32>
}
