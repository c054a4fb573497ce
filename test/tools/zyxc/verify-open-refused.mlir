// Where no set of sizes is valid: what refuses most, and what to do. Where some are not: how many.
// RUN: split-file %s %t
// RUN: not zyxc verify %t/never.mlir --open 2>&1 | FileCheck %s
// CHECK: none of 7 sets of sizes is valid for the model; 7 of them: {{.*}}: narrow needs N - 2000 >= 0: give others, --dim N=SIZE
// RUN: not zyxc verify %t/never.mlir --open --dim N=3 2>&1 | FileCheck %s --check-prefix=CLOSED
// CLOSED: narrow: sizes [-1997] holds -1997, the least is 0
// RUN: zyxc verify %t/never.mlir --open --dim N=2001 | FileCheck %s --check-prefix=VALID
// VALID: at 1 sets of sizes (1 tried, 0 refused by both
// RUN: zyxc verify %t/seldom.mlir --open | FileCheck %s --check-prefix=SELDOM
// SELDOM: at 2 sets of sizes (7 tried, 5 refused by both, 0 left out as too large)
// RUN: not zyxc verify %t/huge.mlir --open 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: none of {{[1-9]}} sets of sizes is valid for the model
//--- never.mlir
func.func @main(%x: tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N - 2000">> {
  %0 = zyx.narrow %x starts [2000] sizes ["N - 2000"] steps [1] : tensor<?xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"N - 2000">>
  return %0 : tensor<?xf32, #zyx.dims<"N - 2000">>
}
//--- seldom.mlir
func.func @main(%x: tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N - 100">> {
  %0 = zyx.narrow %x starts [100] sizes ["N - 100"] steps [1] : tensor<?xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"N - 100">>
  return %0 : tensor<?xf32, #zyx.dims<"N - 100">>
}
//--- huge.mlir
func.func @main(%x: tensor<?x100000000xi8, #zyx.dims<"N">>) -> tensor<?x100000000xi8, #zyx.dims<"N - 2">> {
  %0 = zyx.narrow %x starts [2, 0] sizes ["N - 2", 100000000] steps [1, 1] : tensor<?x100000000xi8, #zyx.dims<"N">> -> tensor<?x100000000xi8, #zyx.dims<"N - 2">>
  return %0 : tensor<?x100000000xi8, #zyx.dims<"N - 2">>
}
