// RUN: zyx-opt %s --zyxk-swap-operands | FileCheck %s

// CHECK-LABEL: @matmul
// CHECK: %[[A:.*]] = load %in0[i, k] : f16
// CHECK: %[[B:.*]] = load %in1[k, j] : f32
// CHECK: contract %[[B]], %[[A]] over [k] : f32, f16 -> f32
zyxk.kernel @matmul ports(%A: in f16[8, 16], %B: in f32[16, 4], %C: out f32[8, 4]) axes(i < 8, j < 4, k < 16) {
  %a = load %A[i, k] : f16
  %b = load %B[k, j] : f32
  %c = contract %a, %b over [k] : f16, f32 -> f32
  store %c, %C[i, j] : f32
}
