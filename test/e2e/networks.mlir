// RUN: zyxc verify %s --rtol=1e-4 | FileCheck %s
// RUN: zyxc verify %s --rtol=1e-4 --per-node --numerics=exact | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
// Ops of convolution networks one after the other: grouped, strided and dilated convolutions, pools
// with padding, normalizations, matrix product, softmax.
func.func @main(%x: tensor<1x8x15x17xf32>, %w: tensor<16x4x3x3xf32>, %d: tensor<16x1x3x3xf32>, %s: tensor<16xf32>, %m: tensor<16x10xf32>) -> (tensor<1x10xf32>, tensor<1x16x8x9xf32>) {
  %0 = zyx.conv %x, %w strides [2, 2] low [1, 1] high [1, 1] dilations [1, 1] groups 2 : tensor<1x8x15x17xf32>, tensor<16x4x3x3xf32> -> tensor<1x16x8x9xf32>
  %p = zyx.mul %s, %s : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %1 = zyx.batch_norm %0, %s, %s, %s, %p epsilon 1.0e-3 : tensor<1x16x8x9xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32> -> tensor<1x16x8x9xf32>
  %2 = zyx.conv %1, %d strides [1, 1] low [2, 2] high [2, 2] dilations [2, 2] groups 16 : tensor<1x16x8x9xf32>, tensor<16x1x3x3xf32> -> tensor<1x16x8x9xf32>
  %3 = zyx.max_pool %2 sizes [3, 3] strides [2, 2] low [1, 1] high [1, 1] dilations [1, 1] : tensor<1x16x8x9xf32> -> tensor<1x16x4x5xf32>
  %4 = zyx.lrn %3 size 5 alpha 1.0e-1 beta 7.5e-1 bias 1.0 : tensor<1x16x4x5xf32> -> tensor<1x16x4x5xf32>
  %5 = zyx.avg_pool %4 sizes [2, 2] strides [1, 1] low [1, 1] high [0, 0] dilations [1, 1] count [0, 0] [0, 0] : tensor<1x16x4x5xf32> -> tensor<1x16x4x5xf32>
  %6 = zyx.reduce_sum %5 over [2, 3] : tensor<1x16x4x5xf32> -> tensor<1x16xf32>
  %7 = zyx.matmul %6, %m : tensor<1x16xf32>, tensor<16x10xf32> -> tensor<1x10xf32>
  %8 = zyx.softmax %7 over [1] : tensor<1x10xf32> -> tensor<1x10xf32>
  return %8, %2 : tensor<1x10xf32>, tensor<1x16x8x9xf32>
}
