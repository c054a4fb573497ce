// A condition in a loop in a loop, with values of all levels used inside.
// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc run %s --stop-after=rules --dump-after=rules 2>&1 | FileCheck %s --check-prefix=TEXT
// CHECK: verified 2 outputs
// TEXT: zyx.loop limit [4]
// TEXT: zyx.loop limit [3]
// TEXT: zyx.if
// TEXT: } else {
func.func @main(%go: tensor<i1> {zyx.name = "go"}, %x: tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<4x3x2x5xf32>) {
  %two = zyx.constant dense<2> : tensor<i64>
  %zero = zyx.constant dense<0> : tensor<i64>
  %true = zyx.constant dense<true> : tensor<i1>
  %r:2 = zyx.loop limit [4] while %true carry %x : (tensor<i1>, tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<4x3x2x5xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2x5xf32>):
    %in:2 = zyx.loop limit [3] while %true carry %a : (tensor<i1>, tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<3x2x5xf32>) {
    ^bb0(%j: tensor<i64>, %b: tensor<2x5xf32>):
      %k = zyx.add %i, %j : tensor<i64>, tensor<i64> -> tensor<i64>
      %m = zyx.mod %k, %two : tensor<i64>, tensor<i64> -> tensor<i64>
      %even = zyx.eq %m, %zero : tensor<i64>, tensor<i64> -> tensor<i1>
      %c = zyx.if %even : (tensor<i1>) -> tensor<2x5xf32> {
        %s = zyx.sin %b : tensor<2x5xf32> -> tensor<2x5xf32>
        zyx.yield %s : tensor<2x5xf32>
      } else {
        %s = zyx.add %b, %x : tensor<2x5xf32>, tensor<2x5xf32> -> tensor<2x5xf32>
        zyx.yield %s : tensor<2x5xf32>
      }
      zyx.yield %true, %c, %b : tensor<i1>, tensor<2x5xf32>, tensor<2x5xf32>
    }
    zyx.yield %true, %in#0, %in#1 : tensor<i1>, tensor<2x5xf32>, tensor<3x2x5xf32>
  }
  return %r#0, %r#1 : tensor<2x5xf32>, tensor<4x3x2x5xf32>
}
