// exp where the result is denormal, and of NaN that is known at compile time.
// RUN: zyxc verify %s

func.func @main(%i: tensor<6x1x10x2xbf16>, %d: tensor<3xf32>) -> (tensor<6x1x10x2xbf16>, tensor<3xf32>) {
  %c = zyx.constant dense<-2.773440e-01> : tensor<1xbf16>
  %n = zyx.batch_norm %i, %c, %c, %c, %c epsilon 1.0e-3
    : tensor<6x1x10x2xbf16>, tensor<1xbf16>, tensor<1xbf16>, tensor<1xbf16>, tensor<1xbf16> -> tensor<6x1x10x2xbf16>
  %s = zyx.log_softmax %n over [1] : tensor<6x1x10x2xbf16> -> tensor<6x1x10x2xbf16>
  %a = zyx.constant dense<[-88.0, -95.0, -102.0]> : tensor<3xf32>
  %sign = zyx.sign %d : tensor<3xf32> -> tensor<3xf32>
  %square = zyx.mul %sign, %sign : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %x = zyx.mul %a, %square : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %e = zyx.exp %x : tensor<3xf32> -> tensor<3xf32>
  %l = zyx.log %e : tensor<3xf32> -> tensor<3xf32>
  return %s, %l : tensor<6x1x10x2xbf16>, tensor<3xf32>
}
