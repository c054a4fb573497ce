// Contractions over an axis along which neither operand changes, and over an axis of one operand
// with a result that repeats.
// RUN: zyxc verify %s

func.func @main(%x: tensor<0x16xui16>, %v: tensor<ui16>, %y: tensor<1x1xui16>, %z: tensor<1x40x3xf32>)
    -> (tensor<3x12xui16>, tensor<1x4xf32>) {
  %0 = zyx.pad %x, %v low [3, 1] high [0, 0] : tensor<0x16xui16>, tensor<ui16> -> tensor<3x17xui16>
  %1 = zyx.expand %y [12, 17] : tensor<1x1xui16> -> tensor<12x17xui16>
  %2 = zyx.permute %1 [1, 0] : tensor<12x17xui16> -> tensor<17x12xui16>
  %3 = zyx.matmul %0, %2 : tensor<3x17xui16>, tensor<17x12xui16> -> tensor<3x12xui16>
  %4 = zyx.constant dense<-1.0> : tensor<1x4x1x3xf32>
  %5 = zyx.contract %4 [0, 3, 1, 2], %z [1, 4, 2] -> [0, 3] in f32 to f32
    : tensor<1x4x1x3xf32>, tensor<1x40x3xf32> -> tensor<1x4xf32>
  return %3, %5 : tensor<3x12xui16>, tensor<1x4xf32>
}
