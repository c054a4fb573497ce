// Laws of comparisons and logic: each fires on the output that is written for it.
// RUN: zyxc run %s --numerics exact --stop-after rules --dump-after rules 2>&1 | FileCheck %s
// RUN: zyxc verify %s --numerics exact

// CHECK-DAG: {{^}} or-true: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} not-eq: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} not-ne: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} not-lt-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} not-le-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} not-gt-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} not-ge-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} lt-same: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} gt-same: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} eq-same-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} ne-same-int: {{[0-9]+}} matches, {{[1-9]}}
func.func @main(%x: tensor<4xi32> {zyx.name = "x"}, %y: tensor<4xi32> {zyx.name = "y"}, %z: tensor<4xi32> {zyx.name = "z"}, %b: tensor<4xi1> {zyx.name = "b"})
    -> (tensor<4xi1> {zyx.name = "o0"}, tensor<4xi1> {zyx.name = "o1"}, tensor<4xi1> {zyx.name = "o2"}, tensor<4xi1> {zyx.name = "o3"}, tensor<4xi1> {zyx.name = "o4"}, tensor<4xi1> {zyx.name = "o5"}, tensor<4xi1> {zyx.name = "o6"}, tensor<4xi1> {zyx.name = "o7"}, tensor<4xi1> {zyx.name = "o8"}, tensor<4xi1> {zyx.name = "o9"}, tensor<4xi1> {zyx.name = "o10"}) {
  %c0 = zyx.constant dense<true> : tensor<4xi1>
  %0 = zyx.or %b, %c0 : tensor<4xi1>, tensor<4xi1> -> tensor<4xi1>
  %1 = zyx.eq %x, %y : tensor<4xi32>, tensor<4xi32> -> tensor<4xi1>
  %2 = zyx.not %1 : tensor<4xi1> -> tensor<4xi1>
  %3 = zyx.ne %x, %z : tensor<4xi32>, tensor<4xi32> -> tensor<4xi1>
  %4 = zyx.not %3 : tensor<4xi1> -> tensor<4xi1>
  %5 = zyx.lt %x, %y : tensor<4xi32>, tensor<4xi32> -> tensor<4xi1>
  %6 = zyx.not %5 : tensor<4xi1> -> tensor<4xi1>
  %7 = zyx.le %x, %z : tensor<4xi32>, tensor<4xi32> -> tensor<4xi1>
  %8 = zyx.not %7 : tensor<4xi1> -> tensor<4xi1>
  %9 = zyx.gt %y, %z : tensor<4xi32>, tensor<4xi32> -> tensor<4xi1>
  %10 = zyx.not %9 : tensor<4xi1> -> tensor<4xi1>
  %11 = zyx.ge %y, %x : tensor<4xi32>, tensor<4xi32> -> tensor<4xi1>
  %12 = zyx.not %11 : tensor<4xi1> -> tensor<4xi1>
  %13 = zyx.lt %x, %x : tensor<4xi32>, tensor<4xi32> -> tensor<4xi1>
  %14 = zyx.gt %y, %y : tensor<4xi32>, tensor<4xi32> -> tensor<4xi1>
  %15 = zyx.eq %z, %z : tensor<4xi32>, tensor<4xi32> -> tensor<4xi1>
  %16 = zyx.ne %y, %y : tensor<4xi32>, tensor<4xi32> -> tensor<4xi1>
  return %0, %2, %4, %6, %8, %10, %12, %13, %14, %15, %16 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}
