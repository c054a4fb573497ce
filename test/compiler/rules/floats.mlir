// Laws of floats: each fires on the output that is written for it.
// RUN: zyxc run %s --numerics algebra --stop-after rules --dump-after rules 2>&1 | FileCheck %s

// CHECK-DAG: {{^}} sub-from-negative-zero: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} div-one-by: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} div-neg-neg: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} contiguous-twice: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} pow-minus-one: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} pow-three: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} div-one-by-sqrt: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} mul-zero: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} div-self: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} sub-from-zero: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} neg-sub: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} recip-recip: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} recip-rsqrt: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} log-exp: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} sqrt-square: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} pow-half: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} factor-out-difference: {{[0-9]+}} matches, {{[1-9]}}
// CHECK-DAG: {{^}} factor-out-quotient: {{[0-9]+}} matches, {{[1-9]}}
func.func @main(%x: tensor<4xf32> {zyx.name = "x"}, %y: tensor<4xf32> {zyx.name = "y"}, %z: tensor<4xf32> {zyx.name = "z"})
    -> (tensor<4xf32> {zyx.name = "o0"}, tensor<4xf32> {zyx.name = "o1"}, tensor<4xf32> {zyx.name = "o2"}, tensor<4xf32> {zyx.name = "o3"}, tensor<4xf32> {zyx.name = "o4"}, tensor<4xf32> {zyx.name = "o5"}, tensor<4xf32> {zyx.name = "o6"}, tensor<4xf32> {zyx.name = "o7"}, tensor<4xf32> {zyx.name = "o8"}, tensor<4xf32> {zyx.name = "o9"}, tensor<4xf32> {zyx.name = "o10"}, tensor<4xf32> {zyx.name = "o11"}, tensor<4xf32> {zyx.name = "o12"}, tensor<4xf32> {zyx.name = "o13"}, tensor<4xf32> {zyx.name = "o14"}, tensor<4xf32> {zyx.name = "o15"}, tensor<4xf32> {zyx.name = "o16"}, tensor<4xf32> {zyx.name = "o17"}) {
  %c0 = zyx.constant dense<-0.0> : tensor<4xf32>
  %c1 = zyx.constant dense<1.0> : tensor<4xf32>
  %c2 = zyx.constant dense<-1.0> : tensor<4xf32>
  %c3 = zyx.constant dense<3.0> : tensor<4xf32>
  %c4 = zyx.constant dense<0.0> : tensor<4xf32>
  %c5 = zyx.constant dense<0.5> : tensor<4xf32>
  %0 = zyx.sub %c0, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = zyx.div %c1, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = zyx.neg %x : tensor<4xf32> -> tensor<4xf32>
  %3 = zyx.neg %z : tensor<4xf32> -> tensor<4xf32>
  %4 = zyx.div %2, %3 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %5 = zyx.contiguous %x : tensor<4xf32> -> tensor<4xf32>
  %6 = zyx.contiguous %5 : tensor<4xf32> -> tensor<4xf32>
  %7 = zyx.pow %z, %c2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %8 = zyx.pow %x, %c3 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %9 = zyx.sqrt %y : tensor<4xf32> -> tensor<4xf32>
  %10 = zyx.div %c1, %9 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %11 = zyx.mul %x, %c4 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %12 = zyx.div %y, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %13 = zyx.sub %c4, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %14 = zyx.sub %x, %z : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %15 = zyx.neg %14 : tensor<4xf32> -> tensor<4xf32>
  %16 = zyx.recip %x : tensor<4xf32> -> tensor<4xf32>
  %17 = zyx.recip %16 : tensor<4xf32> -> tensor<4xf32>
  %18 = zyx.rsqrt %z : tensor<4xf32> -> tensor<4xf32>
  %19 = zyx.recip %18 : tensor<4xf32> -> tensor<4xf32>
  %20 = zyx.exp %x : tensor<4xf32> -> tensor<4xf32>
  %21 = zyx.log %20 : tensor<4xf32> -> tensor<4xf32>
  %22 = zyx.mul %z, %z : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %23 = zyx.sqrt %22 : tensor<4xf32> -> tensor<4xf32>
  %24 = zyx.pow %y, %c5 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %25 = zyx.mul %x, %z : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %26 = zyx.mul %y, %z : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %27 = zyx.sub %25, %26 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %28 = zyx.div %x, %z : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %29 = zyx.div %y, %z : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %30 = zyx.add %28, %29 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0, %1, %4, %6, %7, %8, %10, %11, %12, %13, %15, %17, %19, %21, %23, %24, %27, %30 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
