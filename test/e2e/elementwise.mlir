// RUN: zyxc verify %s --rtol=1e-5 | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
func.func @main(%x: tensor<3x37xf32>, %y: tensor<3x37xf32>)
    -> (tensor<3x37xf32>, tensor<3x37xf32>, tensor<3x37xi1>, tensor<3x37xf32>) {
  %0 = zyx.add %x, %y : tensor<3x37xf32>, tensor<3x37xf32> -> tensor<3x37xf32>
  %1 = zyx.exp %0 : tensor<3x37xf32> -> tensor<3x37xf32>
  %2 = zyx.abs %x : tensor<3x37xf32> -> tensor<3x37xf32>
  %3 = zyx.log %2 : tensor<3x37xf32> -> tensor<3x37xf32>
  %4 = zyx.tanh %3 : tensor<3x37xf32> -> tensor<3x37xf32>
  %5 = zyx.lt %x, %y : tensor<3x37xf32>, tensor<3x37xf32> -> tensor<3x37xi1>
  %6 = zyx.select %5, %1, %4 : tensor<3x37xi1>, tensor<3x37xf32>, tensor<3x37xf32> -> tensor<3x37xf32>
  %7 = zyx.max %6, %x : tensor<3x37xf32>, tensor<3x37xf32> -> tensor<3x37xf32>
  %8 = zyx.sqrt %2 : tensor<3x37xf32> -> tensor<3x37xf32>
  %9 = zyx.div %7, %8 : tensor<3x37xf32>, tensor<3x37xf32> -> tensor<3x37xf32>
  return %4, %9, %5, %7 : tensor<3x37xf32>, tensor<3x37xf32>, tensor<3x37xi1>, tensor<3x37xf32>
}
