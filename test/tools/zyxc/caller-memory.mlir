// An input that the program writes, and a function of a library: run as a model, and from a saved plan.
// RUN: zyxc run %s --library %build/test/unit/libzyxc-custom-kernels.so --input x=ones --input state=arange --repeat 3 --output state=@%t.state.npy | FileCheck %s --check-prefix=RAN
// RUN: zyxc compile %s -o %t.zyxp
// RUN: zyxc-run %t.zyxp --library %build/test/unit/libzyxc-fake-cuda.so --library %build/test/unit/libzyxc-custom-kernels.so --input x=ones --input state=arange --repeat 3 --expect state=@%t.state.npy | FileCheck %s --check-prefixes=RAN,EXPECTED
// RAN: {{[0-9]+}} launches
// RAN-NEXT: writes: state
// RAN-NEXT: run: min {{.*}} over 3 runs
// RAN: y: i64[1]
// RAN-NEXT: [9]
// RAN: state: i64[1] after the run
// RAN-NEXT: [9]
// EXPECTED: output state as expected

// RUN: zyxc inspect %t.zyxp | FileCheck %s --check-prefix=INSPECT
// INSPECT: output y: i64[1]
// INSPECT-NEXT: writes input state
// INSPECT-NEXT: needs zyxc_test_triple of a library: --library PATH
// RUN: zyxc inspect %t.zyxp --json | FileCheck %s --check-prefix=JSON
// JSON: "functions": [
// JSON-NEXT: "zyxc_test_triple"
// JSON: "written": [
// JSON-NEXT: "state"

// A file is read into memory of its own, and stays as it is.
// RUN: cp %t.state.npy %t.copy.npy
// RUN: zyxc-run %t.zyxp --library %build/test/unit/libzyxc-custom-kernels.so --input x=ones --input state=@%t.state.npy --output state=@%t.next.npy | FileCheck %s --check-prefix=NEXT
// RUN: cmp %t.state.npy %t.copy.npy
// NEXT: state: i64[1] after the run
// NEXT-NEXT: [12]

// RUN: not zyxc-run %t.zyxp 2>&1 | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: zyxc-run: error: kernel custom{{.*}} is the function 'zyxc_test_triple', which no library was given for: name a library that has it with --library PATH
// RUN: not zyxc-run %t.zyxp --library %t.zyxp 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: zyxc-run: error: {{.*}}cannot open the library '{{.*}}.zyxp': {{.*}}invalid ELF header
// RUN: not zyxc-run %t.zyxp --library %build/test/unit/libzyxc-fake-cuda.so 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: which is not in {{.*}}libzyxc-fake-cuda.so: name a library that has it with --library PATH
// RUN: not zyxc-run %t.zyxp --output z=@%t.z.npy 2>&1 | FileCheck %s --check-prefix=NAMES
// NAMES: the model has no output 'z': it has y, state
func.func @main(%x: tensor<1xi64> {zyx.name = "x"}, %state: tensor<1xi64> {zyx.name = "state"})
    -> (tensor<1xi64> {zyx.name = "y"}) {
  %triple = zyx.custom "zyxc_test_triple"(%x) : (tensor<1xi64>) -> tensor<1xi64>
  %sum = zyx.add %triple, %state : tensor<1xi64>, tensor<1xi64> -> tensor<1xi64>
  %w = zyx.assign %state, %sum : tensor<1xi64>
  return %sum : tensor<1xi64>
}
