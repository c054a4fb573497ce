// Chains of movement become one view; what changes nothing disappears.
// RUN: zyxc run %s --stop-after egraph --dump-after egraph 2>&1 | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<2x3x4xf32> {zyx.name = "x"})
func.func @main(%x: tensor<2x3x4xf32> {zyx.name = "x"})
    -> (tensor<4x6xf32> {zyx.name = "y"}, tensor<2x3x4xf32> {zyx.name = "z"}) {
  %0 = zyx.permute %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %1 = zyx.reshape %0 [4, 6] : tensor<4x2x3xf32> -> tensor<4x6xf32>
  %2 = zyx.permute %0 [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
  // CHECK-NEXT: %[[Y:[a-z0-9]+]] = zyx.view %[[X]]
  // CHECK-SAME: [4, 6] : tensor<2x3x4xf32> -> tensor<4x6xf32>
  // CHECK-NEXT: return %[[Y]], %[[X]]
  return %1, %2 : tensor<4x6xf32>, tensor<2x3x4xf32>
}
