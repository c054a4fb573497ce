// KZ-T-A4, RT-A1: what is read after the write.
// RUN: zyxc verify %s | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
func.func @main(%d: tensor<4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>) {
  %e = zyx.exp %s : tensor<4xf32> -> tensor<4xf32>
  %w = zyx.assign %d, %e : tensor<4xf32>
  %a = zyx.after %d, %w : tensor<4xf32>, tensor<4xf32>
  %y = zyx.sqrt %a : tensor<4xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
