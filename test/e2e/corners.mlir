// RUN: zyxc verify %s | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
// Rank 0, no elements, an output that is an input, a constant output, one value as two outputs.
func.func @main(%x: tensor<f32>, %e: tensor<0x4xf32>, %m: tensor<4x5xf32>, %y: tensor<3xf32>)
    -> (tensor<f32>, tensor<0x5xf32>, tensor<4xf32>, tensor<3xf32>, tensor<2xi32>, tensor<3xf32>, tensor<3xf32>, tensor<0x4xf32>) {
  %0 = zyx.neg %x : tensor<f32> -> tensor<f32>
  %1 = zyx.matmul %e, %m : tensor<0x4xf32>, tensor<4x5xf32> -> tensor<0x5xf32>
  %2 = zyx.reduce_sum %e over [0] : tensor<0x4xf32> -> tensor<4xf32>
  %3 = zyx.constant dense<[7, -8]> : tensor<2xi32>
  %4 = zyx.exp %y : tensor<3xf32> -> tensor<3xf32>
  %5 = zyx.exp %e : tensor<0x4xf32> -> tensor<0x4xf32>
  return %0, %1, %2, %y, %3, %4, %4, %5 : tensor<f32>, tensor<0x5xf32>, tensor<4xf32>, tensor<3xf32>, tensor<2xi32>, tensor<3xf32>, tensor<3xf32>, tensor<0x4xf32>
}
