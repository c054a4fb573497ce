// Weights that are divided by their sum after they were used: each becomes a quotient before it.
// RUN: zyxc run %s --numerics reorder --stop-after rules --dump-after rules 2>&1 | FileCheck %s
// RUN: zyxc verify %s
// RUN: zyxc run %s --numerics exact --stop-after rules --dump-after rules 2>&1 | FileCheck %s --check-prefix=EXACT

// CHECK-DAG: {{^}} divide-weights-left: {{[0-9]+}} matches, 1 unions
// CHECK-DAG: {{^}} divide-weights-right: {{[0-9]+}} matches, 1 unions
// EXACT-NOT: divide-weights
func.func @main(%x: tensor<4x6xf32> {zyx.name = "x"}, %v: tensor<6x3xf32> {zyx.name = "v"}, %w: tensor<3x4xf32> {zyx.name = "w"})
    -> (tensor<4x3xf32> {zyx.name = "rows"}, tensor<3x6xf32> {zyx.name = "columns"}) {
  %e = zyx.exp %x : tensor<4x6xf32> -> tensor<4x6xf32>
  %0 = zyx.reduce_sum %e over [1] : tensor<4x6xf32> -> tensor<4xf32>
  %1 = zyx.reshape %0 [4, 1] : tensor<4xf32> -> tensor<4x1xf32>
  %2 = zyx.expand %1 [4, 3] : tensor<4x1xf32> -> tensor<4x3xf32>
  %3 = zyx.contract %e [0, 1], %v [1, 2] -> [0, 2] in f32 to f32 : tensor<4x6xf32>, tensor<6x3xf32> -> tensor<4x3xf32>
  %rows = zyx.div %3, %2 : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<4x3xf32>
  %4 = zyx.reduce_sum %e over [0] : tensor<4x6xf32> -> tensor<6xf32>
  %5 = zyx.reshape %4 [1, 6] : tensor<6xf32> -> tensor<1x6xf32>
  %6 = zyx.expand %5 [3, 6] : tensor<1x6xf32> -> tensor<3x6xf32>
  %7 = zyx.contract %w [0, 1], %e [1, 2] -> [0, 2] in f32 to f32 : tensor<3x4xf32>, tensor<4x6xf32> -> tensor<3x6xf32>
  %columns = zyx.div %7, %6 : tensor<3x6xf32>, tensor<3x6xf32> -> tensor<3x6xf32>
  return %rows, %columns : tensor<4x3xf32>, tensor<3x6xf32>
}
