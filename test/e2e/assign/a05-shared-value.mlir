// KZ-T-A5: the value that is written has another user, recorded after the write.
// RUN: zyxc verify %s | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
func.func @main(%d: tensor<4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %v = zyx.exp %s : tensor<4xf32> -> tensor<4xf32>
  %w = zyx.assign %d, %v : tensor<4xf32>
  %n = zyx.neg %v : tensor<4xf32> -> tensor<4xf32>
  return %v, %n : tensor<4xf32>, tensor<4xf32>
}
