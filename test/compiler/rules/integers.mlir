// Laws of integers: each fires on the output that is written for it.
// RUN: zyxc run %s --numerics exact --stop-after rules --dump-after rules 2>&1 | FileCheck %s
// RUN: zyxc verify %s --numerics exact

// CHECK-DAG: {{^}} pow-zero: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} sub-from-zero-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} mul-neg-neg: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} neg-sub-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} shl-zero: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} shr-zero: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} and-zero: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} and-or: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} or-and: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} and-of-nots: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} or-of-nots: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} max-min-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} min-max-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} select-max-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} select-min-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} factor-out-int: {{[0-9]+}} matches, {{[1-9]}}
func.func @main(%x: tensor<4xi32> {zyx.name = "x"}, %y: tensor<4xi32> {zyx.name = "y"}, %z: tensor<4xi32> {zyx.name = "z"})
    -> (tensor<4xi32> {zyx.name = "o0"}, tensor<4xi32> {zyx.name = "o1"}, tensor<4xi32> {zyx.name = "o2"}, tensor<4xi32> {zyx.name = "o3"}, tensor<4xi32> {zyx.name = "o4"}, tensor<4xi32> {zyx.name = "o5"}, tensor<4xi32> {zyx.name = "o6"}, tensor<4xi32> {zyx.name = "o7"}, tensor<4xi32> {zyx.name = "o8"}, tensor<4xi32> {zyx.name = "o9"}, tensor<4xi32> {zyx.name = "o10"}, tensor<4xi32> {zyx.name = "o11"}, tensor<4xi32> {zyx.name = "o12"}, tensor<4xi32> {zyx.name = "o13"}, tensor<4xi32> {zyx.name = "o14"}, tensor<4xi32> {zyx.name = "o15"}) {
  %c0 = zyx.constant dense<0> : tensor<4xi32>
  %0 = zyx.add %x, %y : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %1 = zyx.pow %0, %c0 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %2 = zyx.sub %c0, %x : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %3 = zyx.neg %x : tensor<4xi32> -> tensor<4xi32>
  %4 = zyx.neg %y : tensor<4xi32> -> tensor<4xi32>
  %5 = zyx.mul %3, %4 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %6 = zyx.sub %x, %z : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %7 = zyx.neg %6 : tensor<4xi32> -> tensor<4xi32>
  %8 = zyx.shl %x, %c0 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %9 = zyx.shr %y, %c0 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %10 = zyx.and %z, %c0 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %11 = zyx.or %x, %y : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %12 = zyx.and %x, %11 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %13 = zyx.and %y, %z : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %14 = zyx.or %y, %13 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %15 = zyx.not %x : tensor<4xi32> -> tensor<4xi32>
  %16 = zyx.not %z : tensor<4xi32> -> tensor<4xi32>
  %17 = zyx.and %15, %16 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %18 = zyx.not %y : tensor<4xi32> -> tensor<4xi32>
  %19 = zyx.not %z : tensor<4xi32> -> tensor<4xi32>
  %20 = zyx.or %18, %19 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %21 = zyx.min %x, %z : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %22 = zyx.max %x, %21 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %23 = zyx.max %y, %z : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %24 = zyx.min %y, %23 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %25 = zyx.gt %x, %y : tensor<4xi32>, tensor<4xi32> -> tensor<4xi1>
  %26 = zyx.select %25, %x, %y : tensor<4xi1>, tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %27 = zyx.lt %x, %z : tensor<4xi32>, tensor<4xi32> -> tensor<4xi1>
  %28 = zyx.select %27, %x, %z : tensor<4xi1>, tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %29 = zyx.mul %x, %z : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %30 = zyx.mul %y, %z : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %31 = zyx.add %29, %30 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return %1, %2, %5, %7, %8, %9, %10, %12, %14, %17, %20, %22, %24, %26, %28, %31 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}
