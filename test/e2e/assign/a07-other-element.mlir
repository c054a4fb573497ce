// KZ-T-A7: d turned around, into d: no element is written before it was read.
// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc run %s --quiet --dump-after=codegen 2>&1 | FileCheck %s --check-prefix=PLAN
// CHECK: verified {{[0-9]+}} outputs
// PLAN: map{{.*}}(input0+0:16, arena+0:16)
// PLAN: map{{.*}}(arena+0:16, input0+0:16)
func.func @main(%d: tensor<4xf32>, %s: tensor<4xf32>) {
  %x = zyx.flip %d [0] : tensor<4xf32> -> tensor<4xf32>
  %w = zyx.assign %d, %x : tensor<4xf32>
  return
}
