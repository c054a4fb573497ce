// Loops without a limit that can be unrolled stay, and regions that write to inputs.
// RUN: zyx-opt %s -zyx-unroll | FileCheck %s
// CHECK-LABEL: func.func @stays
// CHECK: zyx.loop limit [1025]
// CHECK: zyx.loop limit ["N"]
// CHECK: zyx.if
// CHECK: zyx.assign
func.func @stays(%c: tensor<i1>, %x: tensor<?xf32, #zyx.dims<"N">>, %s: tensor<4xf32>, %v: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = zyx.loop limit [1025] while %c carry %v : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<4xf32>):
    %q = zyx.neg %p : tensor<4xf32> -> tensor<4xf32>
    zyx.yield %c, %q : tensor<i1>, tensor<4xf32>
  }
  %b = zyx.loop limit ["N"] while %c carry %v : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<4xf32>):
    %q = zyx.neg %p : tensor<4xf32> -> tensor<4xf32>
    zyx.yield %c, %q : tensor<i1>, tensor<4xf32>
  }
  %d = zyx.if %c : (tensor<i1>) -> tensor<4xf32> {
    %w = zyx.assign %s, %v : tensor<4xf32>
    zyx.yield %w : tensor<4xf32>
  } else {
    zyx.yield %v : tensor<4xf32>
  }
  return %a, %b, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
