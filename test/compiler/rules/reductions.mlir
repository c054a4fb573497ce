// Laws of reductions and contractions: each fires on the output that is written for it.
// RUN: zyxc run %s --numerics algebra --stop-after rules --dump-after rules 2>&1 | FileCheck %s
// RUN: zyxc verify %s --numerics algebra

// CHECK-DAG: {{^}} sum-of-neg-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} sum-of-sum-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} prod-of-prod-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} sum-of-neg: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} max-of-neg: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} min-of-neg: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} max-of-max: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} min-of-min: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} sum-of-sum: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} contract-factor-left: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} contract-factor-right: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} contract-of-product-float: {{[0-9]+}} matches, {{[1-9]}}
func.func @main(%i: tensor<2x3xi32> {zyx.name = "i"}, %x: tensor<2x3xf32> {zyx.name = "x"}, %y: tensor<2x3xf32> {zyx.name = "y"},
                %v: tensor<3x5xf32> {zyx.name = "v"}, %w: tensor<3x5xf32> {zyx.name = "w"})
    -> (tensor<2xi32> {zyx.name = "o0"}, tensor<i32> {zyx.name = "o1"}, tensor<i32> {zyx.name = "o2"}, tensor<2xf32> {zyx.name = "o3"},
        tensor<2xf32> {zyx.name = "o4"}, tensor<3xf32> {zyx.name = "o5"}, tensor<f32> {zyx.name = "o6"}, tensor<f32> {zyx.name = "o7"},
        tensor<f32> {zyx.name = "o8"}, tensor<2x5xf32> {zyx.name = "o9"}, tensor<2x5xf32> {zyx.name = "o10"}, tensor<2x5xf32> {zyx.name = "o11"}) {
  %0 = zyx.neg %i : tensor<2x3xi32> -> tensor<2x3xi32>
  %1 = zyx.reduce_sum %0 over [1] : tensor<2x3xi32> -> tensor<2xi32>
  %2 = zyx.reduce_sum %i over [1] : tensor<2x3xi32> -> tensor<2xi32>
  %3 = zyx.reduce_sum %2 over [0] : tensor<2xi32> -> tensor<i32>
  %4 = zyx.reduce_prod %i over [0] : tensor<2x3xi32> -> tensor<3xi32>
  %5 = zyx.reduce_prod %4 over [0] : tensor<3xi32> -> tensor<i32>
  %6 = zyx.neg %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %7 = zyx.reduce_sum %6 over [1] : tensor<2x3xf32> -> tensor<2xf32>
  %8 = zyx.reduce_max %6 over [1] : tensor<2x3xf32> -> tensor<2xf32>
  %9 = zyx.reduce_min %6 over [0] : tensor<2x3xf32> -> tensor<3xf32>
  %10 = zyx.reduce_max %y over [0] : tensor<2x3xf32> -> tensor<3xf32>
  %11 = zyx.reduce_max %10 over [0] : tensor<3xf32> -> tensor<f32>
  %12 = zyx.reduce_min %y over [1] : tensor<2x3xf32> -> tensor<2xf32>
  %13 = zyx.reduce_min %12 over [0] : tensor<2xf32> -> tensor<f32>
  %14 = zyx.reduce_sum %y over [1] : tensor<2x3xf32> -> tensor<2xf32>
  %15 = zyx.reduce_sum %14 over [0] : tensor<2xf32> -> tensor<f32>
  %16 = zyx.contract %x [0, 1], %v [1, 2] -> [0, 2] in f32 to f32 : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
  %17 = zyx.contract %y [0, 1], %v [1, 2] -> [0, 2] in f32 to f32 : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
  %18 = zyx.contract %x [0, 1], %w [1, 2] -> [0, 2] in f32 to f32 : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
  %19 = zyx.add %16, %17 : tensor<2x5xf32>, tensor<2x5xf32> -> tensor<2x5xf32>
  %20 = zyx.add %16, %18 : tensor<2x5xf32>, tensor<2x5xf32> -> tensor<2x5xf32>
  // A sum of products of repeated tensors.
  %21 = zyx.reshape %y [2, 3, 1] : tensor<2x3xf32> -> tensor<2x3x1xf32>
  %22 = zyx.expand %21 [2, 3, 5] : tensor<2x3x1xf32> -> tensor<2x3x5xf32>
  %23 = zyx.reshape %w [1, 3, 5] : tensor<3x5xf32> -> tensor<1x3x5xf32>
  %24 = zyx.expand %23 [2, 3, 5] : tensor<1x3x5xf32> -> tensor<2x3x5xf32>
  %25 = zyx.mul %22, %24 : tensor<2x3x5xf32>, tensor<2x3x5xf32> -> tensor<2x3x5xf32>
  %26 = zyx.reduce_sum %25 over [1] : tensor<2x3x5xf32> -> tensor<2x5xf32>
  return %1, %3, %5, %7, %8, %9, %11, %13, %15, %19, %20, %26 : tensor<2xi32>, tensor<i32>, tensor<i32>, tensor<2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>
}
