// A call's result without elements, in a plan with open sizes, is a buffer that is live where the
// call runs: the saved plan is accepted. One of the two results is empty at any N, the other in no
// dim that is known. A loop takes and gives the same empty constant, too: nothing has to make that.
// RUN: zyxc compile %s -o %t.zyxp
// RUN: zyxc inspect %t.zyxp
// RUN: zyxc run %t.zyxp --dim N=5 | FileCheck %s
// RUN: zyxc verify %s --dim N=5

// CHECK: f32[0]

func.func @main(%x: tensor<?x8xf32, #zyx.dims<"N">>, %e: tensor<0xf32>, %go: tensor<i1>)
    -> (tensor<?x8xf32, #zyx.dims<"N">>, tensor<0xf32>, tensor<0xf32>, tensor<?x0xf32, #zyx.dims<"N">>) {
  // The first buffers of the arena: dead before the last call.
  %a = zyx.sort %x descending 0 : tensor<?x8xf32, #zyx.dims<"N">> -> tensor<?x8xf32, #zyx.dims<"N">>
  %b = zyx.exp %a : tensor<?x8xf32, #zyx.dims<"N">> -> tensor<?x8xf32, #zyx.dims<"N">>
  %c = zyx.sort %b descending 1 : tensor<?x8xf32, #zyx.dims<"N">> -> tensor<?x8xf32, #zyx.dims<"N">>
  %d:3 = zyx.if %go : (tensor<i1>) -> (tensor<?x8xf32, #zyx.dims<"N">>, tensor<0xf32>, tensor<?x0xf32, #zyx.dims<"N">>) {
    %f = zyx.sort %c descending 0 : tensor<?x8xf32, #zyx.dims<"N">> -> tensor<?x8xf32, #zyx.dims<"N">>
    %g = zyx.neg %e : tensor<0xf32> -> tensor<0xf32>
    %h = zyx.narrow %f starts [0, 0] sizes ["N", 0] steps [1, 1] : tensor<?x8xf32, #zyx.dims<"N">> -> tensor<?x0xf32, #zyx.dims<"N">>
    zyx.yield %f, %g, %h : tensor<?x8xf32, #zyx.dims<"N">>, tensor<0xf32>, tensor<?x0xf32, #zyx.dims<"N">>
  } else {
    %h = zyx.narrow %c starts [0, 0] sizes ["N", 0] steps [1, 1] : tensor<?x8xf32, #zyx.dims<"N">> -> tensor<?x0xf32, #zyx.dims<"N">>
    zyx.yield %c, %e, %h : tensor<?x8xf32, #zyx.dims<"N">>, tensor<0xf32>, tensor<?x0xf32, #zyx.dims<"N">>
  }
  %none = zyx.constant dense<> : tensor<0xf32>
  %l:2 = zyx.loop limit [2] while %go carry %d#0, %none : (tensor<i1>, tensor<?x8xf32, #zyx.dims<"N">>, tensor<0xf32>) -> (tensor<?x8xf32, #zyx.dims<"N">>, tensor<0xf32>) {
  ^bb0(%i: tensor<i64>, %now: tensor<?x8xf32, #zyx.dims<"N">>, %nothing: tensor<0xf32>):
    %next = zyx.neg %now : tensor<?x8xf32, #zyx.dims<"N">> -> tensor<?x8xf32, #zyx.dims<"N">>
    %still = zyx.neg %nothing : tensor<0xf32> -> tensor<0xf32>
    zyx.yield %go, %next, %still : tensor<i1>, tensor<?x8xf32, #zyx.dims<"N">>, tensor<0xf32>
  }
  return %l#0, %l#1, %d#1, %d#2 : tensor<?x8xf32, #zyx.dims<"N">>, tensor<0xf32>, tensor<0xf32>, tensor<?x0xf32, #zyx.dims<"N">>
}
