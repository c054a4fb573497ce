// Nested concatenations become one; a slice of one piece reads that piece.
// RUN: zyxc run %s --numerics exact --stop-after rules --dump-after rules 2>&1 | FileCheck %s

// CHECK-DAG: concat-nested: 1 matches, 1 unions
// CHECK-DAG: slice-of-concat: {{[0-9]+}} matches
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<2x3xf32> {zyx.name = "x"}, %[[Y:[a-z0-9]+]]: tensor<2x4xf32> {zyx.name = "y"})
func.func @main(%x: tensor<2x3xf32> {zyx.name = "x"}, %y: tensor<2x4xf32> {zyx.name = "y"})
    -> (tensor<2x10xf32> {zyx.name = "joined"}, tensor<2x4xf32> {zyx.name = "part"}) {
  %0 = zyx.concat %x, %y axis 1 : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<2x7xf32>
  %1 = zyx.concat %0, %x axis 1 : tensor<2x7xf32>, tensor<2x3xf32> -> tensor<2x10xf32>
  %2 = zyx.narrow %1 starts [0, 3] sizes [2, 4] steps [1, 1] : tensor<2x10xf32> -> tensor<2x4xf32>
  // CHECK-NEXT: %[[J:[a-z0-9]+]] = zyx.concat %[[X]], %[[Y]], %[[X]] axis 1
  // CHECK-NEXT: return %[[J]], %[[Y]]
  return %1, %2 : tensor<2x10xf32>, tensor<2x4xf32>
}
