// A coordinate divided by a constant as a value of the kernel.
// RUN: zyxc verify %s

func.func @main(%x: tensor<14x4xui32>) -> tensor<4xui32> {
  %0 = zyx.iota [2, 7] axis 1 to ui32 -> tensor<2x7xui32>
  %1 = zyx.reshape %0 [14] : tensor<2x7xui32> -> tensor<14xui32>
  %2 = zyx.matmul %1, %x : tensor<14xui32>, tensor<14x4xui32> -> tensor<4xui32>
  return %2 : tensor<4xui32>
}
