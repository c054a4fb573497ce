// RUN: zyxc verify %s --rtol=1e-5 | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
func.func @main(%x: tensor<4x7x33xf32>, %i: tensor<4x7x33xi32>, %b: tensor<4x33xi1>)
    -> (tensor<4xf32>, tensor<7xf32>, tensor<f32>, tensor<4x7xi64>, tensor<4x33xi32>, tensor<4xi1>, tensor<4x7xf32>) {
  %0 = zyx.reduce_sum %x over [1, 2] : tensor<4x7x33xf32> -> tensor<4xf32>
  %1 = zyx.reduce_max %x over [0, 2] : tensor<4x7x33xf32> -> tensor<7xf32>
  %2 = zyx.reduce_sum %x over [0, 1, 2] : tensor<4x7x33xf32> -> tensor<f32>
  %3 = zyx.argmax %x over [2] last 0 : tensor<4x7x33xf32> -> tensor<4x7xi64>
  %4 = zyx.reduce_prod %i over [1] : tensor<4x7x33xi32> -> tensor<4x33xi32>
  %5 = zyx.reduce_and %b over [1] : tensor<4x33xi1> -> tensor<4xi1>
  %6 = zyx.reduce_min %x over [2] : tensor<4x7x33xf32> -> tensor<4x7xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<7xf32>, tensor<f32>, tensor<4x7xi64>, tensor<4x33xi32>, tensor<4xi1>, tensor<4x7xf32>
}
