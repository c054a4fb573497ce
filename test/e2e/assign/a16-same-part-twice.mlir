// KZ-T-A16: two writes through one part.
// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc run %s --quiet --dump-after=codegen 2>&1 | FileCheck %s --check-prefix=PLAN
// CHECK: verified {{[0-9]+}} outputs
// PLAN-COUNT-1: , input0+0:32)
// PLAN-NOT: , input0+0:32)
func.func @main(%d: tensor<8xf32>, %s: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<8xf32>) {
  %v = zyx.narrow %d starts [2] sizes [4] steps [1] : tensor<8xf32> -> tensor<4xf32>
  %e = zyx.exp %s : tensor<4xf32> -> tensor<4xf32>
  %w = zyx.assign %v, %e : tensor<4xf32>
  %n = zyx.neg %t : tensor<4xf32> -> tensor<4xf32>
  %w2 = zyx.assign %v, %n : tensor<4xf32>
  %b = zyx.after %d, %w2 : tensor<8xf32>, tensor<4xf32>
  return %b : tensor<8xf32>
}
