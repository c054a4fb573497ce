// Results without elements.
// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc compile %s -o %t.zyxp
// RUN: zyxc-run %t.zyxp --quiet
// CHECK: verified 5 outputs
func.func @main(%go: tensor<i1>, %x: tensor<0x3xf32>, %y: tensor<4xf32>)
    -> (tensor<0x3xf32>, tensor<4xf32>, tensor<2x0x3xf32>, tensor<0xi64>, tensor<4xf32>) {
  %r:3 = zyx.loop limit [2] while %go carry %x, %y
      : (tensor<i1>, tensor<0x3xf32>, tensor<4xf32>) -> (tensor<0x3xf32>, tensor<4xf32>, tensor<2x0x3xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<0x3xf32>, %b: tensor<4xf32>):
    %e = zyx.exp %a : tensor<0x3xf32> -> tensor<0x3xf32>
    %n = zyx.neg %b : tensor<4xf32> -> tensor<4xf32>
    zyx.yield %go, %e, %n, %e : tensor<i1>, tensor<0x3xf32>, tensor<4xf32>, tensor<0x3xf32>
  }
  %s:2 = zyx.if %go : (tensor<i1>) -> (tensor<0xi64>, tensor<4xf32>) {
    %k = zyx.constant dense<> : tensor<0xi64>
    zyx.yield %k, %r#1 : tensor<0xi64>, tensor<4xf32>
  } else {
    %k = zyx.constant dense<> : tensor<0xi64>
    zyx.yield %k, %y : tensor<0xi64>, tensor<4xf32>
  }
  return %r#0, %r#1, %r#2, %s#0, %s#1 : tensor<0x3xf32>, tensor<4xf32>, tensor<2x0x3xf32>, tensor<0xi64>, tensor<4xf32>
}
