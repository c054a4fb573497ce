// The number of iterations and the sizes inside are those of the run.
// RUN: zyxc verify --open %s | FileCheck %s
// RUN: zyxc compile %s -o %t.zyxp
// RUN: zyxc-run %t.zyxp --dim N=3,M=5 | FileCheck %s --check-prefix=SAVED
// SAVED: out1: f32[3,5]
// CHECK: verified
func.func @main(%x: tensor<?x?xf32, #zyx.dims<"N", "M">>, %h: tensor<?xf32, #zyx.dims<"M">>)
    -> (tensor<?xf32, #zyx.dims<"M">>, tensor<?x?xf32, #zyx.dims<"N", "M">>) {
  %true = zyx.constant dense<true> : tensor<i1>
  %r:2 = zyx.loop limit ["N"] while %true carry %h
      : (tensor<i1>, tensor<?xf32, #zyx.dims<"M">>)
      -> (tensor<?xf32, #zyx.dims<"M">>, tensor<?x?xf32, #zyx.dims<"N", "M">>) {
  ^bb0(%i: tensor<i64>, %p: tensor<?xf32, #zyx.dims<"M">>):
    %row = zyx.gather %x, %i axis 0 : tensor<?x?xf32, #zyx.dims<"N", "M">>, tensor<i64> -> tensor<?xf32, #zyx.dims<"M">>
    %s = zyx.add %row, %p : tensor<?xf32, #zyx.dims<"M">>, tensor<?xf32, #zyx.dims<"M">> -> tensor<?xf32, #zyx.dims<"M">>
    %t = zyx.tanh %s : tensor<?xf32, #zyx.dims<"M">> -> tensor<?xf32, #zyx.dims<"M">>
    zyx.yield %true, %t, %s : tensor<i1>, tensor<?xf32, #zyx.dims<"M">>, tensor<?xf32, #zyx.dims<"M">>
  }
  return %r#0, %r#1 : tensor<?xf32, #zyx.dims<"M">>, tensor<?x?xf32, #zyx.dims<"N", "M">>
}
