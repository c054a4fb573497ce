// A product with a bias: one kernel, or two.
func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %p = zyx.matmul %a, %b : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %s = zyx.add %p, %c : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}
