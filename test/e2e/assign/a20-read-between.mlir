// KZ-T-A20: a read between two writes.
// RUN: zyxc verify %s | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
func.func @main(%d: tensor<4xf32>, %s: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>) {
  %w = zyx.assign %d, %s : tensor<4xf32>
  %a = zyx.after %d, %w : tensor<4xf32>, tensor<4xf32>
  %y = zyx.exp %a : tensor<4xf32> -> tensor<4xf32>
  %w2 = zyx.assign %d, %t : tensor<4xf32>
  return %y : tensor<4xf32>
}
