// KZ-T-A13: both the part and the whole are read after the write.
// RUN: zyxc verify %s | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
func.func @main(%d: tensor<8xf32>, %s: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %v = zyx.narrow %d starts [2] sizes [4] steps [1] : tensor<8xf32> -> tensor<4xf32>
  %e = zyx.exp %s : tensor<4xf32> -> tensor<4xf32>
  %w = zyx.assign %v, %e : tensor<4xf32>
  %a = zyx.after %v, %w : tensor<4xf32>, tensor<4xf32>
  %b = zyx.after %d, %w : tensor<8xf32>, tensor<4xf32>
  return %b, %a : tensor<8xf32>, tensor<4xf32>
}
