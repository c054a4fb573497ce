// Equal terms are computed once, in either order of commutative operands; constants are folded;
// arguments of one type stay apart.
// RUN: zyxc run %s --stop-after egraph --dump-after egraph 2>&1 | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[A:[a-z0-9]+]]: tensor<2xf32> {zyx.name = "a"}, %[[B:[a-z0-9]+]]: tensor<2xf32> {zyx.name = "b"})
func.func @main(%a: tensor<2xf32> {zyx.name = "a"}, %b: tensor<2xf32> {zyx.name = "b"})
    -> (tensor<2xf32> {zyx.name = "y"}) {
  // CHECK-DAG: %[[C:[a-z0-9]+]] = zyx.constant dense<[4.000000e+00, 6.000000e+00]>
  // CHECK-DAG: %[[S:[a-z0-9]+]] = zyx.add %[[A]], %[[B]]
  // CHECK-DAG: %[[P:[a-z0-9]+]] = zyx.mul %[[S]], %[[S]]
  // CHECK-NOT: zyx.add
  // CHECK: %[[Y:[a-z0-9]+]] = zyx.sub %[[P]], %[[C]]
  // CHECK-NEXT: return %[[Y]]
  %c0 = zyx.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c1 = zyx.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %c = zyx.add %c0, %c1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %0 = zyx.add %a, %b : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %1 = zyx.add %b, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %2 = zyx.mul %0, %1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %3 = zyx.sub %2, %c : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
