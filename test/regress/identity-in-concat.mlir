// What is stored as it is can also be a part of a concatenation: it is copied there. It was refused,
// since its one place was decided twice.
// RUN: zyxc verify %s | FileCheck %s
// CHECK: verified 1 outputs
func.func @main(%x: tensor<1x1xi1>, %y: tensor<1x1xi1>) -> tensor<7x1xi1> {
  %d = zyx.to_device %x "cpu" : tensor<1x1xi1> -> tensor<1x1xi1>
  %e = zyx.expand %d [3, 1] : tensor<1x1xi1> -> tensor<3x1xi1>
  %f = zyx.expand %y [3, 1] : tensor<1x1xi1> -> tensor<3x1xi1>
  %c = zyx.concat %d, %e, %f axis 0 : tensor<1x1xi1>, tensor<3x1xi1>, tensor<3x1xi1> -> tensor<7x1xi1>
  return %c : tensor<7x1xi1>
}
