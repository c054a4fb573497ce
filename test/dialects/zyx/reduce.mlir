// RUN: zyx-opt %s | zyx-opt | FileCheck %s
// RUN: zyx-opt %s -mlir-print-op-generic | zyx-opt | FileCheck %s
// Reductions survive printing and parsing.

// CHECK-LABEL: func.func @roundtrip
func.func @roundtrip(%x: tensor<2x3x4xf32>, %b: tensor<2x3xi1>) {
  // CHECK: zyx.reduce_sum %{{.*}} over [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
  %0 = zyx.reduce_sum %x over [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
  // CHECK: zyx.reduce_prod %{{.*}} over [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
  %1 = zyx.reduce_prod %x over [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
  // CHECK: zyx.reduce_max %{{.*}} over [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
  %2 = zyx.reduce_max %x over [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
  // CHECK: zyx.reduce_min %{{.*}} over [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
  %3 = zyx.reduce_min %x over [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
  // CHECK: zyx.reduce_and %{{.*}} over [1] : tensor<2x3xi1> -> tensor<2xi1>
  %4 = zyx.reduce_and %b over [1] : tensor<2x3xi1> -> tensor<2xi1>
  // CHECK: zyx.reduce_or %{{.*}} over [1] : tensor<2x3xi1> -> tensor<2xi1>
  %5 = zyx.reduce_or %b over [1] : tensor<2x3xi1> -> tensor<2xi1>
  // CHECK: zyx.argmax %{{.*}} over [1] last 0 : tensor<2x3x4xf32> -> tensor<2x4xi64>
  %6 = zyx.argmax %x over [1] last 0 : tensor<2x3x4xf32> -> tensor<2x4xi64>
  // CHECK: zyx.argmin %{{.*}} over [1] last 1 : tensor<2x3x4xf32> -> tensor<2x4xi64>
  %7 = zyx.argmin %x over [1] last 1 : tensor<2x3x4xf32> -> tensor<2x4xi64>
  // CHECK: zyx.reduce_sum %{{.*}} over [] : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  %8 = zyx.reduce_sum %x over [] : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  return
}
