// A pad by a computed number under an op that is the pad itself.
// RUN: zyxc verify %s

func.func @main(%x: tensor<7x16xf64>) -> tensor<9x16x4xf64> {
  %0 = zyx.lrn %x size 3 alpha 0.046694726167944726 beta 0.29710167482243843 bias 1.8497998158454692 : tensor<7x16xf64> -> tensor<7x16xf64>
  %1 = zyx.stack %0 axis 2 : tensor<7x16xf64> -> tensor<7x16x1xf64>
  %2 = zyx.reduce_prod %x over [0, 1] : tensor<7x16xf64> -> tensor<f64>
  %3 = zyx.pad %1, %2 low [0, 0, 3] high [2, 0, 0] : tensor<7x16x1xf64>, tensor<f64> -> tensor<9x16x4xf64>
  %4 = zyx.max_pool %3 sizes [1] strides [1] low [0] high [0] dilations [1] : tensor<9x16x4xf64> -> tensor<9x16x4xf64>
  return %4 : tensor<9x16x4xf64>
}
