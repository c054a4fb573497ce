// A saved plan has its bodies: regions run from the file as they do in memory.
// RUN: zyxc compile %S/nested.mlir -o %t.nested.zyxp
// RUN: zyxc run %S/nested.mlir --seed 3 > %t.memory
// RUN: zyxc-run %t.nested.zyxp --seed 3 > %t.file
// RUN: grep -A 100 out0 %t.memory > %t.memory.values
// RUN: grep -A 100 out0 %t.file > %t.file.values
// RUN: diff %t.memory.values %t.file.values
// RUN: zyxc compile %s -o %t.zyxp
// RUN: zyxc-run %t.zyxp --input go=ones | FileCheck %s
// CHECK: out0: f32[2]
// Constants of a region may be parameters of what stands around it.
func.func @main(%go: tensor<i1> {zyx.name = "go"}, %x: tensor<2xf32>) -> tensor<2xf32> {
  %w = zyx.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %t = zyx.permute %w [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
  %u = zyx.add %t, %w : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %r = zyx.loop limit [3] while %go carry %x : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %s = zyx.if %go : (tensor<i1>) -> tensor<2xf32> {
      %p = zyx.contract %a [0], %u [0, 1] -> [1] in f32 to f32 : tensor<2xf32>, tensor<2x2xf32> -> tensor<2xf32>
      zyx.yield %p : tensor<2xf32>
    } else {
      zyx.yield %a : tensor<2xf32>
    }
    zyx.yield %go, %s : tensor<i1>, tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
