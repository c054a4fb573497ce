// Laws of float arithmetic and functions: each fires on the output that is written for it.
// RUN: zyxc run %s --numerics algebra --stop-after rules --dump-after rules 2>&1 | FileCheck %s

// CHECK-DAG: {{^}} add-negative-zero: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} div-power-of-two: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} floor-floor: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} ceil-ceil: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} trunc-trunc: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} round-round: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} div-parameter: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} pow-two: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} recip-sqrt: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} div-sqrt: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} mul-mul: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} add-add: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} sub-self: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} add-zero: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} scale-of-shift: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} factor-out: {{[0-9]+}} matches, {{[1-9]}}
func.func @main(%x: tensor<4xf32> {zyx.name = "x"}, %y: tensor<4xf32> {zyx.name = "y"}, %z: tensor<4xf32> {zyx.name = "z"})
    -> (tensor<4xf32> {zyx.name = "o0"}, tensor<4xf32> {zyx.name = "o1"}, tensor<4xf32> {zyx.name = "o2"}, tensor<4xf32> {zyx.name = "o3"}, tensor<4xf32> {zyx.name = "o4"}, tensor<4xf32> {zyx.name = "o5"}, tensor<4xf32> {zyx.name = "o6"}, tensor<4xf32> {zyx.name = "o7"}, tensor<4xf32> {zyx.name = "o8"}, tensor<4xf32> {zyx.name = "o9"}, tensor<4xf32> {zyx.name = "o10"}, tensor<4xf32> {zyx.name = "o11"}, tensor<4xf32> {zyx.name = "o12"}, tensor<4xf32> {zyx.name = "o13"}, tensor<4xf32> {zyx.name = "o14"}, tensor<4xf32> {zyx.name = "o15"}) {
  %c0 = zyx.constant dense<-0.0> : tensor<4xf32>
  %c1 = zyx.constant dense<8.0> : tensor<4xf32>
  %c2 = zyx.constant dense<3.0> : tensor<4xf32>
  %c3 = zyx.constant dense<2.0> : tensor<4xf32>
  %c4 = zyx.constant dense<5.0> : tensor<4xf32>
  %c5 = zyx.constant dense<0.0> : tensor<4xf32>
  %c6 = zyx.constant dense<7.0> : tensor<4xf32>
  %0 = zyx.add %x, %c0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = zyx.div %x, %c1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = zyx.floor %x : tensor<4xf32> -> tensor<4xf32>
  %3 = zyx.floor %2 : tensor<4xf32> -> tensor<4xf32>
  %4 = zyx.ceil %y : tensor<4xf32> -> tensor<4xf32>
  %5 = zyx.ceil %4 : tensor<4xf32> -> tensor<4xf32>
  %6 = zyx.trunc %z : tensor<4xf32> -> tensor<4xf32>
  %7 = zyx.trunc %6 : tensor<4xf32> -> tensor<4xf32>
  %8 = zyx.round %x : tensor<4xf32> -> tensor<4xf32>
  %9 = zyx.round %8 : tensor<4xf32> -> tensor<4xf32>
  %10 = zyx.div %y, %c2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %11 = zyx.pow %z, %c3 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %12 = zyx.sqrt %x : tensor<4xf32> -> tensor<4xf32>
  %13 = zyx.recip %12 : tensor<4xf32> -> tensor<4xf32>
  %14 = zyx.sqrt %y : tensor<4xf32> -> tensor<4xf32>
  %15 = zyx.div %x, %14 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %16 = zyx.mul %x, %c2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %17 = zyx.mul %16, %c4 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %18 = zyx.add %y, %c2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %19 = zyx.add %18, %c4 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %20 = zyx.sub %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %21 = zyx.add %z, %c5 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %22 = zyx.add %z, %c2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %23 = zyx.mul %22, %c6 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %24 = zyx.mul %x, %z : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %25 = zyx.mul %y, %z : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %26 = zyx.add %24, %25 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0, %1, %3, %5, %7, %9, %10, %11, %13, %15, %17, %19, %20, %21, %23, %26 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
