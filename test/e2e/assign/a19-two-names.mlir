// KZ-T-A19: one buffer by two names: the read before the write is old, the one after it new.
// RUN: zyxc verify %s | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
func.func @main(%d: tensor<8xf32>, %s: tensor<2x4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %m = zyx.reshape %d [2, 4] : tensor<8xf32> -> tensor<2x4xf32>
  %before = zyx.neg %d : tensor<8xf32> -> tensor<8xf32>
  %w = zyx.assign %m, %s : tensor<2x4xf32>
  %after = zyx.after %d, %w : tensor<8xf32>, tensor<2x4xf32>
  return %before, %after : tensor<8xf32>, tensor<8xf32>
}
