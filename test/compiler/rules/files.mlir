// Rules of files run beside those that are built in, and shape the plan of run, compile and verify.
// RUN: split-file %s %t
// RUN: zyxc run %t/model.mlir --rules %t/one.rules --rules %t/two.rules --stop-after rules --dump-after rules 2>&1 | FileCheck %s
// RUN: zyxc compile %t/model.mlir --rules %t/one.rules --rules %t/two.rules --emit egraph 2>&1 | FileCheck %s
// RUN: zyxc verify %t/model.mlir --rules %t/one.rules --rules %t/two.rules
// RUN: zyxc run %t/model.mlir --rules %t/one.rules --numerics exact --stop-after rules --dump-after rules 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: zyxc run %t/model.mlir --stop-after rules --dump-after rules 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: zyxc rules check %t/one.rules
// RUN: zyxc rules check %t/two.rules

// CHECK: square-of-abs: 1 matches, 1 unions
// CHECK: sign-twice: {{[0-9]+}} matches, 1 unions
// CHECK-LABEL: func.func @main
// CHECK-NOT: zyx.abs
// CHECK-COUNT-1: zyx.sign
// CHECK-NOT: zyx.sign

// EXACT-NOT: square-of-abs
// EXACT: zyx.abs

// WITHOUT-NOT: sign-twice
// WITHOUT: zyx.abs

//--- one.rules
rule square-of-abs reorder simplify "the sign is lost anyway":
  mul(abs(?x:signed), abs(?x)) => mul(?x, ?x)
//--- two.rules
rule sign-twice exact simplify "a sign is its own":
  sign(sign(?x)) => sign(?x)
//--- model.mlir
func.func @main(%x: tensor<4xf32> {zyx.name = "x"}) -> (tensor<4xf32> {zyx.name = "y"}) {
  %0 = zyx.abs %x : tensor<4xf32> -> tensor<4xf32>
  %1 = zyx.mul %0, %0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = zyx.sign %1 : tensor<4xf32> -> tensor<4xf32>
  %3 = zyx.sign %2 : tensor<4xf32> -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
