// RUN: zyxc verify %s | FileCheck %s
// CHECK: verified 1 outputs
// A kernel over a contraction must not look for it below a reduction: the row maximum beside its softmax.
func.func @main(%q: tensor<2x3x4x8xf32> {zyx.name = "q"}, %k: tensor<2x3x8x6xf32> {zyx.name = "k"}, %v: tensor<2x3x6x8xf32> {zyx.name = "v"}) -> (tensor<2x3x4x8xf32> {zyx.name = "y"}) {
  %x = zyx.matmul %q, %k : tensor<2x3x4x8xf32>, tensor<2x3x8x6xf32> -> tensor<2x3x4x6xf32>
  %w = zyx.softmax %x over [3] : tensor<2x3x4x6xf32> -> tensor<2x3x4x6xf32>
  %m = zyx.reduce_max %x over [3] : tensor<2x3x4x6xf32> -> tensor<2x3x4xf32>
  %m1 = zyx.reshape %m [2, 3, 4, 1] : tensor<2x3x4xf32> -> tensor<2x3x4x1xf32>
  %i = zyx.constant dense<0xFF800000> : tensor<f32>
  %i1 = zyx.reshape %i [1, 1, 1, 1] : tensor<f32> -> tensor<1x1x1x1xf32>
  %i2 = zyx.expand %i1 [2, 3, 4, 1] : tensor<1x1x1x1xf32> -> tensor<2x3x4x1xf32>
  %h = zyx.eq %m1, %i2 : tensor<2x3x4x1xf32>, tensor<2x3x4x1xf32> -> tensor<2x3x4x1xi1>
  %h2 = zyx.expand %h [2, 3, 4, 6] : tensor<2x3x4x1xi1> -> tensor<2x3x4x6xi1>
  %z = zyx.constant dense<0.0> : tensor<f32>
  %z1 = zyx.reshape %z [1, 1, 1, 1] : tensor<f32> -> tensor<1x1x1x1xf32>
  %z2 = zyx.expand %z1 [2, 3, 4, 6] : tensor<1x1x1x1xf32> -> tensor<2x3x4x6xf32>
  %y = zyx.select %h2, %z2, %w : tensor<2x3x4x6xi1>, tensor<2x3x4x6xf32>, tensor<2x3x4x6xf32> -> tensor<2x3x4x6xf32>
  %o = zyx.matmul %y, %v : tensor<2x3x4x6xf32>, tensor<2x3x6x8xf32> -> tensor<2x3x4x8xf32>
  return %o : tensor<2x3x4x8xf32>
}
