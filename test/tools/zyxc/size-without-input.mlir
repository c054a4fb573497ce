// A size that no input has is an error of the interpreter, too.
// RUN: not zyxc verify %s --open 2>&1 | FileCheck %s
// CHECK: none of 7 sets of sizes is valid for the model; 7 of them: no input says what N is: give --dim N=SIZE
func.func @main(%x: tensor<1xf32>) -> tensor<?xf32, #zyx.dims<"N">> {
  %0 = zyx.expand %x ["N"] : tensor<1xf32> -> tensor<?xf32, #zyx.dims<"N">>
  return %0 : tensor<?xf32, #zyx.dims<"N">>
}
