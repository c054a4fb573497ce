// RUN: zyx-opt %s -canonicalize | FileCheck %s
// Identities fold where they hold bit for bit, and only there.

// CHECK-LABEL: func.func @float_zero(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>)
// CHECK: %[[SUM:.*]] = zyx.add %[[X]]
// CHECK: return %[[X]], %[[SUM]], %[[X]]
func.func @float_zero(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %zero = zyx.constant dense<0.0> : tensor<2xf32>
  %minus = zyx.constant dense<-0.0> : tensor<2xf32>
  // x + -0.0 = x; but -0.0 + 0.0 = 0.0, so x + 0.0 stays; x - 0.0 = x.
  %0 = zyx.add %x, %minus : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %1 = zyx.add %x, %zero : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %2 = zyx.sub %x, %zero : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @neutral_integer(
// CHECK-SAME: %[[X:.*]]: tensor<2xi32>)
// CHECK-NEXT: return %[[X]]
func.func @neutral_integer(%x: tensor<2xi32>) -> tensor<2xi32> {
  %zero = zyx.constant dense<0> : tensor<2xi32>
  %one = zyx.constant dense<1> : tensor<2xi32>
  %0 = zyx.add %zero, %x : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  %1 = zyx.mul %0, %one : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  %2 = zyx.div %1, %one : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  %3 = zyx.xor %2, %zero : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  %4 = zyx.shl %3, %zero : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  %5 = zyx.max %4, %4 : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  %6 = zyx.not %5 : tensor<2xi32> -> tensor<2xi32>
  %7 = zyx.not %6 : tensor<2xi32> -> tensor<2xi32>
  %8 = zyx.cast %7 to i32 : tensor<2xi32> -> tensor<2xi32>
  return %8 : tensor<2xi32>
}

// x * 0 is not 0 for an infinity, x - x not 0, and a wider cast and back is left to the e-graph.
// CHECK-LABEL: func.func @kept
// CHECK: zyx.mul
// CHECK: zyx.sub
func.func @kept(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %zero = zyx.constant dense<0.0> : tensor<2xf32>
  %0 = zyx.mul %x, %zero : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %1 = zyx.sub %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @select(
// CHECK-SAME: %[[C:.*]]: tensor<2xi1>, %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>)
// CHECK-NEXT: return %[[X]], %[[Y]], %[[X]]
func.func @select(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %true = zyx.constant dense<true> : tensor<2xi1>
  %false = zyx.constant dense<false> : tensor<2xi1>
  %0 = zyx.select %true, %x, %y : tensor<2xi1>, tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %1 = zyx.select %false, %x, %y : tensor<2xi1>, tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %2 = zyx.select %c, %x, %x : tensor<2xi1>, tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @movement(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]]
func.func @movement(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = zyx.reshape %x [2, 3] : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = zyx.expand %x [2, 3] : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = zyx.reshape %x [6] : tensor<2x3xf32> -> tensor<6xf32>
  %3 = zyx.reshape %2 [2, 3] : tensor<6xf32> -> tensor<2x3xf32>
  %4 = zyx.permute %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %5 = zyx.permute %4 [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  return %0, %1, %3, %5 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// A permute of a square matrix changes it though the type stays; chains of two become one.
// CHECK-LABEL: func.func @chains(
// CHECK-SAME: %[[S:.*]]: tensor<3x3xf32>, %[[X:.*]]: tensor<2x3x4xf32>, %[[E:.*]]: tensor<1x1xf32>)
// CHECK-DAG: %[[T:.*]] = zyx.permute %[[S]] [1, 0]
// CHECK-DAG: %[[P:.*]] = zyx.permute %[[X]] [2, 0, 1]
// CHECK-DAG: %[[R:.*]] = zyx.expand %[[E]] [5, 4]
// CHECK: return %[[T]], %[[P]], %[[R]]
func.func @chains(%s: tensor<3x3xf32>, %x: tensor<2x3x4xf32>, %e: tensor<1x1xf32>) -> (tensor<3x3xf32>, tensor<4x2x3xf32>, tensor<5x4xf32>) {
  %0 = zyx.permute %s [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  %1 = zyx.permute %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %2 = zyx.permute %1 [1, 2, 0] : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  %3 = zyx.expand %e [5, 1] : tensor<1x1xf32> -> tensor<5x1xf32>
  %4 = zyx.expand %3 [5, 4] : tensor<5x1xf32> -> tensor<5x4xf32>
  return %0, %2, %4 : tensor<3x3xf32>, tensor<4x2x3xf32>, tensor<5x4xf32>
}
