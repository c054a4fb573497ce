// Of a condition that is known nothing is left: one kernel, no region.
// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc run %s --quiet | FileCheck %s --check-prefix=ONE
// CHECK: verified 3 outputs
// ONE-NOT: loop
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>) {
  %a = zyx.constant dense<3> : tensor<i64>
  %b = zyx.constant dense<4> : tensor<i64>
  %less = zyx.lt %b, %a : tensor<i64>, tensor<i64> -> tensor<i1>
  %r = zyx.if %less : (tensor<i1>) -> tensor<4xf32> {
    zyx.yield %x : tensor<4xf32>
  } else {
    %n = zyx.neg %x : tensor<4xf32> -> tensor<4xf32>
    zyx.yield %n : tensor<4xf32>
  }
  %l:2 = zyx.loop limit [2] while %less carry %r : (tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<4xf32>):
    %n = zyx.exp %p : tensor<4xf32> -> tensor<4xf32>
    zyx.yield %less, %n, %p : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  }
  return %r, %l#0, %l#1 : tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>
}
