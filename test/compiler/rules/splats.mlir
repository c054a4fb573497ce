// A binary op of a repeated tensor and a splat, on either side: computed before it is repeated.
// RUN: zyxc run %s --numerics exact --stop-after rules --dump-after rules 2>&1 | FileCheck %s
// RUN: zyxc verify %s --numerics exact

// CHECK-DAG: {{^}} binary-below-view-splat: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} binary-below-splat-view: {{[0-9]+}} matches, {{[1-9]}}
func.func @main(%x: tensor<4xf32> {zyx.name = "x"})
    -> (tensor<3x4xf32> {zyx.name = "o0"}, tensor<3x4xf32> {zyx.name = "o1"}) {
  %c = zyx.constant dense<0.3> : tensor<3x4xf32>
  %0 = zyx.reshape %x [1, 4] : tensor<4xf32> -> tensor<1x4xf32>
  %1 = zyx.expand %0 [3, 4] : tensor<1x4xf32> -> tensor<3x4xf32>
  %2 = zyx.sub %1, %c : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
  %3 = zyx.sub %c, %1 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
  return %2, %3 : tensor<3x4xf32>, tensor<3x4xf32>
}
