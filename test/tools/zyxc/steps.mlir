// Each step of the pipeline can be the last one, and printed.
// RUN: zyxc run %s --stop-after=import 2>&1 | FileCheck %s --check-prefix=IMPORT
// IMPORT: // after import
// IMPORT: zyx.exp
// RUN: zyxc run %s --stop-after=kernels 2>&1 | FileCheck %s --check-prefix=KERNELS
// KERNELS: zyxk.kernel @
// KERNELS: load
// KERNELS: store
// RUN: zyxc run %s --stop-after=borders 2>&1 | FileCheck %s --check-prefix=BORDERS
// BORDERS: no borders
// RUN: zyxc run %s --stop-after=choose 2>&1 | FileCheck %s --check-prefix=CHOOSE
// CHOOSE: candidates, cost {{[0-9]+}} ps, lower bound {{[0-9]+}} ps, proved optimal
// RUN: zyxc run %s --stop-after=plan 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: lower bound
// RUN: zyxc run %s --disable=rules --quiet --plan --timing | FileCheck %s --check-prefix=TIMING
// TIMING: compile: {{.*}} ms, 1 kernels, 1 launches
// TIMING-NOT: rules
// TIMING: codegen {{.*}} ms
// TIMING: run: min
// RUN: sh -c 'zyxc run %s --disable=plan; echo exit $?' 2>&1 | FileCheck %s --check-prefix=NEEDED
// NEEDED: zyxc: error: --disable=plan: an answer needs this step
// NEEDED-NEXT: exit 2
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = zyx.exp %a : tensor<2x2xf32> -> tensor<2x2xf32>
  %1 = zyx.neg %0 : tensor<2x2xf32> -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
