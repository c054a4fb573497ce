// An index of 2^63 or more is past the end, not negative.
// RUN: zyxc verify %s

func.func @main(%x: tensor<6x57x2xbf16>, %j: tensor<4xui64>) -> (tensor<57x2xbf16>, tensor<4x57x2xbf16>) {
  %i = zyx.constant dense<11172388459610232832> : tensor<ui64>
  %y = zyx.gather %x, %i axis 0 : tensor<6x57x2xbf16>, tensor<ui64> -> tensor<57x2xbf16>
  %big = zyx.constant dense<[18446744073709551615, 9223372036854775808, 9223372036854775807, 5]> : tensor<4xui64>
  %k = zyx.add %j, %big : tensor<4xui64>, tensor<4xui64> -> tensor<4xui64>
  %z = zyx.gather %x, %k axis 0 : tensor<6x57x2xbf16>, tensor<4xui64> -> tensor<4x57x2xbf16>
  return %y, %z : tensor<57x2xbf16>, tensor<4x57x2xbf16>
}
