// What functions of libraries cannot do is said in one line.
// RUN: split-file %s %t
// RUN: not zyxc compile %t/open.mlir -o %t.zyxp 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: open.mlir:2:8: 'double' is not told the sizes of its tensors: give them, --dim NAME=SIZE
// RUN: not zyxc run %t/loop.mlir 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: f stands below itself
// RUN: zyxc verify %t/like.mlir | FileCheck %s --check-prefix=LIKE
// LIKE: verified 2 outputs
// Compiled with a library, the function is called, and the run must have it.
// RUN: zyxc compile %t/like.mlir --library functions.so -o %t.like.zyxp
// RUN: not zyxc-run %t.like.zyxp 2>&1 | FileCheck %s --check-prefix=CALLED
// CALLED: is the function 'double', which no library was given for
// RUN: not zyxc verify %t/alone.mlir 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: 'double'
//--- open.mlir
func.func @main(%x: tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N">> {
  %r = zyx.custom "double"(%x) : (tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N">>
  return %r : tensor<?xf32, #zyx.dims<"N">>
}
//--- loop.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = zyx.custom "double"(%x) like @f : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = zyx.constant dense<true> : tensor<i1>
  %r = zyx.custom "double"(%x) like @f : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
//--- like.mlir
func.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = zyx.custom "double"(%x) like @f : (tensor<4xf32>) -> tensor<4xf32>
  %s = zyx.if %c : (tensor<i1>) -> tensor<4xf32> {
    %t = zyx.custom "double"(%r) like @f : (tensor<4xf32>) -> tensor<4xf32>
    zyx.yield %t : tensor<4xf32>
  } else {
    zyx.yield %r : tensor<4xf32>
  }
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = zyx.add %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %r : tensor<4xf32>
}
//--- alone.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = zyx.custom "double"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
