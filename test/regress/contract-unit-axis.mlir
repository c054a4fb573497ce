// Axes of extent 1 that only one operand of a product has, and that are summed: register tiles are
// offered as without them.
// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc explain %s | FileCheck %s --check-prefix=PLAN
// CHECK: verified 5 outputs
// The fourth is in the kernel of the first.
// PLAN-COUNT-4: {{^}}contract
// PLAN-NOT: {{^(row|map)}}
func.func @main(%a: tensor<64x96x1xf32>, %b: tensor<1x96x80xf32>, %c: tensor<1x64x1x96x1xf32>)
    -> (tensor<64x80xf32>, tensor<64x1x80xf32>, tensor<80x64xf32>, tensor<64x80xf32>, tensor<1x64x80xf32>) {
  %0 = zyx.contract %a [0, 1, 3], %b [4, 1, 2] -> [0, 2] in f32 to f32 : tensor<64x96x1xf32>, tensor<1x96x80xf32> -> tensor<64x80xf32>
  %1 = zyx.contract %a [0, 1, 3], %b [4, 1, 2] -> [0, 4, 2] in f32 to f32 : tensor<64x96x1xf32>, tensor<1x96x80xf32> -> tensor<64x1x80xf32>
  %2 = zyx.contract %c [5, 0, 6, 1, 3], %b [4, 1, 2] -> [2, 0] in f32 to f32 : tensor<1x64x1x96x1xf32>, tensor<1x96x80xf32> -> tensor<80x64xf32>
  // The same as expand, multiply and sum.
  %ae = zyx.expand %a [64, 96, 80] : tensor<64x96x1xf32> -> tensor<64x96x80xf32>
  %be = zyx.expand %b [64, 96, 80] : tensor<1x96x80xf32> -> tensor<64x96x80xf32>
  %n = zyx.mul %ae, %be : tensor<64x96x80xf32>, tensor<64x96x80xf32> -> tensor<64x96x80xf32>
  %r = zyx.neg %n : tensor<64x96x80xf32> -> tensor<64x96x80xf32>
  %3 = zyx.reduce_sum %r over [1] : tensor<64x96x80xf32> -> tensor<64x80xf32>
  %4 = zyx.contract %c [4, 0, 6, 1, 3], %b [4, 1, 2] -> [4, 0, 2] in f32 to f32 : tensor<1x64x1x96x1xf32>, tensor<1x96x80xf32> -> tensor<1x64x80xf32>
  return %0, %1, %2, %3, %4 : tensor<64x80xf32>, tensor<64x1x80xf32>, tensor<80x64xf32>, tensor<64x80xf32>, tensor<1x64x80xf32>
}
