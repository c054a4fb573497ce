// Rules of level exact: what they find, and what they must leave alone.
// RUN: zyxc run %s --numerics exact --stop-after rules --dump-after rules 2>&1 | FileCheck %s

// CHECK: saturated:
// CHECK-DAG: mul-one: {{.*}} 1 unions
// CHECK-DAG: max-twice: {{.*}} 1 unions
// CHECK-DAG: cast-chain: {{.*}} 1 unions
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<4xf16>
func.func @main(%x: tensor<4xf16> {zyx.name = "x"}, %c: tensor<4xf16> {zyx.name = "c"})
    -> (tensor<4xf64> {zyx.name = "y"}, tensor<4xf16> {zyx.name = "kept"}) {
  %one = zyx.constant dense<1.0> : tensor<4xf16>
  %zero = zyx.constant dense<0.0> : tensor<4xf16>
  %0 = zyx.mul %x, %one : tensor<4xf16>, tensor<4xf16> -> tensor<4xf16>
  %1 = zyx.max %0, %c : tensor<4xf16>, tensor<4xf16> -> tensor<4xf16>
  %2 = zyx.max %1, %c : tensor<4xf16>, tensor<4xf16> -> tensor<4xf16>
  %3 = zyx.cast %2 to f32 : tensor<4xf16> -> tensor<4xf32>
  %4 = zyx.cast %3 to f64 : tensor<4xf32> -> tensor<4xf64>
  // -0 + 0 is 0, and 0 * NaN is NaN: both stay.
  %5 = zyx.add %x, %zero : tensor<4xf16>, tensor<4xf16> -> tensor<4xf16>
  %6 = zyx.mul %5, %zero : tensor<4xf16>, tensor<4xf16> -> tensor<4xf16>
  // CHECK-DAG: %[[M:[a-z0-9]+]] = zyx.max %[[X]], %{{.+}}
  // CHECK-DAG: %[[Y:[a-z0-9]+]] = zyx.cast %[[M]] to f64
  // CHECK-DAG: %[[S:[a-z0-9]+]] = zyx.add
  // CHECK-DAG: %[[K:[a-z0-9]+]] = zyx.mul
  // CHECK: return %[[Y]], %[[K]]
  return %4, %6 : tensor<4xf64>, tensor<4xf16>
}
