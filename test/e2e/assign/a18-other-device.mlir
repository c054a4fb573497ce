// KZ-T-A18: a copy to a device is a value: writing the original later leaves it what it was.
// RUN: zyxc verify %s | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
func.func @main(%d: tensor<4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = zyx.to_device %d "cpu" : tensor<4xf32> -> tensor<4xf32>
  %w = zyx.assign %d, %s : tensor<4xf32>
  %a = zyx.after %d, %w : tensor<4xf32>, tensor<4xf32>
  return %c, %a : tensor<4xf32>, tensor<4xf32>
}
