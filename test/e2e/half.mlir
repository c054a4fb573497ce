// RUN: zyxc verify %s --rtol=2e-3 | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
func.func @main(%x: tensor<5x33xf16>, %y: tensor<5x33xbf16>, %z: tensor<5x33xf64>, %w: tensor<5x33xf8E4M3FN>, %v: tensor<5x33xf8E5M2>)
    -> (tensor<5x33xf16>, tensor<5x33xbf16>, tensor<5x33xf64>, tensor<5x33xf32>, tensor<5x33xf8E5M2>, tensor<5x33xf8E4M3FN>) {
  %0 = zyx.exp %x : tensor<5x33xf16> -> tensor<5x33xf16>
  %1 = zyx.add %0, %x : tensor<5x33xf16>, tensor<5x33xf16> -> tensor<5x33xf16>
  %2 = zyx.mul %y, %y : tensor<5x33xbf16>, tensor<5x33xbf16> -> tensor<5x33xbf16>
  %3 = zyx.sin %z : tensor<5x33xf64> -> tensor<5x33xf64>
  %4 = zyx.cast %w to f32 : tensor<5x33xf8E4M3FN> -> tensor<5x33xf32>
  %5 = zyx.add %v, %v : tensor<5x33xf8E5M2>, tensor<5x33xf8E5M2> -> tensor<5x33xf8E5M2>
  %6 = zyx.cast %4 to f8E4M3FN : tensor<5x33xf32> -> tensor<5x33xf8E4M3FN>
  return %1, %2, %3, %4, %5, %6 : tensor<5x33xf16>, tensor<5x33xbf16>, tensor<5x33xf64>, tensor<5x33xf32>, tensor<5x33xf8E5M2>, tensor<5x33xf8E4M3FN>
}
