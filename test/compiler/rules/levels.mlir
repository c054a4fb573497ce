// The numerics level gates the rules that may change rounding.
// RUN: zyxc run %s --numerics exact --stop-after rules --dump-after rules 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: zyxc run %s --numerics reorder --stop-after rules --dump-after rules 2>&1 | FileCheck %s --check-prefix=REORDER
// RUN: zyxc run %s --numerics algebra --stop-after rules --dump-after rules 2>&1 | FileCheck %s --check-prefix=ALGEBRA

// EXACT: saturated: {{.*}} 0 matches
// EXACT-COUNT-2: zyx.add
// EXACT: zyx.sub

// REORDER: add-add: 1 matches, 1 unions
// REORDER-NOT: sub-self

// ALGEBRA: add-add: 1 matches, 1 unions
// ALGEBRA: sub-self: 1 matches, 1 unions
func.func @main(%x: tensor<3xf32> {zyx.name = "x"})
    -> (tensor<3xf32> {zyx.name = "y"}, tensor<3xf32> {zyx.name = "z"}) {
  %a = zyx.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %b = zyx.constant dense<[5.0, 7.0, 9.0]> : tensor<3xf32>
  %0 = zyx.add %x, %a : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %1 = zyx.add %0, %b : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %2 = zyx.sub %x, %x : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %1, %2 : tensor<3xf32>, tensor<3xf32>
}
