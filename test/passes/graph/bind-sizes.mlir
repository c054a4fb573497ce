// RUN: zyx-opt %s --zyx-bind-sizes=sizes=N=3 | FileCheck %s
// RUN: zyx-opt %s --zyx-bind-sizes=sizes=N=3,M=2 | FileCheck %s --check-prefix=ALL
// RUN: not zyx-opt %s --zyx-bind-sizes=sizes=K=3 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not zyx-opt %s --zyx-bind-sizes=sizes=N=-1 2>&1 | FileCheck %s --check-prefix=SIGN

// NAME: the model has no dim 'K'; its dims without a size are M, N
// SIGN: dim 'N' cannot be -1

// CHECK: @f(%{{.*}}: tensor<3x?xf32, #zyx.dims<"M">>) -> (tensor<?xf32, #zyx.dims<"3 * M">>, tensor<i64>)
// CHECK: zyx.reshape %{{.*}} ["3 * M"]
// CHECK: zyx.variable "M + 3"
// ALL: @f(%{{.*}}: tensor<3x2xf32>) -> (tensor<6xf32>, tensor<i64>)
// ALL: zyx.reshape %{{.*}} [6] : tensor<3x2xf32> -> tensor<6xf32>
// ALL: zyx.constant dense<5>
func.func @f(%x: tensor<?x?xf32, #zyx.dims<"N", "M">>) -> (tensor<?xf32, #zyx.dims<"M * N">>, tensor<i64>) {
  %0 = zyx.reshape %x ["M * N"] : tensor<?x?xf32, #zyx.dims<"N", "M">> -> tensor<?xf32, #zyx.dims<"M * N">>
  %1 = zyx.variable "M + N" -> tensor<i64>
  return %0, %1 : tensor<?xf32, #zyx.dims<"M * N">>, tensor<i64>
}
