// Sizes are bound in regions, limits of loops and decompositions, too.
// RUN: zyx-opt %s --zyx-bind-sizes=sizes=N=3,M=2 | FileCheck %s
// RUN: zyx-opt %s --zyx-bind-sizes=sizes=N=3,M=2 | not grep -E '\?|"M|"N'
// RUN: not zyx-opt %s --zyx-bind-sizes=sizes=N=3,M=0 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not zyx-opt %s --zyx-bind-sizes=sizes=K=3 2>&1 | FileCheck %s --check-prefix=NAME

// NEGATIVE: its limit is -1 at these sizes
// NAME: the model has no dim 'K'; its dims without a size are M, N

// CHECK-LABEL: func.func @main(%{{.*}}: tensor<i1>, %{{.*}}: tensor<3xf32>) -> (tensor<3xf32>, tensor<1x3xf32>, tensor<3xf32>)
// CHECK: zyx.if %{{.*}} : (tensor<i1>) -> tensor<3xf32>
// CHECK: zyx.expand %{{.*}} [3]
// CHECK: zyx.loop limit [1] while %{{.*}} carry %{{.*}} : (tensor<i1>, tensor<3xf32>) -> (tensor<3xf32>, tensor<1x3xf32>)
// CHECK: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<3xf32>)
// CHECK: zyx.constant dense<2> : tensor<i64>
// CHECK: zyx.custom "lib"(%{{.*}}) like @plain : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-LABEL: func.func private @plain(%{{.*}}: tensor<3xf32>) -> tensor<3xf32>
func.func @main(%c: tensor<i1>, %x: tensor<?xf32, #zyx.dims<"N">>)
    -> (tensor<?xf32, #zyx.dims<"N">>, tensor<?x?xf32, #zyx.dims<"M - 1", "N">>, tensor<?xf32, #zyx.dims<"N">>) {
  %a = zyx.if %c : (tensor<i1>) -> tensor<?xf32, #zyx.dims<"N">> {
    zyx.yield %x : tensor<?xf32, #zyx.dims<"N">>
  } else {
    %one = zyx.constant dense<1.0> : tensor<1xf32>
    %ones = zyx.expand %one ["N"] : tensor<1xf32> -> tensor<?xf32, #zyx.dims<"N">>
    zyx.yield %ones : tensor<?xf32, #zyx.dims<"N">>
  }
  %r:2 = zyx.loop limit ["M - 1"] while %c carry %a
      : (tensor<i1>, tensor<?xf32, #zyx.dims<"N">>)
      -> (tensor<?xf32, #zyx.dims<"N">>, tensor<?x?xf32, #zyx.dims<"M - 1", "N">>) {
  ^bb0(%i: tensor<i64>, %p: tensor<?xf32, #zyx.dims<"N">>):
    %m = zyx.variable "M" -> tensor<i64>
    %go = zyx.lt %i, %m : tensor<i64>, tensor<i64> -> tensor<i1>
    %q = zyx.mul %p, %x : tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"N">>
    zyx.yield %go, %q, %p : tensor<i1>, tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">>
  }
  %k = zyx.custom "lib"(%a) like @plain : (tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N">>
  return %r#0, %r#1, %k : tensor<?xf32, #zyx.dims<"N">>, tensor<?x?xf32, #zyx.dims<"M - 1", "N">>, tensor<?xf32, #zyx.dims<"N">>
}
func.func private @plain(%x: tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N">> {
  %e = zyx.exp %x : tensor<?xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"N">>
  return %e : tensor<?xf32, #zyx.dims<"N">>
}
