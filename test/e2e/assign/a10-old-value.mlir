// KZ-T-A10: exp(d) was read before the write, and is an output.
// RUN: zyxc verify %s | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
func.func @main(%d: tensor<4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = zyx.exp %d : tensor<4xf32> -> tensor<4xf32>
  %w = zyx.assign %d, %s : tensor<4xf32>
  %a = zyx.after %d, %w : tensor<4xf32>, tensor<4xf32>
  return %y, %a : tensor<4xf32>, tensor<4xf32>
}
