// Why the program after rules equals the one before: rules with their matches and conditions,
// folding, and chains of operands.
// RUN: zyxc run %s --numerics exact --stop-after rules --dump-after rules --explain-rules 2>&1 | FileCheck %s
// RUN: zyxc run %s --numerics exact --stop-after rules --dump-after rules 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: by sub-zero

// CHECK:      sub(z, constant[value=f32[4] {0, 0, 0, 0}])
// CHECK-NEXT: = z
// CHECK-NEXT: by sub-zero, ?x = z
// CHECK:      exp(constant[value=f32[] {0}])
// CHECK-NEXT: = constant[value=f32[] {1}]
// CHECK-NEXT: by constant folding
// CHECK:      cast[dtype=f32](cast[dtype=f64](max(%{{[0-9]+}}, constant[value=f32[4] {0, 0, 0, 0}])))
// CHECK:      by cast-chain, ?x = max(max({{.*}}), if lossless_via
// CHECK:      by cast-same, {{.*}}, if same
// CHECK-NEXT: = max(x, constant[value=f32[4] {0, 0, 0, 0}])
// CHECK-NEXT: by max-twice, ?x = mul(x, constant[value=f32[4] {1, 1, 1, 1}]), ?c = constant
// CHECK-NEXT: = max(mul(x, constant[value=f32[4] {1, 1, 1, 1}]), constant[value=f32[4] {0, 0, 0, 0}])
// CHECK-NEXT: by operands that are equal: #1
// CHECK:      #1:
// CHECK-NEXT: x
// CHECK-NEXT: = mul(x, constant[value=f32[4] {1, 1, 1, 1}])
// CHECK-NEXT: by mul-one backwards, ?x = x
// CHECK: module
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xf32> {zyx.name = "x"}, %z: tensor<4xf32> {zyx.name = "z"})
    -> (tensor<4xf32> {zyx.name = "y"}, tensor<4xf32> {zyx.name = "w"}, tensor<f32> {zyx.name = "v"}) {
  %one = zyx.constant dense<1.0> : tensor<4xf32>
  %0 = zyx.mul %x, %one : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %zero = zyx.constant dense<0.0> : tensor<4xf32>
  %1 = zyx.max %0, %zero : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = zyx.max %1, %zero : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = zyx.max %x, %zero : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %4 = zyx.cast %2 to f64 : tensor<4xf32> -> tensor<4xf64>
  %5 = zyx.cast %4 to f32 : tensor<4xf64> -> tensor<4xf32>
  %6 = zyx.add %3, %5 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %7 = zyx.sub %z, %zero : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %c = zyx.constant dense<0.0> : tensor<f32>
  %8 = zyx.exp %c : tensor<f32> -> tensor<f32>
  return %6, %7, %8 : tensor<4xf32>, tensor<4xf32>, tensor<f32>
}
