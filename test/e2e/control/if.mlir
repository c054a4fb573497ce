// Only the branch that is taken runs. Constants outside are constants inside; the results of one
// branch start anywhere in memory (a part of a concatenation).
// RUN: zyxc verify %s --input c=ones | FileCheck %s
// RUN: zyxc verify %s --input c=zeros | FileCheck %s
// RUN: zyxc run %s --input c=ones --dump-after=plan,codegen --quiet 2>&1 | FileCheck %s --check-prefix=PLAN
// CHECK: verified 3 outputs
// PLAN-DAG: // region b1
// PLAN-DAG: // region b2
// PLAN: if0_{{.*}}
func.func @main(%c: tensor<i1> {zyx.name = "c"}, %x: tensor<7xf32>, %m: tensor<7x5xf32>)
    -> (tensor<14xf32>, tensor<7xi1>, tensor<5xf32>) {
  %w = zyx.constant dense<[1.0, -2.0, 3.0, 4.0, 0.5, 7.0, 9.0]> : tensor<7xf32>
  %y = zyx.neg %w : tensor<7xf32> -> tensor<7xf32>
  %r:3 = zyx.if %c : (tensor<i1>) -> (tensor<7xf32>, tensor<7xi1>, tensor<5xf32>) {
    %e = zyx.exp %x : tensor<7xf32> -> tensor<7xf32>
    %f = zyx.mul %e, %y : tensor<7xf32>, tensor<7xf32> -> tensor<7xf32>
    %l = zyx.lt %e, %w : tensor<7xf32>, tensor<7xf32> -> tensor<7xi1>
    %p = zyx.contract %f [0], %m [0, 1] -> [1] in f32 to f32 : tensor<7xf32>, tensor<7x5xf32> -> tensor<5xf32>
    zyx.yield %f, %l, %p : tensor<7xf32>, tensor<7xi1>, tensor<5xf32>
  } else {
    %l = zyx.lt %x, %y : tensor<7xf32>, tensor<7xf32> -> tensor<7xi1>
    %s = zyx.reduce_sum %m over [0] : tensor<7x5xf32> -> tensor<5xf32>
    zyx.yield %x, %l, %s : tensor<7xf32>, tensor<7xi1>, tensor<5xf32>
  }
  %n = zyx.abs %x : tensor<7xf32> -> tensor<7xf32>
  %j = zyx.concat %n, %r#0 axis 0 : tensor<7xf32>, tensor<7xf32> -> tensor<14xf32>
  return %j, %r#1, %r#2 : tensor<14xf32>, tensor<7xi1>, tensor<5xf32>
}
