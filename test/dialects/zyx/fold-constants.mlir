// RUN: zyx-opt %s -canonicalize | FileCheck %s
// Small constants and splats fold by the scalar semantics; large ones are left to the e-graph.

// CHECK-LABEL: func.func @small
// CHECK-NEXT: %[[SUM:.*]] = zyx.constant dense<[5.000000e+00, 7.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: return %[[SUM]]
func.func @small() -> tensor<2xf32> {
  %a = zyx.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = zyx.constant dense<[4.0, 5.0]> : tensor<2xf32>
  %0 = zyx.add %a, %b : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// A splat folds at any size, to a splat; an int8 sum wraps.
// CHECK-LABEL: func.func @splat
// CHECK-NEXT: zyx.constant dense<-56> : tensor<1000000x1000000xi8>
// CHECK-NEXT: return
func.func @splat() -> tensor<1000000x1000000xi8> {
  %a = zyx.constant dense<100> : tensor<1000000x1000000xi8>
  %0 = zyx.add %a, %a : tensor<1000000x1000000xi8>, tensor<1000000x1000000xi8> -> tensor<1000000x1000000xi8>
  return %0 : tensor<1000000x1000000xi8>
}

// CHECK-LABEL: func.func @compare_and_select
// CHECK-NEXT: %[[R:.*]] = zyx.constant dense<[7, 2, 7]> : tensor<3xui16>
// CHECK-NEXT: return %[[R]]
func.func @compare_and_select() -> tensor<3xui16> {
  %a = zyx.constant dense<[1, 2, 3]> : tensor<3xui16>
  %two = zyx.constant dense<2> : tensor<3xui16>
  %seven = zyx.constant dense<7> : tensor<3xui16>
  %c = zyx.eq %a, %two : tensor<3xui16>, tensor<3xui16> -> tensor<3xi1>
  %0 = zyx.select %c, %a, %seven : tensor<3xi1>, tensor<3xui16>, tensor<3xui16> -> tensor<3xui16>
  return %0 : tensor<3xui16>
}

// CHECK-LABEL: func.func @cast
// CHECK-NEXT: %[[R:.*]] = zyx.constant dense<[1.000000e+00, 0.000000e+00]> : tensor<2xf8E5M2>
// CHECK-NEXT: return %[[R]]
func.func @cast() -> tensor<2xf8E5M2> {
  %a = zyx.constant dense<[true, false]> : tensor<2xi1>
  %0 = zyx.cast %a to f8E5M2 : tensor<2xi1> -> tensor<2xf8E5M2>
  return %0 : tensor<2xf8E5M2>
}

// CHECK-LABEL: func.func @unary
// CHECK-DAG: %[[SQRT:.*]] = zyx.constant dense<3.000000e+00> : tensor<2xf64>
// CHECK-DAG: %[[NAN:.*]] = zyx.constant dense<[true, false]> : tensor<2xi1>
// CHECK: return %[[SQRT]], %[[NAN]]
func.func @unary() -> (tensor<2xf64>, tensor<2xi1>) {
  %a = zyx.constant dense<9.0> : tensor<2xf64>
  %n = zyx.constant dense<[0x7E00, 1.0]> : tensor<2xf16>
  %0 = zyx.sqrt %a : tensor<2xf64> -> tensor<2xf64>
  %1 = zyx.is_nan %n : tensor<2xf16> -> tensor<2xi1>
  return %0, %1 : tensor<2xf64>, tensor<2xi1>
}

// CHECK-LABEL: func.func @movement
// CHECK-DAG: %[[T:.*]] = zyx.constant dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
// CHECK-DAG: %[[E:.*]] = zyx.constant dense<{{\[\[}}7, 8], [7, 8]]> : tensor<2x2xi32>
// CHECK-DAG: %[[R:.*]] = zyx.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
// CHECK-DAG: %[[S:.*]] = zyx.constant dense<9> : tensor<4096x4096xi32>
// CHECK: return %[[T]], %[[E]], %[[R]], %[[S]]
func.func @movement() -> (tensor<3x2xi32>, tensor<2x2xi32>, tensor<6xi32>, tensor<4096x4096xi32>) {
  %a = zyx.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %b = zyx.constant dense<[[7, 8]]> : tensor<1x2xi32>
  %c = zyx.constant dense<9> : tensor<1x1xi32>
  %0 = zyx.permute %a [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
  %1 = zyx.expand %b [2, 2] : tensor<1x2xi32> -> tensor<2x2xi32>
  %2 = zyx.reshape %a [6] : tensor<2x3xi32> -> tensor<6xi32>
  %3 = zyx.expand %c [4096, 4096] : tensor<1x1xi32> -> tensor<4096x4096xi32>
  return %0, %1, %2, %3 : tensor<3x2xi32>, tensor<2x2xi32>, tensor<6xi32>, tensor<4096x4096xi32>
}
