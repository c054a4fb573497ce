// Symbolic sizes in types and attributes: parsed, verified, printed and read again.
// RUN: zyx-opt %s | FileCheck %s
// RUN: zyx-opt %s | zyx-opt | FileCheck %s

// CHECK-LABEL: @elementwise
// CHECK-SAME: tensor<?x4xf32, #zyx.dims<"N">>
func.func @elementwise(%x: tensor<?x4xf32, #zyx.dims<"N">>) -> tensor<?x4xf32, #zyx.dims<"N">> {
  %0 = zyx.add %x, %x : tensor<?x4xf32, #zyx.dims<"N">>, tensor<?x4xf32, #zyx.dims<"N">> -> tensor<?x4xf32, #zyx.dims<"N">>
  return %0 : tensor<?x4xf32, #zyx.dims<"N">>
}

// CHECK-LABEL: @movement
func.func @movement(%x: tensor<?x?x4xf32, #zyx.dims<"N", "M">>, %zero: tensor<f32>) -> tensor<?x?xf32, #zyx.dims<"N + 2", "4 * M">> {
  // CHECK: zyx.reshape %{{.*}} ["N", "4 * M"] : {{.*}} -> tensor<?x?xf32, #zyx.dims<"N", "4 * M">>
  %0 = zyx.reshape %x ["N", "4 * M"] : tensor<?x?x4xf32, #zyx.dims<"N", "M">> -> tensor<?x?xf32, #zyx.dims<"N", "4 * M">>
  // CHECK: zyx.pad %{{.*}} low [1, 0] high [1, 0] {{.*}} -> tensor<?x?xf32, #zyx.dims<"N + 2", "4 * M">>
  %1 = zyx.pad %0, %zero low [1, 0] high [1, 0] : tensor<?x?xf32, #zyx.dims<"N", "4 * M">>, tensor<f32> -> tensor<?x?xf32, #zyx.dims<"N + 2", "4 * M">>
  return %1 : tensor<?x?xf32, #zyx.dims<"N + 2", "4 * M">>
}

// CHECK-LABEL: @products
func.func @products(%x: tensor<?x8xf32, #zyx.dims<"N">>, %w: tensor<8x?xf32, #zyx.dims<"M">>) -> tensor<?x?xf32, #zyx.dims<"N", "M">> {
  // CHECK: zyx.matmul {{.*}} -> tensor<?x?xf32, #zyx.dims<"N", "M">>
  %0 = zyx.matmul %x, %w : tensor<?x8xf32, #zyx.dims<"N">>, tensor<8x?xf32, #zyx.dims<"M">> -> tensor<?x?xf32, #zyx.dims<"N", "M">>
  return %0 : tensor<?x?xf32, #zyx.dims<"N", "M">>
}

// CHECK-LABEL: @images
func.func @images(%x: tensor<?x3x?x?xf32, #zyx.dims<"N", "H", "W">>, %w: tensor<8x3x3x3xf32>) -> tensor<?x8x?x?xf32, #zyx.dims<"N", "floordiv(H + 1, 2)", "W - 2">> {
  // CHECK: #zyx.dims<"N", "floordiv(H + 1, 2)", "W - 2">
  %0 = zyx.conv %x, %w strides [2, 1] low [1, 0] high [1, 0] dilations [1, 1] groups 1 : tensor<?x3x?x?xf32, #zyx.dims<"N", "H", "W">>, tensor<8x3x3x3xf32> -> tensor<?x8x?x?xf32, #zyx.dims<"N", "floordiv(H + 1, 2)", "W - 2">>
  return %0 : tensor<?x8x?x?xf32, #zyx.dims<"N", "floordiv(H + 1, 2)", "W - 2">>
}

// CHECK-LABEL: @value
func.func @value() -> tensor<i64> {
  // CHECK: zyx.variable "2 * N + 1"
  %0 = zyx.variable "2 * N + 1" -> tensor<i64>
  return %0 : tensor<i64>
}
