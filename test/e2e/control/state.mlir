// Writes to inputs: a row of a cache, an accumulator, a turned buffer, and what is read before and
// after. Nothing that was read before sees a write.
// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc run %s --quiet --dump-after=codegen 2>&1 | FileCheck %s --check-prefix=PLAN
// A value is made in the input that it is written to, if nothing else reads the input any more; else
// it is stored at the end, in the order of the program.
// PLAN: input 0 cache: f32[8,4], written
// PLAN: input 1 arg1: f32[1,4]{{$}}
// PLAN: map[[#]]_{{.*}}(output0+0:16, input2+0:16)
// PLAN: map[[#]]_{{.*}}(input5+0:24, input4+0:24)
// PLAN: (input3+0:40, output2+0:40){{ +}}// copy to output out2
// PLAN: (arena+{{.*}}:16, input0+0:128)
// PLAN: (arena+{{.*}}:64, input0+0:128)
// PLAN: (arena+{{.*}}:40, input3+0:40)
// CHECK: verified {{[0-9]+}} outputs
func.func @main(%cache: tensor<8x4xf32> {zyx.name = "cache"}, %row: tensor<1x4xf32>,
                %sum: tensor<4xf32> {zyx.name = "sum"}, %turn: tensor<5xi64> {zyx.name = "turn"},
                %whole: tensor<3x2xf32> {zyx.name = "whole"}, %y: tensor<3x2xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<5xi64>, tensor<2x3xf32>) {
  %part = zyx.narrow %cache starts [2, 0] sizes [1, 4] steps [1, 1] : tensor<8x4xf32> -> tensor<1x4xf32>
  %double = zyx.add %row, %row : tensor<1x4xf32>, tensor<1x4xf32> -> tensor<1x4xf32>
  %w = zyx.assign %part, %double : tensor<1x4xf32>
  %column = zyx.narrow %cache starts [0, 1] sizes [8, 2] steps [1, 1] : tensor<8x4xf32> -> tensor<8x2xf32>
  %swapped = zyx.flip %column [1] : tensor<8x2xf32> -> tensor<8x2xf32>
  %old = zyx.flip %swapped [0] : tensor<8x2xf32> -> tensor<8x2xf32>
  %w2 = zyx.assign %swapped, %old : tensor<8x2xf32>
  %now = zyx.after %cache, %w : tensor<8x4xf32>, tensor<1x4xf32>
  %then = zyx.after %cache, %w2 : tensor<8x4xf32>, tensor<8x2xf32>
  %s0 = zyx.reduce_sum %now over [0] : tensor<8x4xf32> -> tensor<4xf32>
  %s1 = zyx.reduce_sum %then over [0] : tensor<8x4xf32> -> tensor<4xf32>
  %next = zyx.add %sum, %s0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %w3 = zyx.assign %sum, %next : tensor<4xf32>
  %back = zyx.flip %turn [0] : tensor<5xi64> -> tensor<5xi64>
  %w4 = zyx.assign %turn, %back : tensor<5xi64>
  %e = zyx.exp %y : tensor<3x2xf32> -> tensor<3x2xf32>
  %flat = zyx.reshape %e [6] : tensor<3x2xf32> -> tensor<6xf32>
  %target = zyx.reshape %whole [6] : tensor<3x2xf32> -> tensor<6xf32>
  %w5 = zyx.assign %target, %flat : tensor<6xf32>
  %after = zyx.after %whole, %w5 : tensor<3x2xf32>, tensor<6xf32>
  %turned = zyx.permute %after [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  return %s0, %s1, %turn, %turned : tensor<4xf32>, tensor<4xf32>, tensor<5xi64>, tensor<2x3xf32>
}
