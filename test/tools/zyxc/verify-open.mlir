// One plan for all sizes, compared with the interpreter at many of them.
// RUN: zyxc verify %s --open | FileCheck %s
// CHECK: verified 1 outputs of {{.*}} with open dims at 7 sets of sizes (7 tried, 0 refused by both, 0 left out as too large): all agree
// RUN: zyxc verify %s --open --dim N=5 | FileCheck %s --check-prefix=ONE
// ONE: with open dims at 1 sets of sizes (1 tried
// RUN: not zyxc verify %s --open --dim M=5 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: M
// RUN: not zyxc verify %s --open --per-node 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: --open and --per-node cannot be given together
// RUN: not zyxc verify %S/../../e2e/half.mlir --open 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: --open: all dims of {{.*}} have a size: leave out --open
func.func @main(%x: tensor<?x24xf32, #zyx.dims<"N">> {zyx.name = "x"}, %w: tensor<24x40xf32> {zyx.name = "w"}) -> (tensor<?x40xf32, #zyx.dims<"N">> {zyx.name = "y"}) {
  %0 = zyx.matmul %x, %w : tensor<?x24xf32, #zyx.dims<"N">>, tensor<24x40xf32> -> tensor<?x40xf32, #zyx.dims<"N">>
  %1 = zyx.softmax %0 over [1] : tensor<?x40xf32, #zyx.dims<"N">> -> tensor<?x40xf32, #zyx.dims<"N">>
  return %1 : tensor<?x40xf32, #zyx.dims<"N">>
}
