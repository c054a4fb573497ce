// RUN: zyxc verify %s | FileCheck %s
// Random bits are a function of key and position on every target.
// CHECK: verified 5 outputs
func.func @main(%key: tensor<2xui32>)
    -> (tensor<1000xui32>, tensor<3x5xui64>, tensor<7xui8>, tensor<2x2x3xui16>, tensor<ui32>) {
  %0 = zyx.random_bits %key [1000] to ui32 : tensor<2xui32> -> tensor<1000xui32>
  %1 = zyx.random_bits %key [3, 5] to ui64 : tensor<2xui32> -> tensor<3x5xui64>
  %2 = zyx.random_bits %key [7] to ui8 : tensor<2xui32> -> tensor<7xui8>
  %3 = zyx.random_bits %key [2, 2, 3] to ui16 : tensor<2xui32> -> tensor<2x2x3xui16>
  %4 = zyx.random_bits %key [] to ui32 : tensor<2xui32> -> tensor<ui32>
  return %0, %1, %2, %3, %4 : tensor<1000xui32>, tensor<3x5xui64>, tensor<7xui8>, tensor<2x2x3xui16>, tensor<ui32>
}
