// A concatenation of one tensor stands in that tensor's class: taking it apart must end.
// RUN: zyxc verify %s

func.func @main(%x: tensor<2x3xf32>, %e: tensor<2x0xf32>) -> (tensor<2x6xf32>, tensor<2x3x1xf32>) {
  %one = zyx.concat %x axis 1 : tensor<2x3xf32> -> tensor<2x3xf32>
  %same = zyx.concat %one, %e axis 1 : tensor<2x3xf32>, tensor<2x0xf32> -> tensor<2x3xf32>
  %two = zyx.concat %same, %one axis 1 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x6xf32>
  %stack = zyx.stack %same axis 2 : tensor<2x3xf32> -> tensor<2x3x1xf32>
  return %two, %stack : tensor<2x6xf32>, tensor<2x3x1xf32>
}
