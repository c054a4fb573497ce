// Borders below elementwise ops, and views through reductions: each law fires on the output that is
// written for it.
// RUN: zyxc run %s --numerics exact --stop-after rules --dump-after rules 2>&1 | FileCheck %s
// RUN: zyxc verify %s --numerics exact

// CHECK-DAG: {{^}} binary-below-pads: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} binary-below-pad-splat: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} binary-below-splat-pad: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} reduce-below-view: 2 matches, 2 unions
// CHECK-DAG: {{^}} reduce-above-view: 3 matches, 3 unions
func.func @main(%x: tensor<4xf32> {zyx.name = "x"}, %y: tensor<4xf32> {zyx.name = "y"}, %v: tensor<f32> {zyx.name = "v"},
                %w: tensor<f32> {zyx.name = "w"}, %m: tensor<2x3x5xf32> {zyx.name = "m"})
    -> (tensor<7xf32> {zyx.name = "o0"}, tensor<7xf32> {zyx.name = "o1"}, tensor<7xf32> {zyx.name = "o2"}, tensor<6x2xf32> {zyx.name = "o3"},
        tensor<4x5xf32> {zyx.name = "o4"}, tensor<1x2xf32> {zyx.name = "o5"}, tensor<2xf32> {zyx.name = "o6"}) {
  %0 = zyx.pad %x, %v low [1] high [2] : tensor<4xf32>, tensor<f32> -> tensor<7xf32>
  %1 = zyx.pad %y, %w low [1] high [2] : tensor<4xf32>, tensor<f32> -> tensor<7xf32>
  %2 = zyx.sub %0, %1 : tensor<7xf32>, tensor<7xf32> -> tensor<7xf32>
  %c = zyx.constant dense<3.0> : tensor<7xf32>
  %3 = zyx.sub %0, %c : tensor<7xf32>, tensor<7xf32> -> tensor<7xf32>
  %4 = zyx.sub %c, %1 : tensor<7xf32>, tensor<7xf32> -> tensor<7xf32>
  // A sum of what is repeated, and an extreme of it with the axes in another order.
  %5 = zyx.reshape %m [1, 2, 15] : tensor<2x3x5xf32> -> tensor<1x2x15xf32>
  %6 = zyx.expand %5 [6, 2, 15] : tensor<1x2x15xf32> -> tensor<6x2x15xf32>
  %7 = zyx.reshape %6 [6, 2, 3, 5] : tensor<6x2x15xf32> -> tensor<6x2x3x5xf32>
  %8 = zyx.reduce_sum %7 over [2, 3] : tensor<6x2x3x5xf32> -> tensor<6x2xf32>
  %9 = zyx.permute %m [2, 0, 1] : tensor<2x3x5xf32> -> tensor<5x2x3xf32>
  %10 = zyx.reshape %9 [1, 5, 2, 3] : tensor<5x2x3xf32> -> tensor<1x5x2x3xf32>
  %11 = zyx.expand %10 [4, 5, 2, 3] : tensor<1x5x2x3xf32> -> tensor<4x5x2x3xf32>
  %12 = zyx.reduce_max %11 over [2, 3] : tensor<4x5x2x3xf32> -> tensor<4x5xf32>
  // Some rows of a reduction, and one turned around.
  %13 = zyx.reduce_sum %m over [2] : tensor<2x3x5xf32> -> tensor<2x3xf32>
  %14 = zyx.narrow %13 starts [1, 0] sizes [1, 2] steps [1, 2] : tensor<2x3xf32> -> tensor<1x2xf32>
  %15 = zyx.reduce_min %m over [0, 1] : tensor<2x3x5xf32> -> tensor<5xf32>
  %16 = zyx.narrow %15 starts [1] sizes [2] steps [1] : tensor<5xf32> -> tensor<2xf32>
  %17 = zyx.flip %16 [0] : tensor<2xf32> -> tensor<2xf32>
  return %2, %3, %4, %8, %12, %14, %17 : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<6x2xf32>, tensor<4x5xf32>, tensor<1x2xf32>, tensor<2xf32>
}
