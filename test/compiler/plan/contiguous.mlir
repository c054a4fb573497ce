// A wish for row-major order: a value of its own in memory, through which no kernel computes.
// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc compile %s --emit plan | FileCheck %s --check-prefix=PLAN
// CHECK: verified 2 outputs
// KZ-T-K24: exp of a permuted tensor that is stored: one kernel stores it, another reads it.
// PLAN: steps:
// PLAN-NEXT: map{{.*}}(input0+0:96, [[STORED:arena\+[0-9]+:96]])  // turned
// PLAN-NEXT: map{{.*}}([[STORED]], output0+0:96)  // exp
// KZ-T-K25: of an input: a buffer of its own.
// PLAN-NEXT: map{{.*}}(input0+0:96, output1+0:96)
// PLAN-NOT: {{(map|row)[0-9]+_}}
func.func @main(%x: tensor<4x6xf32>) -> (tensor<6x4xf32>, tensor<4x6xf32>) {
  %t = zyx.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32> loc("turned")
  %c = zyx.contiguous %t : tensor<6x4xf32> -> tensor<6x4xf32> loc("stored")
  %y = zyx.exp %c : tensor<6x4xf32> -> tensor<6x4xf32> loc("exp")
  %l = zyx.contiguous %x : tensor<4x6xf32> -> tensor<4x6xf32> loc("own")
  return %y, %l : tensor<6x4xf32>, tensor<4x6xf32>
}
