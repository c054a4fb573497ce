// Models with many open dims: the sizes are smaller then, and what is too large is left out and counted.
// RUN: zyxc verify %s --open | FileCheck %s
// CHECK: at {{[0-9]+}} sets of sizes ({{[0-9]+}} tried, 0 refused by both, {{[1-9][0-9]*}} left out as too large): all agree
// RUN: not zyxc verify %s --open --dim A=1,B=2,D=3,E=1,F=1,G=1 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: --open: --dim gives no size to C, H: add C=SIZE,H=SIZE, or leave out --dim to compare at many sizes
// RUN: zyxc verify %s --open --dim A=1,B=2,C=2,D=3,E=1,F=1,G=1,H=2 | FileCheck %s --check-prefix=GIVEN
// GIVEN: at 1 sets of sizes (1 tried, 0 refused by both, 0 left out as too large)
func.func @main(%x: tensor<?x?x?x?x?x?x?x?xf32, #zyx.dims<"A", "B", "C", "D", "E", "F", "G", "H">>)
    -> tensor<?x?x?x?x?x?x?x?xf32, #zyx.dims<"A", "B", "C", "D", "E", "F", "G", "H">> {
  %0 = zyx.neg %x : tensor<?x?x?x?x?x?x?x?xf32, #zyx.dims<"A", "B", "C", "D", "E", "F", "G", "H">> -> tensor<?x?x?x?x?x?x?x?xf32, #zyx.dims<"A", "B", "C", "D", "E", "F", "G", "H">>
  return %0 : tensor<?x?x?x?x?x?x?x?xf32, #zyx.dims<"A", "B", "C", "D", "E", "F", "G", "H">>
}
