// Files for another processor or another version of zyxc, and plans with little in them.
// RUN: zyxc compile %s -o %t.zyxp --target=cpu:x86-64-v3 --target=cpu:x86-64-v4

// A file none of whose targets this processor can execute.
// RUN: %python %S/Inputs/patch_plan.py %t.zyxp %t.other avx2 avx9
// RUN: sh -c 'zyxc-run %t.other; echo exit $?' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: zyxc-run: error: {{.*}}.other: no code in the file runs on this processor: cpu:x86-64-v3 needs avx9; cpu:x86-64-v4 needs {{.*}}avx9{{.*}}; it has {{.*}}avx2{{.*}}: compile the model for another --target
// NONE-NEXT: exit 7
// RUN: zyxc inspect %t.other | FileCheck %s --check-prefix=INSPECT
// INSPECT: target cpu:x86-64-v3: vectors of 256 bits, this processor lacks avx9

// The other target of the file runs where the first one cannot.
// RUN: %python %S/Inputs/patch_plan.py %t.zyxp %t.third avx512bw avx512zz
// RUN: zyxc-run %t.third --input ones | FileCheck %s --check-prefix=THIRD
// THIRD: load: {{.*}} cpu:x86-64-v3
// THIRD: [2, 2]

// RUN: %python %S/Inputs/patch_plan.py %t.zyxp %t.version version 5
// RUN: sh -c 'zyxc-run %t.version; echo exit $?' 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: zyxc-run: error: {{.*}}.version: a saved plan of format 5, this zyxc reads formats 1 to 4: compile the model with the zyxc that runs it
// VERSION-NEXT: exit 3

// Nothing to compute, and no elements.
// RUN: sed -e 's/2xf32/0xf32/g' %s > %t.none.mlir
// RUN: zyxc compile %t.none.mlir -o %t.none.zyxp
// RUN: zyxc-run %t.none.zyxp | FileCheck %s --check-prefix=EMPTY
// EMPTY: f32[0]
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = zyx.add %a, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
