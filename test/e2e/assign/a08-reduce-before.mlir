// KZ-T-A8: the sum of d as it was, though d is written before the product is recorded.
// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc run %s --quiet --dump-after=codegen 2>&1 | FileCheck %s --check-prefix=PLAN
// CHECK: verified {{[0-9]+}} outputs
// PLAN: (input0+0:16, arena+0:4)
// PLAN: (input1+0:16, input0+0:16)
func.func @main(%d: tensor<4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %sum = zyx.reduce_sum %d over [0] : tensor<4xf32> -> tensor<f32>
  %h = zyx.reshape %sum [1] : tensor<f32> -> tensor<1xf32>
  %w = zyx.assign %d, %s : tensor<4xf32>
  %wide = zyx.expand %h [4] : tensor<1xf32> -> tensor<4xf32>
  %z = zyx.mul %wide, %s : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %a = zyx.after %d, %w : tensor<4xf32>, tensor<4xf32>
  return %a, %z : tensor<4xf32>, tensor<4xf32>
}
