// Loops: carried values that change places, rows that are collected (12 bytes each, so at any
// address), an end before the limit.
// RUN: zyxc verify %s --input go=ones 2>&1 | FileCheck %s
// RUN: zyxc verify %s --input go=zeros 2>&1 | FileCheck %s
// CHECK: verified 4 outputs
func.func @main(%go: tensor<i1> {zyx.name = "go"}, %x: tensor<3xf32>,
                %w: tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<9x3xf32>, tensor<9xi64>) {
  %half = zyx.constant dense<0.5> : tensor<3xf32>
  %one = zyx.constant dense<1> : tensor<i64>
  %n = zyx.constant dense<5> : tensor<i64>
  %r:4 = zyx.loop limit [9] while %go carry %x, %half
      : (tensor<i1>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<3xf32>, tensor<3xf32>, tensor<9x3xf32>, tensor<9xi64>) {
  ^bb0(%i: tensor<i64>, %a: tensor<3xf32>, %b: tensor<3xf32>):
    %p = zyx.contract %b [0], %w [0, 1] -> [1] in f32 to f32 : tensor<3xf32>, tensor<3x3xf32> -> tensor<3xf32>
    %t = zyx.tanh %p : tensor<3xf32> -> tensor<3xf32>
    %s = zyx.add %t, %a : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    %j = zyx.add %i, %one : tensor<i64>, tensor<i64> -> tensor<i64>
    %again = zyx.lt %j, %n : tensor<i64>, tensor<i64> -> tensor<i1>
    zyx.yield %again, %s, %a, %t, %i : tensor<i1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<i64>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<3xf32>, tensor<3xf32>, tensor<9x3xf32>, tensor<9xi64>
}
