// KZ-T-A11: elements 2 to 5 of d are written, the others stay.
// RUN: zyxc verify %s | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
func.func @main(%d: tensor<8xf32>, %s: tensor<4xf32>) -> (tensor<8xf32>) {
  %v = zyx.narrow %d starts [2] sizes [4] steps [1] : tensor<8xf32> -> tensor<4xf32>
  %e = zyx.exp %s : tensor<4xf32> -> tensor<4xf32>
  %w = zyx.assign %v, %e : tensor<4xf32>
  %a = zyx.after %d, %w : tensor<8xf32>, tensor<4xf32>
  return %a : tensor<8xf32>
}
