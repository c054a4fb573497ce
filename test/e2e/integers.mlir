// RUN: zyxc verify %s | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
func.func @main(%x: tensor<65xi32>, %y: tensor<65xi32>, %u: tensor<65xui8>, %b: tensor<65xi64>)
    -> (tensor<65xi32>, tensor<65xui8>, tensor<65xi64>, tensor<65xi32>) {
  %0 = zyx.div %x, %y : tensor<65xi32>, tensor<65xi32> -> tensor<65xi32>
  %1 = zyx.mod %x, %y : tensor<65xi32>, tensor<65xi32> -> tensor<65xi32>
  %2 = zyx.shl %0, %1 : tensor<65xi32>, tensor<65xi32> -> tensor<65xi32>
  %3 = zyx.xor %2, %x : tensor<65xi32>, tensor<65xi32> -> tensor<65xi32>
  %4 = zyx.shr %u, %u : tensor<65xui8>, tensor<65xui8> -> tensor<65xui8>
  %5 = zyx.mul %u, %4 : tensor<65xui8>, tensor<65xui8> -> tensor<65xui8>
  %6 = zyx.cast %3 to i64 : tensor<65xi32> -> tensor<65xi64>
  %7 = zyx.sub %6, %b : tensor<65xi64>, tensor<65xi64> -> tensor<65xi64>
  %8 = zyx.max %7, %6 : tensor<65xi64>, tensor<65xi64> -> tensor<65xi64>
  %9 = zyx.rem %x, %y : tensor<65xi32>, tensor<65xi32> -> tensor<65xi32>
  return %3, %5, %8, %9 : tensor<65xi32>, tensor<65xui8>, tensor<65xi64>, tensor<65xi32>
}
