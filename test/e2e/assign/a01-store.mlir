// KZ-T-A1, KZ-T-P8: one kernel that writes exp(s) into d.
// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc run %s --quiet --dump-after=codegen 2>&1 | FileCheck %s --check-prefix=PLAN
// CHECK: verified {{[0-9]+}} outputs
// PLAN-COUNT-1: map{{.*}}(input1+0:16, input0+0:16)
// PLAN-NOT: {{(map|row)[0-9]+_.*input}}
func.func @main(%d: tensor<4xf32>, %s: tensor<4xf32>) {
  %e = zyx.exp %s : tensor<4xf32> -> tensor<4xf32>
  %w = zyx.assign %d, %e : tensor<4xf32>
  return
}
