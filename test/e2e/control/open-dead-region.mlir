// Sizes that an op of a region needs are needed whether or not the region runs, or is used: plan and
// interpreter refuse the same ones.
// RUN: zyxc verify --open %s | FileCheck %s
// CHECK: verified 1 outputs
func.func @main(%x: tensor<?xf32, #zyx.dims<"N">>, %i: tensor<i64>, %c: tensor<i1>) -> tensor<?xf32, #zyx.dims<"N">> {
  %r = zyx.if %c : (tensor<i1>) -> tensor<f32> {
    %d = zyx.gather %x, %i axis 0 : tensor<?xf32, #zyx.dims<"N">>, tensor<i64> -> tensor<f32>
    zyx.yield %d : tensor<f32>
  } else {
    %n = zyx.constant dense<1.0> : tensor<f32>
    zyx.yield %n : tensor<f32>
  }
  return %x : tensor<?xf32, #zyx.dims<"N">>
}
