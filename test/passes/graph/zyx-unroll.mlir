// Branches become selections; loops of a known limit become their iterations.
// RUN: zyx-opt %s -zyx-unroll | FileCheck %s
// RUN: zyx-opt %s -zyx-unroll -o %t.mlir
// RUN: zyxc run %s --target=interp --seed=3 --quiet --output out0=@%t.0.npy --output out1=@%t.1.npy --output out2=@%t.2.npy
// RUN: zyxc run %t.mlir --target=interp --seed=3 --quiet --expect out0=@%t.0.npy --expect out1=@%t.1.npy --expect out2=@%t.2.npy

// CHECK-LABEL: func.func @main
// CHECK-NOT: zyx.if
// CHECK-NOT: zyx.loop
// CHECK-COUNT-3: zyx.exp %
// CHECK-NOT: zyx.exp %
// CHECK: zyx.concat
// CHECK: return
func.func @main(%x: tensor<4xf32>, %most: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>) {
  %yes = zyx.constant dense<true> : tensor<i1>
  %sum = zyx.reduce_sum %x over [0] : tensor<4xf32> -> tensor<f32>
  %c = zyx.lt %sum, %most : tensor<f32>, tensor<f32> -> tensor<i1>
  %a = zyx.if %c : (tensor<i1>) -> tensor<4xf32> {
    %n = zyx.neg %x : tensor<4xf32> -> tensor<4xf32>
    zyx.yield %n : tensor<4xf32>
  } else {
    zyx.yield %x : tensor<4xf32>
  }
  %r:2 = zyx.loop limit [3] while %yes carry %a : (tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %e = zyx.exp %v : tensor<4xf32> -> tensor<4xf32>
    %s = zyx.reduce_sum %e over [0] : tensor<4xf32> -> tensor<f32>
    %k = zyx.cast %i to f32 : tensor<i64> -> tensor<f32>
    %go = zyx.lt %k, %s : tensor<f32>, tensor<f32> -> tensor<i1>
    zyx.yield %go, %e, %v : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  }
  return %a, %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>
}
