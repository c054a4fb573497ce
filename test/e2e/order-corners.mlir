// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc verify %s --threads=2 --seed=3 | FileCheck %s
// Ordered ops over one element, none, long rows, and beside other ops.
// CHECK: verified 12 outputs
func.func @main(%one: tensor<1xf32>, %none: tensor<4x0xf32>, %long: tensor<3x20000xf32>,
                %x: tensor<64x33xf32>, %i: tensor<64xi64>, %e: tensor<0xi64>, %u: tensor<0x33xf32>)
    -> (tensor<1xf32>, tensor<1xf32>, tensor<4x0xi64>, tensor<3x20000xf32>, tensor<3x20000xi64>,
        tensor<64x33xf32>, tensor<64x33xf32>, tensor<33x64xf32>, tensor<64x33xf32>,
        tensor<64x33xf32>, tensor<1000x33xf32>, tensor<64x33xf32>) {
  %0 = zyx.scan_sum %one along 0 exclusive 1 reverse 0 : tensor<1xf32> -> tensor<1xf32>
  %1 = zyx.sort %one descending 1 : tensor<1xf32> -> tensor<1xf32>
  %2 = zyx.argsort %none descending 0 : tensor<4x0xf32> -> tensor<4x0xi64>
  %3 = zyx.scan_max %long along 1 exclusive 0 reverse 1 : tensor<3x20000xf32> -> tensor<3x20000xf32>
  %4 = zyx.argsort %long descending 1 : tensor<3x20000xf32> -> tensor<3x20000xi64>
  %t = zyx.exp %x : tensor<64x33xf32> -> tensor<64x33xf32>
  %5 = zyx.scan_sum %t along 0 exclusive 0 reverse 0 : tensor<64x33xf32> -> tensor<64x33xf32>
  %6 = zyx.neg %5 : tensor<64x33xf32> -> tensor<64x33xf32>
  %p = zyx.permute %x [1, 0] : tensor<64x33xf32> -> tensor<33x64xf32>
  %7 = zyx.sort %p descending 0 : tensor<33x64xf32> -> tensor<33x64xf32>
  %8 = zyx.scatter %x, %i, %t combine "add" : tensor<64x33xf32>, tensor<64xi64>, tensor<64x33xf32> -> tensor<64x33xf32>
  %9 = zyx.scatter %x, %e, %u combine "none" : tensor<64x33xf32>, tensor<0xi64>, tensor<0x33xf32> -> tensor<64x33xf32>
  %zero = zyx.constant dense<0.0> : tensor<1000x33xf32>
  %10 = zyx.scatter %zero, %i, %x combine "max" : tensor<1000x33xf32>, tensor<64xi64>, tensor<64x33xf32> -> tensor<1000x33xf32>
  %k = zyx.constant dense<1.0> : tensor<64x33xf32>
  %11 = zyx.scan_prod %k along 0 exclusive 0 reverse 0 : tensor<64x33xf32> -> tensor<64x33xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : tensor<1xf32>, tensor<1xf32>, tensor<4x0xi64>, tensor<3x20000xf32>, tensor<3x20000xi64>, tensor<64x33xf32>, tensor<64x33xf32>, tensor<33x64xf32>, tensor<64x33xf32>, tensor<64x33xf32>, tensor<1000x33xf32>, tensor<64x33xf32>
}
