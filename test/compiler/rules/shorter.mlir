// Laws whose result has fewer ops: each fires on the output that is written for it.
// RUN: zyxc run %s --stop-after rules --dump-after rules 2>&1 | FileCheck %s
// RUN: zyxc verify %s

// CHECK-DAG: {{^}} bitcast-same: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} bitcast-chain: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} concat-one: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} concat-of-slices: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} and-of-and: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} or-of-or: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} prod-of-prod: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} max-of-one: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} min-of-one: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} sum-of-one: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} contract-of-product: {{[0-9]+}} matches, {{[1-9]}}
func.func @main(%x: tensor<2x3xf32> {zyx.name = "x"}, %u: tensor<1x3xf32> {zyx.name = "u"}, %b: tensor<2x3xi1> {zyx.name = "b"},
                %i: tensor<2x3xi32> {zyx.name = "i"}, %j: tensor<3x5xi32> {zyx.name = "j"})
    -> (tensor<2x3xf32> {zyx.name = "o0"}, tensor<2x3xui32> {zyx.name = "o1"}, tensor<2x3xf32> {zyx.name = "o2"},
        tensor<2x3xf32> {zyx.name = "o3"}, tensor<i1> {zyx.name = "o4"}, tensor<i1> {zyx.name = "o5"}, tensor<f32> {zyx.name = "o6"},
        tensor<3xf32> {zyx.name = "o7"}, tensor<3xf32> {zyx.name = "o8"}, tensor<3xf32> {zyx.name = "o9"}, tensor<2x5xi32> {zyx.name = "o10"}) {
  %0 = zyx.bitcast %x to f32 : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = zyx.bitcast %x to i32 : tensor<2x3xf32> -> tensor<2x3xi32>
  %2 = zyx.bitcast %1 to ui32 : tensor<2x3xi32> -> tensor<2x3xui32>
  %3 = zyx.exp %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = zyx.concat %3 axis 0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %5 = zyx.narrow %x starts [0, 0] sizes [2, 1] steps [1, 1] : tensor<2x3xf32> -> tensor<2x1xf32>
  %6 = zyx.narrow %x starts [0, 1] sizes [2, 2] steps [1, 1] : tensor<2x3xf32> -> tensor<2x2xf32>
  %7 = zyx.concat %5, %6 axis 1 : tensor<2x1xf32>, tensor<2x2xf32> -> tensor<2x3xf32>
  %8 = zyx.reduce_and %b over [1] : tensor<2x3xi1> -> tensor<2xi1>
  %9 = zyx.reduce_and %8 over [0] : tensor<2xi1> -> tensor<i1>
  %10 = zyx.reduce_or %b over [1] : tensor<2x3xi1> -> tensor<2xi1>
  %11 = zyx.reduce_or %10 over [0] : tensor<2xi1> -> tensor<i1>
  %12 = zyx.reduce_prod %x over [1] : tensor<2x3xf32> -> tensor<2xf32>
  %13 = zyx.reduce_prod %12 over [0] : tensor<2xf32> -> tensor<f32>
  %14 = zyx.reduce_max %u over [0] : tensor<1x3xf32> -> tensor<3xf32>
  %15 = zyx.reduce_min %u over [0] : tensor<1x3xf32> -> tensor<3xf32>
  %16 = zyx.reduce_sum %u over [0] : tensor<1x3xf32> -> tensor<3xf32>
  %17 = zyx.reshape %i [2, 3, 1] : tensor<2x3xi32> -> tensor<2x3x1xi32>
  %18 = zyx.expand %17 [2, 3, 5] : tensor<2x3x1xi32> -> tensor<2x3x5xi32>
  %19 = zyx.reshape %j [1, 3, 5] : tensor<3x5xi32> -> tensor<1x3x5xi32>
  %20 = zyx.expand %19 [2, 3, 5] : tensor<1x3x5xi32> -> tensor<2x3x5xi32>
  %21 = zyx.mul %18, %20 : tensor<2x3x5xi32>, tensor<2x3x5xi32> -> tensor<2x3x5xi32>
  %22 = zyx.reduce_sum %21 over [1] : tensor<2x3x5xi32> -> tensor<2x5xi32>
  return %0, %2, %4, %7, %9, %11, %13, %14, %15, %16, %22 : tensor<2x3xf32>, tensor<2x3xui32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<i1>, tensor<i1>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x5xi32>
}
