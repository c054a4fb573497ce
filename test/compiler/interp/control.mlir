// Regions, a kernel of the module and a custom op by its decomposition, in the reference
// interpreter and at open sizes: of N iterations as many run as keep the sum below 20.
// RUN: zyxc run %s --target interp --dim N=4 --input x=ones | FileCheck %s --check-prefix=FOUR
// FOUR: y: f32[4]
// FOUR-NEXT: [16, 16, 16, 16]
// FOUR: sums: f32[4]
// FOUR-NEXT: [4, 8, 16, 32]
// RUN: zyxc run %s --target interp --dim N=6 --input x=ones | FileCheck %s --check-prefix=SIX
// SIX: y: f32[6]
// SIX-NEXT: [8, 8, 8, 8, 8, 8]
// SIX: sums: f32[6]
// SIX-NEXT: [6, 12, 24, 0, 0, 0]
// RUN: zyxc run %s --target interp --dim N=4 --input x=zeros | FileCheck %s --check-prefix=ZEROS
// ZEROS: y: f32[4]
// ZEROS-NEXT: [1, 1, 1, 1]
// RUN: not zyxc run %s --target interp --dim N=4 --memory-limit 20 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: interpreting the model needs
func.func @main(%x: tensor<?xf32, #zyx.dims<"N">> {zyx.name = "x"})
    -> (tensor<?xf32, #zyx.dims<"N">> {zyx.name = "y"}, tensor<?xf32, #zyx.dims<"N">> {zyx.name = "sums"}) {
  %most = zyx.constant dense<20.0> : tensor<f32>
  %zero = zyx.constant dense<0.0> : tensor<f32>
  %all = zyx.reduce_sum %x over [0] : tensor<?xf32, #zyx.dims<"N">> -> tensor<f32>
  %first = zyx.gt %all, %zero : tensor<f32>, tensor<f32> -> tensor<i1>
  %r:2 = zyx.loop limit ["N"] while %first carry %x
      : (tensor<i1>, tensor<?xf32, #zyx.dims<"N">>) -> (tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">>) {
  ^bb0(%i: tensor<i64>, %v: tensor<?xf32, #zyx.dims<"N">>):
    %sum = zyx.reduce_sum %v over [0] : tensor<?xf32, #zyx.dims<"N">> -> tensor<f32>
    %twice = zyx.kernel @twice(%v) : (tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N">>
    %go = zyx.lt %sum, %most : tensor<f32>, tensor<f32> -> tensor<i1>
    zyx.yield %go, %twice, %sum : tensor<i1>, tensor<?xf32, #zyx.dims<"N">>, tensor<f32>
  }
  %y = zyx.if %first : (tensor<i1>) -> tensor<?xf32, #zyx.dims<"N">> {
    zyx.yield %r#0 : tensor<?xf32, #zyx.dims<"N">>
  } else {
    %e = zyx.custom "my_exp"(%x) like @plain : (tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N">>
    zyx.yield %e : tensor<?xf32, #zyx.dims<"N">>
  }
  return %y, %r#1 : tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">>
}
func.func private @plain(%x: tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N">> {
  %e = zyx.exp %x : tensor<?xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"N">>
  return %e : tensor<?xf32, #zyx.dims<"N">>
}
zyxk.kernel @twice dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(i < N) {
  %a = load %x[i] : f32
  %s = arith.addf %a, %a : f32
  store %s, %y[i] : f32
}
