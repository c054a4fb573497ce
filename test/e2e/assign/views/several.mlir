// One buffer by several names: who writes through one of them and who reads through another. Each
// pair of inputs is a case of the specification of the runtime, and what is written is compared, too.
// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc verify %s --threads 3 --numerics exact | FileCheck %s
// CHECK: verified 15 outputs
func.func @main(%a3: tensor<6xf32> {zyx.name = "a3"}, %a3b: tensor<6xf32> {zyx.name = "a3b"},
                %a4: tensor<4x4xf32> {zyx.name = "a4"},
                %a5: tensor<2x3xf32> {zyx.name = "a5"}, %b5: tensor<2x3xf32>,
                %a6: tensor<6xf32> {zyx.name = "a6"}, %b6: tensor<6xf32>,
                %a11: tensor<2x4xf32> {zyx.name = "a11"}, %b11: tensor<2xf32>,
                %a12: tensor<6xf32> {zyx.name = "a12"}, %b12: tensor<6xf32>,
                %a13: tensor<4xf32> {zyx.name = "a13"},
                %two: tensor<8xf32> {zyx.name = "two"}, %meet: tensor<8xf32> {zyx.name = "meet"},
                %s: tensor<3xf32>, %t: tensor<3xf32>)
    -> (tensor<6xf32> {zyx.name = "y5"}, tensor<6xf32> {zyx.name = "moved6"},
        tensor<2x3xf32> {zyx.name = "view6"}, tensor<4x2xf32> {zyx.name = "y11"},
        tensor<2x4xf32> {zyx.name = "old11"}) {
  // RT-A3: a part is made of another part, a[0:2] = a[2:4] + 1, and of one that it meets, b[1:5] = b[0:4] + 1.
  %one = zyx.constant dense<1.0> : tensor<2xf32>
  %to = zyx.narrow %a3 starts [0] sizes [2] steps [1] : tensor<6xf32> -> tensor<2xf32>
  %from = zyx.narrow %a3 starts [2] sizes [2] steps [1] : tensor<6xf32> -> tensor<2xf32>
  %plus = zyx.add %from, %one : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %w3 = zyx.assign %to, %plus : tensor<2xf32>
  %ones = zyx.constant dense<1.0> : tensor<4xf32>
  %behind = zyx.narrow %a3b starts [1] sizes [4] steps [1] : tensor<6xf32> -> tensor<4xf32>
  %before = zyx.narrow %a3b starts [0] sizes [4] steps [1] : tensor<6xf32> -> tensor<4xf32>
  %next = zyx.add %before, %ones : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %w3b = zyx.assign %behind, %next : tensor<4xf32>

  // RT-A4: a is written with a function of another view of itself: its elements in another order.
  %flat4 = zyx.reshape %a4 [16] : tensor<4x4xf32> -> tensor<16xf32>
  %back4 = zyx.flip %flat4 [0] : tensor<16xf32> -> tensor<16xf32>
  %exp4 = zyx.exp %back4 : tensor<16xf32> -> tensor<16xf32>
  %square4 = zyx.reshape %exp4 [4, 4] : tensor<16xf32> -> tensor<4x4xf32>
  %turned4 = zyx.permute %square4 [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %w4 = zyx.assign %a4, %turned4 : tensor<4x4xf32>

  // RT-A5: a write to all of a is seen through a view that was made before it.
  %view5 = zyx.reshape %a5 [6] : tensor<2x3xf32> -> tensor<6xf32>
  %w5 = zyx.assign %a5, %b5 : tensor<2x3xf32>
  %now5 = zyx.after %view5, %w5 : tensor<6xf32>, tensor<2x3xf32>
  %y5 = zyx.neg %now5 : tensor<6xf32> -> tensor<6xf32>

  // RT-A6, KZ-T-P5, KZ-T-P6: a view is copied to a device; a write to the buffer is seen by other views, not by the copy.
  %view6 = zyx.reshape %a6 [2, 3] : tensor<6xf32> -> tensor<2x3xf32>
  %copy6 = zyx.to_device %view6 "cpu" : tensor<2x3xf32> -> tensor<2x3xf32>
  %w6 = zyx.assign %a6, %b6 : tensor<6xf32>
  %now6 = zyx.after %view6, %w6 : tensor<2x3xf32>, tensor<6xf32>
  %moved6 = zyx.reshape %copy6 [6] : tensor<2x3xf32> -> tensor<6xf32>

  // RT-A11: written through one view, read through another.
  %row11 = zyx.narrow %a11 starts [1, 0] sizes [1, 4] steps [1, 1] : tensor<2x4xf32> -> tensor<1x4xf32>
  %cells11 = zyx.reshape %row11 [4] : tensor<1x4xf32> -> tensor<4xf32>
  %middle11 = zyx.narrow %cells11 starts [1] sizes [2] steps [1] : tensor<4xf32> -> tensor<2xf32>
  %turned11 = zyx.permute %a11 [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
  %w11 = zyx.assign %middle11, %b11 : tensor<2xf32>
  %y11 = zyx.after %turned11, %w11 : tensor<4x2xf32>, tensor<2xf32>
  %old11 = zyx.neg %a11 : tensor<2x4xf32> -> tensor<2x4xf32>

  // RT-A12: two writes to one buffer, the second one of what the first one left.
  %w12 = zyx.assign %a12, %b12 : tensor<6xf32>
  %now12 = zyx.after %a12, %w12 : tensor<6xf32>, tensor<6xf32>
  %sum12 = zyx.add %now12, %now12 : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
  %w12b = zyx.assign %now12, %sum12 : tensor<6xf32>

  // RT-A13: a buffer that is written with itself stays what it is.
  %w13 = zyx.assign %a13, %a13 : tensor<4xf32>

  // Two parts of one size are two writes; where they meet, the later one counts.
  %left = zyx.narrow %two starts [0] sizes [3] steps [1] : tensor<8xf32> -> tensor<3xf32>
  %right = zyx.narrow %two starts [4] sizes [3] steps [1] : tensor<8xf32> -> tensor<3xf32>
  %wl = zyx.assign %left, %s : tensor<3xf32>
  %wr = zyx.assign %right, %t : tensor<3xf32>
  %low = zyx.narrow %meet starts [1] sizes [3] steps [1] : tensor<8xf32> -> tensor<3xf32>
  %high = zyx.narrow %meet starts [2] sizes [3] steps [1] : tensor<8xf32> -> tensor<3xf32>
  %wlow = zyx.assign %low, %s : tensor<3xf32>
  %whigh = zyx.assign %high, %t : tensor<3xf32>
  return %y5, %moved6, %now6, %y11, %old11 : tensor<6xf32>, tensor<6xf32>, tensor<2x3xf32>, tensor<4x2xf32>, tensor<2x4xf32>
}
