// A constant that is one factor of a contraction, and a part of what the other factor is computed from: the kernel
// read it where its packed form lay.
// RUN: zyxc verify %s | FileCheck %s
// CHECK: verified 1 outputs
func.func @main(%x: tensor<1x3x2x2x1xui16>) -> tensor<1x11x1x2x3xui16> {
  %0 = zyx.constant dense<[[[[2]], [[6]]]]> : tensor<1x2x1x1xui16>
  %1 = zyx.reshape %0 [1, 1, 2, 1, 1] : tensor<1x2x1x1xui16> -> tensor<1x1x2x1x1xui16>
  %2 = zyx.expand %1 [1, 3, 2, 2, 1] : tensor<1x1x2x1x1xui16> -> tensor<1x3x2x2x1xui16>
  %3 = zyx.rem %2, %x : tensor<1x3x2x2x1xui16>, tensor<1x3x2x2x1xui16> -> tensor<1x3x2x2x1xui16>
  %4 = zyx.expand %1 [11, 3, 2, 1, 1] : tensor<1x1x2x1x1xui16> -> tensor<11x3x2x1x1xui16>
  %5 = zyx.conv %3, %4 strides [1, 1, 1] low [0, 0, 0] high [0, 0, 2] dilations [1, 1, 1] groups 1
    : tensor<1x3x2x2x1xui16>, tensor<11x3x2x1x1xui16> -> tensor<1x11x1x2x3xui16>
  return %5 : tensor<1x11x1x2x3xui16>
}
