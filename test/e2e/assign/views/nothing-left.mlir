// Inputs that the program writes although nothing is left to store: no elements, their own content, the
// same part again. They stay written inputs, and what they were.
// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc run %s --quiet --dump-after=codegen 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: zyxc compile %s -o %t.zyxp
// RUN: zyxc-run %t.zyxp --input d=arange --output d=@%t.npy --quiet | FileCheck %s --check-prefix=SAVED
// CHECK: verified 4 outputs
// PLAN: input 0 none: f32[0], written
// PLAN-NEXT: input 1 d: f32[4], written
// PLAN-NEXT: input 2 part: f32[4], written
// PLAN-NEXT: input 3 again: f32[4], written
// PLAN-COUNT-1: , input3+0:16)
// PLAN-NOT: {{(map|row)[0-9]+_.*input}}
// SAVED: writes: none, d, part, again
func.func @main(%none: tensor<0xf32> {zyx.name = "none"}, %d: tensor<4xf32> {zyx.name = "d"},
                %p: tensor<4xf32> {zyx.name = "part"}, %again: tensor<4xf32> {zyx.name = "again"},
                %s: tensor<4xf32>) {
  %e = zyx.constant dense<> : tensor<0xf32>
  %w = zyx.assign %none, %e : tensor<0xf32>
  %turned = zyx.flip %d [0] : tensor<4xf32> -> tensor<4xf32>
  %w1 = zyx.assign %turned, %turned : tensor<4xf32>
  %part = zyx.narrow %p starts [1] sizes [2] steps [1] : tensor<4xf32> -> tensor<2xf32>
  %w2 = zyx.assign %part, %part : tensor<2xf32>
  // What is written is read again, and is what the second write finds.
  %w3 = zyx.assign %again, %s : tensor<4xf32>
  %now = zyx.after %again, %w3 : tensor<4xf32>, tensor<4xf32>
  %w4 = zyx.assign %again, %now : tensor<4xf32>
  return
}
