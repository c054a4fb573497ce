// A kernel that competes is no candidate where rules find that it would store one value twice, what
// it reads, or a constant: its decomposition is taken, with the right results.
// RUN: split-file %s %t
// RUN: zyxc compile %t/equal.mlir --library none.so --emit plan | FileCheck %s
// RUN: zyxc compile %t/operand.mlir --library none.so --emit plan | FileCheck %s
// RUN: zyxc compile %t/constant.mlir --library none.so --emit plan | FileCheck %s
// RUN: zyxc run %t/equal.mlir --input arg0=arange | FileCheck %s --check-prefix=VALUES
// CHECK: steps:
// CHECK-NOT: custom
// VALUES-COUNT-2: [0, 0.5, 1, 1.5]
// Without a cost it is the user's word that counts.
// RUN: sed 's/cost {.*} {/{/' %t/equal.mlir > %t/always.mlir
// RUN: zyxc compile %t/always.mlir --library none.so --emit plan | FileCheck %s --check-prefix=ALWAYS
// ALWAYS: custom0_k
// Costs that no sum of costs could hold are costs all the same.
// RUN: cp %source/docs/examples/custom/twice.* %t
// RUN: sed 's/bytes = "12 \* N"/picoseconds = 280000000000000000/' %source/docs/examples/custom/twice.mlir > %t/dear.mlir
// RUN: zyxc compile %t/dear.mlir --dim LENGTH=4 --library none.so --emit plan | FileCheck %s
//--- equal.mlir
zyx.custom_kernel @k : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) like @plain cost {picoseconds = 0} {
  zyx.host_source "f"
}
func.func private @plain(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = zyx.add %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %z = zyx.add %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = zyx.custom @k(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
//--- operand.mlir
zyx.custom_kernel @k : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) like @plain cost {picoseconds = 0} {
  zyx.host_source "f"
}
func.func private @plain(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = zyx.neg %x : tensor<4xf32> -> tensor<4xf32>
  %z = zyx.neg %y : tensor<4xf32> -> tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = zyx.exp %x : tensor<4xf32> -> tensor<4xf32>
  %r:2 = zyx.custom @k(%e) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
//--- constant.mlir
zyx.custom_kernel @k : (tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) like @plain cost {picoseconds = 0} {
  zyx.host_source "f"
}
func.func private @plain(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %y = zyx.neg %x : tensor<4xf32> -> tensor<4xf32>
  %z = zyx.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %y, %z : tensor<4xf32>, tensor<2xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %r:2 = zyx.custom @k(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<2xf32>
}
