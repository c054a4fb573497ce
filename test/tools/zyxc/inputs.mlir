// Inputs by name, expected outputs, and the errors of both.
// RUN: zyxc run %s --input a=arange --input b=ones | FileCheck %s
// CHECK: out0: f32[2,2]
// CHECK-NEXT: {{\[}}[1, 1.25],
// CHECK-NEXT: [1.5, 1.75]]

// RUN: zyxc run %s --target=interp --input a=arange --input b=ones --output %t.npy --quiet
// RUN: zyxc run %s --input a=arange --input b=ones --expect @%t.npy --quiet | FileCheck %s --check-prefix=SAME
// SAME: output out0 as expected (largest difference 0)

// RUN: sh -c 'zyxc run %s --input a=zeros --input b=ones --expect @%t.npy --quiet; echo exit $?' 2>&1 | FileCheck %s --check-prefix=DIFFERS
// DIFFERS: zyxc: error: {{.*}}inputs.mlir: output out0 differs in 3 of 4 elements; first at [0, 1]: 1, expected 1.25
// DIFFERS: exit 6

// RUN: sh -c 'zyxc run %s --input c=ones; echo exit $?' 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: zyxc: error: the model has no input 'c': it has a, b
// NAME-NEXT: exit 2

// RUN: sh -c 'zyxc run %s --input ones; echo exit $?' 2>&1 | FileCheck %s --check-prefix=WHICH
// WHICH: zyxc: error: 'ones': the model has 2 inputs (a, b): give NAME=ones
// WHICH-NEXT: exit 2

// RUN: sh -c 'zyxc run %s --input a=@%t.nothing; echo exit $?' 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: zyxc: error: {{.*}}.nothing
// FILE-NEXT: exit 3

// RUN: sh -c 'zyxc run %s --memory-limit=1; echo exit $?' 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: zyxc: error: {{.*}}--memory-limit allows 1 B
// MEMORY-NEXT: exit 8

// RUN: zyxc inspect %s --json | FileCheck %s --check-prefix=JSON
// JSON: "inputs"
// JSON: "dtype": "f32"
// JSON: "name": "a"
// JSON: "unsupported": []
func.func @main(%a: tensor<2x2xf32> {zyx.name = "a"}, %b: tensor<2x2xf32> {zyx.name = "b"}) -> tensor<2x2xf32> {
  %0 = zyx.add %a, %b : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %1 = zyx.mul %0, %b : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
