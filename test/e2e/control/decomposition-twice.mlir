// A decomposition that is used twice, with operands of which one use knows the value and the other does not:
// regions in it read what they need again, each time.
// RUN: split-file %s %t
// RUN: zyxc verify %t/condition-twice.mlir | FileCheck %s
// RUN: zyxc verify %t/twice-crash.mlir | FileCheck %s
// RUN: zyxc verify %t/twice-in-loop.mlir | FileCheck %s
// RUN: zyxc verify %t/twice-internal.mlir | FileCheck %s
// CHECK: all agree with the interpreter
//--- condition-twice.mlir
func.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %t = zyx.constant dense<true> : tensor<i1>
  %f = zyx.constant dense<false> : tensor<i1>
  %r = zyx.custom "f"(%x, %t) like @f : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  %s = zyx.custom "f"(%x, %f) like @f : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  %u = zyx.custom "f"(%x, %c) like @f : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  return %r, %s, %u : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %r = zyx.if %c : (tensor<i1>) -> tensor<4xf32> {
    %q = zyx.loop limit [3] while %c carry %x : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %p: tensor<4xf32>):
      %a = zyx.add %p, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
      zyx.yield %c, %a : tensor<i1>, tensor<4xf32>
    }
    zyx.yield %q : tensor<4xf32>
  } else {
    zyx.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
//--- twice-crash.mlir
func.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %k = zyx.constant dense<2.0> : tensor<4xf32>
  %r = zyx.custom "f"(%k, %c) like @f : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  %s = zyx.custom "f"(%x, %c) like @f : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %r = zyx.if %c : (tensor<i1>) -> tensor<4xf32> {
    %a = zyx.add %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    zyx.yield %a : tensor<4xf32>
  } else {
    zyx.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
//--- twice-in-loop.mlir
func.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> (tensor<4xf32>) {
  %k = zyx.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %r = zyx.loop limit [3] while %c carry %x : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<4xf32>):
    %t = zyx.custom "f"(%k, %c) like @f : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
    %s = zyx.custom "f"(%p, %c) like @f : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
    %u = zyx.add %s, %t : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    zyx.yield %c, %u : tensor<i1>, tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %y = zyx.flip %x [0] : tensor<4xf32> -> tensor<4xf32>
  %r = zyx.if %c : (tensor<i1>) -> tensor<4xf32> {
    %a = zyx.neg %y : tensor<4xf32> -> tensor<4xf32>
    zyx.yield %a : tensor<4xf32>
  } else {
    zyx.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
//--- twice-internal.mlir
func.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %k = zyx.constant dense<2.0> : tensor<4xf32>
  %r = zyx.custom "f"(%k, %c) like @f : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  %s = zyx.custom "f"(%x, %c) like @f : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %y = zyx.flip %x [0] : tensor<4xf32> -> tensor<4xf32>
  %r = zyx.if %c : (tensor<i1>) -> tensor<4xf32> {
    %a = zyx.add %y, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    zyx.yield %a : tensor<4xf32>
  } else {
    zyx.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
