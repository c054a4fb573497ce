// Inputs that are written by what reads them: where each element is read before it is written, the
// kernel has one port for both; else the value goes through memory of its own.
// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc run %s --quiet --dump-after=codegen 2>&1 | FileCheck %s --check-prefix=PLAN
// CHECK: verified {{[0-9]+}} outputs
// One kernel makes the moment and the weights, in place; so does a softmax, a part of an input, and
// what adds the sum of all elements to each.
// PLAN-DAG: map{{[0-9]+}}_{{[0-9a-f]+}}(input2+0:96, input0+0:96, input1+0:96)
// PLAN-DAG: row{{[0-9]+}}_{{[0-9a-f]+}}(input3+0:96)
// PLAN-DAG: map{{[0-9]+}}_{{[0-9a-f]+}}(input4+24:48)
// PLAN-DAG: row{{[0-9]+}}_{{[0-9a-f]+}}(input6+0:96)
// Where an element is read that was written before: a flip, the sum with the transpose of a square.
// PLAN-DAG: (arena+{{[0-9]+}}:96, input5+0:96)
// PLAN-DAG: (arena+{{[0-9]+}}:64, input7+0:64)
func.func @main(%p: tensor<4x6xf32>, %m: tensor<4x6xf32>, %g: tensor<4x6xf32>, %s: tensor<4x6xf32>,
                %w: tensor<4x6xf32>, %f: tensor<4x6xf32>, %z: tensor<4x6xf32>, %q: tensor<4x4xf32>) {
  %m1 = zyx.add %m, %g : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
  %a0 = zyx.assign %m, %m1 : tensor<4x6xf32>
  %root = zyx.tanh %m1 : tensor<4x6xf32> -> tensor<4x6xf32>
  %p1 = zyx.sub %p, %root : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
  %a1 = zyx.assign %p, %p1 : tensor<4x6xf32>
  %soft = zyx.softmax %s over [1] : tensor<4x6xf32> -> tensor<4x6xf32>
  %a2 = zyx.assign %s, %soft : tensor<4x6xf32>
  %part = zyx.narrow %w starts [1, 0] sizes [2, 6] steps [1, 1] : tensor<4x6xf32> -> tensor<2x6xf32>
  %e = zyx.exp %part : tensor<2x6xf32> -> tensor<2x6xf32>
  %a3 = zyx.assign %part, %e : tensor<2x6xf32>
  %back = zyx.flip %f [1] : tensor<4x6xf32> -> tensor<4x6xf32>
  %a4 = zyx.assign %f, %back : tensor<4x6xf32>
  %sum = zyx.reduce_sum %z over [0, 1] : tensor<4x6xf32> -> tensor<f32>
  %one = zyx.reshape %sum [1, 1] : tensor<f32> -> tensor<1x1xf32>
  %all = zyx.expand %one [4, 6] : tensor<1x1xf32> -> tensor<4x6xf32>
  %z1 = zyx.add %z, %all : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
  %a5 = zyx.assign %z, %z1 : tensor<4x6xf32>
  %turned = zyx.permute %q [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %q1 = zyx.add %q, %turned : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %a6 = zyx.assign %q, %q1 : tensor<4x4xf32>
  return
}
