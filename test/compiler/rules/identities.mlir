// Identities of exact arithmetic: each fires on the output that is written for it.
// RUN: zyxc run %s --numerics exact --stop-after rules --dump-after rules 2>&1 | FileCheck %s
// RUN: zyxc verify %s --numerics exact

// CHECK-DAG: {{^}} mul-one: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} div-one: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} sub-zero: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} add-zero-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} mul-zero-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} sub-self-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} mul-minus-one: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} neg-neg: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} add-neg: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} sub-neg: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} abs-neg: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} abs-abs: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} pow-one: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} max-same: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} min-same: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} max-twice: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} min-twice: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} and-same: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} or-same: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} xor-self: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} and-true: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} or-false: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} not-not: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} select-true: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} select-false: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} select-same: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} select-not: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} add-add-int: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} mul-mul-int: {{[0-9]+}} matches, {{[1-9]}}
func.func @main(%x: tensor<4xi32> {zyx.name = "x"}, %y: tensor<4xi32> {zyx.name = "y"}, %z: tensor<4xi32> {zyx.name = "z"}, %b: tensor<4xi1> {zyx.name = "b"})
    -> (tensor<4xi32> {zyx.name = "o0"}, tensor<4xi32> {zyx.name = "o1"}, tensor<4xi32> {zyx.name = "o2"}, tensor<4xi32> {zyx.name = "o3"}, tensor<4xi32> {zyx.name = "o4"}, tensor<4xi32> {zyx.name = "o5"}, tensor<4xi32> {zyx.name = "o6"}, tensor<4xi32> {zyx.name = "o7"}, tensor<4xi32> {zyx.name = "o8"}, tensor<4xi32> {zyx.name = "o9"}, tensor<4xi32> {zyx.name = "o10"}, tensor<4xi32> {zyx.name = "o11"}, tensor<4xi32> {zyx.name = "o12"}, tensor<4xi32> {zyx.name = "o13"}, tensor<4xi32> {zyx.name = "o14"}, tensor<4xi32> {zyx.name = "o15"}, tensor<4xi32> {zyx.name = "o16"}, tensor<4xi32> {zyx.name = "o17"}, tensor<4xi32> {zyx.name = "o18"}, tensor<4xi32> {zyx.name = "o19"}, tensor<4xi1> {zyx.name = "o20"}, tensor<4xi32> {zyx.name = "o21"}, tensor<4xi32> {zyx.name = "o22"}, tensor<4xi32> {zyx.name = "o23"}, tensor<4xi32> {zyx.name = "o24"}, tensor<4xi32> {zyx.name = "o25"}, tensor<4xi32> {zyx.name = "o26"}, tensor<4xi32> {zyx.name = "o27"}, tensor<4xi32> {zyx.name = "o28"}) {
  %c0 = zyx.constant dense<1> : tensor<4xi32>
  %c1 = zyx.constant dense<0> : tensor<4xi32>
  %c2 = zyx.constant dense<-1> : tensor<4xi32>
  %c3 = zyx.constant dense<true> : tensor<4xi1>
  %c4 = zyx.constant dense<false> : tensor<4xi1>
  %c5 = zyx.constant dense<3> : tensor<4xi32>
  %c6 = zyx.constant dense<5> : tensor<4xi32>
  %0 = zyx.mul %x, %c0 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %1 = zyx.div %y, %c0 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %2 = zyx.sub %z, %c1 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %3 = zyx.add %x, %c1 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %4 = zyx.mul %y, %c1 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %5 = zyx.sub %z, %z : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %6 = zyx.mul %x, %c2 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %7 = zyx.neg %y : tensor<4xi32> -> tensor<4xi32>
  %8 = zyx.neg %7 : tensor<4xi32> -> tensor<4xi32>
  %9 = zyx.neg %z : tensor<4xi32> -> tensor<4xi32>
  %10 = zyx.add %x, %9 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %11 = zyx.neg %x : tensor<4xi32> -> tensor<4xi32>
  %12 = zyx.sub %y, %11 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %13 = zyx.neg %z : tensor<4xi32> -> tensor<4xi32>
  %14 = zyx.abs %13 : tensor<4xi32> -> tensor<4xi32>
  %15 = zyx.abs %x : tensor<4xi32> -> tensor<4xi32>
  %16 = zyx.abs %15 : tensor<4xi32> -> tensor<4xi32>
  %17 = zyx.pow %x, %c0 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %18 = zyx.max %y, %y : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %19 = zyx.min %z, %z : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %20 = zyx.max %x, %y : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %21 = zyx.max %20, %y : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %22 = zyx.min %y, %z : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %23 = zyx.min %22, %z : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %24 = zyx.and %x, %x : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %25 = zyx.or %y, %y : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %26 = zyx.xor %z, %z : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %27 = zyx.and %b, %c3 : tensor<4xi1>, tensor<4xi1> -> tensor<4xi1>
  %28 = zyx.or %x, %c1 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %29 = zyx.not %x : tensor<4xi32> -> tensor<4xi32>
  %30 = zyx.not %29 : tensor<4xi32> -> tensor<4xi32>
  %31 = zyx.select %c3, %x, %y : tensor<4xi1>, tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %32 = zyx.select %c4, %y, %z : tensor<4xi1>, tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %33 = zyx.select %b, %z, %z : tensor<4xi1>, tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %34 = zyx.not %b : tensor<4xi1> -> tensor<4xi1>
  %35 = zyx.select %34, %x, %z : tensor<4xi1>, tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %36 = zyx.add %x, %c5 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %37 = zyx.add %36, %c6 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %38 = zyx.mul %y, %c5 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %39 = zyx.mul %38, %c6 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return %0, %1, %2, %3, %4, %5, %6, %8, %10, %12, %14, %16, %17, %18, %19, %21, %23, %24, %25, %26, %27, %28, %30, %31, %32, %33, %35, %37, %39 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi1>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}
