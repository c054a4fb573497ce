// Movement through elementwise ops: each law fires on the output that is written for it.
// RUN: zyxc run %s --numerics exact --stop-after rules --dump-after rules 2>&1 | FileCheck %s
// RUN: zyxc verify %s --numerics exact

// CHECK-DAG: {{^}} unary-below-view: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} unary-above-view: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} binary-below-views: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} compare-below-views: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} cast-below-view: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} cast-above-view: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} unary-below-pad: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} pad-pad: {{[0-9]+}} matches, {{[1-9]}}
func.func @main(%x: tensor<4xf32> {zyx.name = "x"}, %y: tensor<4xf32> {zyx.name = "y"}, %v: tensor<f32> {zyx.name = "v"})
    -> (tensor<3x4xf32> {zyx.name = "o0"}, tensor<2xf32> {zyx.name = "o1"}, tensor<3x4xf32> {zyx.name = "o2"}, tensor<3x4xi1> {zyx.name = "o3"},
        tensor<3x4xf64> {zyx.name = "o4"}, tensor<2xf16> {zyx.name = "o5"}, tensor<7xf32> {zyx.name = "o6"}, tensor<8xf32> {zyx.name = "o7"}) {
  %0 = zyx.reshape %x [1, 4] : tensor<4xf32> -> tensor<1x4xf32>
  %1 = zyx.expand %0 [3, 4] : tensor<1x4xf32> -> tensor<3x4xf32>
  %2 = zyx.reshape %y [1, 4] : tensor<4xf32> -> tensor<1x4xf32>
  %3 = zyx.expand %2 [3, 4] : tensor<1x4xf32> -> tensor<3x4xf32>
  %4 = zyx.exp %1 : tensor<3x4xf32> -> tensor<3x4xf32>
  %5 = zyx.tanh %y : tensor<4xf32> -> tensor<4xf32>
  %6 = zyx.narrow %5 starts [1] sizes [2] steps [1] : tensor<4xf32> -> tensor<2xf32>
  %7 = zyx.add %1, %3 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
  %8 = zyx.lt %1, %3 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xi1>
  %9 = zyx.cast %3 to f64 : tensor<3x4xf32> -> tensor<3x4xf64>
  %10 = zyx.cast %y to f16 : tensor<4xf32> -> tensor<4xf16>
  %11 = zyx.narrow %10 starts [0] sizes [2] steps [1] : tensor<4xf16> -> tensor<2xf16>
  %12 = zyx.pad %x, %v low [1] high [2] : tensor<4xf32>, tensor<f32> -> tensor<7xf32>
  %13 = zyx.abs %12 : tensor<7xf32> -> tensor<7xf32>
  %14 = zyx.pad %12, %v low [1] high [0] : tensor<7xf32>, tensor<f32> -> tensor<8xf32>
  return %4, %6, %7, %8, %9, %11, %13, %14 : tensor<3x4xf32>, tensor<2xf32>, tensor<3x4xf32>, tensor<3x4xi1>, tensor<3x4xf64>, tensor<2xf16>, tensor<7xf32>, tensor<8xf32>
}
