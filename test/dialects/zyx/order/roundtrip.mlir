// RUN: zyx-opt %s | zyx-opt | FileCheck %s
// RUN: zyx-opt %s -mlir-print-op-generic | zyx-opt | FileCheck %s
// Scans, sorts, scatter and random bits survive printing and parsing.

// CHECK-LABEL: func.func @roundtrip
func.func @roundtrip(%x: tensor<2x3xf32>, %i: tensor<4xi32>, %u: tensor<4x3xf32>, %k: tensor<2xui32>) {
  // CHECK: zyx.scan_sum %{{.*}} along 1 exclusive 0 reverse 1 : tensor<2x3xf32> -> tensor<2x3xf32>
  %0 = zyx.scan_sum %x along 1 exclusive 0 reverse 1 : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.scan_prod %{{.*}} along 0 exclusive 1 reverse 0
  %1 = zyx.scan_prod %x along 0 exclusive 1 reverse 0 : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.scan_max %{{.*}} along 0 exclusive 0 reverse 0
  %2 = zyx.scan_max %x along 0 exclusive 0 reverse 0 : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.scan_min %{{.*}} along 0 exclusive 0 reverse 0
  %3 = zyx.scan_min %x along 0 exclusive 0 reverse 0 : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.sort %{{.*}} descending 1 : tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = zyx.sort %x descending 1 : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.argsort %{{.*}} descending 0 : tensor<2x3xf32> -> tensor<2x3xi64>
  %5 = zyx.argsort %x descending 0 : tensor<2x3xf32> -> tensor<2x3xi64>
  // CHECK: zyx.scatter %{{.*}}, %{{.*}}, %{{.*}} combine "add" : tensor<2x3xf32>, tensor<4xi32>, tensor<4x3xf32> -> tensor<2x3xf32>
  %6 = zyx.scatter %x, %i, %u combine "add" : tensor<2x3xf32>, tensor<4xi32>, tensor<4x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.random_bits %{{.*}} [2, 5] to ui64 : tensor<2xui32> -> tensor<2x5xui64>
  %7 = zyx.random_bits %k [2, 5] to ui64 : tensor<2xui32> -> tensor<2x5xui64>
  return
}
