// RUN: zyx-opt %s | zyx-opt | FileCheck %s
// RUN: zyx-opt %s -mlir-print-op-generic | zyx-opt | FileCheck %s
// Structural ops survive printing and parsing.

// CHECK-LABEL: func.func @roundtrip
func.func @roundtrip(%x: tensor<2x3xf32>, %i: tensor<4xi64>, %w: tensor<3x5xf32>) {
  // CHECK: zyx.constant dense<[1.000000e+00, -0.000000e+00]> : tensor<2xf32>
  %0 = zyx.constant dense<[1.000000e+00, -0.000000e+00]> : tensor<2xf32>
  // CHECK: zyx.constant dense<true> : tensor<1000x1000xi1>
  %1 = zyx.constant dense<true> : tensor<1000x1000xi1>
  // CHECK: zyx.leaf "data_0" id 3 : ui16 [2, 3] -> tensor<2x3xui16>
  %2 = zyx.leaf "data_0" id 3 : ui16 [2, 3] -> tensor<2x3xui16>
  // CHECK: zyx.variable "N" -> tensor<i64>
  %3 = zyx.variable "N" -> tensor<i64>
  // CHECK: zyx.iota [2, 3] axis 1 to f16 -> tensor<2x3xf16>
  %4 = zyx.iota [2, 3] axis 1 to f16 -> tensor<2x3xf16>
  // CHECK: zyx.concat %{{.*}}, %{{.*}} axis 0 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<4x3xf32>
  %5 = zyx.concat %x, %x axis 0 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<4x3xf32>
  // CHECK: zyx.gather %{{.*}}, %{{.*}} axis 1 : tensor<2x3xf32>, tensor<4xi64> -> tensor<2x4xf32>
  %6 = zyx.gather %x, %i axis 1 : tensor<2x3xf32>, tensor<4xi64> -> tensor<2x4xf32>
  // CHECK: zyx.contract %{{.*}} [0, 1], %{{.*}} [1, 2] -> [0, 2] in f32 to f16 : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf16>
  %7 = zyx.contract %x [0, 1], %w [1, 2] -> [0, 2] in f32 to f16 : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf16>
  // CHECK: zyx.contiguous %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %8 = zyx.contiguous %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.to_device %{{.*}} "cpu" : tensor<2x3xf32> -> tensor<2x3xf32>
  %9 = zyx.to_device %x "cpu" : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}
