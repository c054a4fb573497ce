// Uses of custom kernels fit their declarations; decompositions are made for the sizes of each.
// RUN: zyx-opt %s -split-input-file -verify-diagnostics -zyx-instantiate-custom | FileCheck %s

zyx.custom_kernel @cut : (tensor<?x?xf32, #zyx.dims<"N", "M">>, tensor<?xf32, #zyx.dims<"2 * N + 1">>) -> (tensor<?xf32, #zyx.dims<"M * N">>, tensor<i64>) like @plain {
  zyx.host_source "f"
}
func.func private @plain(%x: tensor<?x?xf32, #zyx.dims<"N", "M">>, %y: tensor<?xf32, #zyx.dims<"2 * N + 1">>) -> (tensor<?xf32, #zyx.dims<"M * N">>, tensor<i64>) {
  %n = zyx.variable "N" -> tensor<i64>
  %r = zyx.reshape %x ["M * N"] : tensor<?x?xf32, #zyx.dims<"N", "M">> -> tensor<?xf32, #zyx.dims<"M * N">>
  return %r, %n : tensor<?xf32, #zyx.dims<"M * N">>, tensor<i64>
}
// The names of the declaration are no variables of the model, though they may be called the same.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<3x2xf32>, %y: tensor<7xf32>, %z: tensor<?x?xf32, #zyx.dims<"M", "N">>, %w: tensor<?xf32, #zyx.dims<"2 * M + 1">>)
    -> (tensor<6xf32>, tensor<6xf32>, tensor<?xf32, #zyx.dims<"M * N">>) {
  // CHECK: zyx.custom @cut(%{{.*}}) like @[[STATIC:[a-z_0-9]+]] : (tensor<3x2xf32>, tensor<7xf32>)
  // CHECK: zyx.custom @cut(%{{.*}}) like @[[STATIC]] :
  // CHECK: zyx.custom @cut(%{{.*}}) like @[[OPEN:[a-z_0-9]+]] :
  %a:2 = zyx.custom @cut(%x, %y) : (tensor<3x2xf32>, tensor<7xf32>) -> (tensor<6xf32>, tensor<i64>)
  %b:2 = zyx.custom @cut(%x, %y) : (tensor<3x2xf32>, tensor<7xf32>) -> (tensor<6xf32>, tensor<i64>)
  %c:2 = zyx.custom @cut(%z, %w) : (tensor<?x?xf32, #zyx.dims<"M", "N">>, tensor<?xf32, #zyx.dims<"2 * M + 1">>) -> (tensor<?xf32, #zyx.dims<"M * N">>, tensor<i64>)
  return %a#0, %b#0, %c#0 : tensor<6xf32>, tensor<6xf32>, tensor<?xf32, #zyx.dims<"M * N">>
}
// CHECK-DAG: func.func private @[[STATIC]](%{{.*}}: tensor<3x2xf32>, %{{.*}}: tensor<7xf32>) -> (tensor<6xf32>, tensor<i64>)
// CHECK-DAG: zyx.constant dense<3> : tensor<i64>
// CHECK-DAG: func.func private @[[OPEN]](%{{.*}}: tensor<?x?xf32, #zyx.dims<"M", "N">>, %{{.*}}: tensor<?xf32, #zyx.dims<"2 * M + 1">>)
// CHECK-DAG: zyx.variable "M"

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the module has no zyx.custom_kernel @k}}
  %a = zyx.custom @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

zyx.custom_kernel @k : (tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N">> {
  zyx.host_source "f"
}
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{operand 1 of kernel @k is f32[5], but it takes f32[N]}}
  %a = zyx.custom @k(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

zyx.custom_kernel @k : (tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N">> {
  zyx.host_source "f"
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{kernel @k takes 1 operands, not 2}}
  %a = zyx.custom @k(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

zyx.custom_kernel @k : (tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"2 * N">> {
  zyx.host_source "f"
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{result 0 of kernel @k is 'tensor<8xf32>' here, not 'tensor<4xf32>'}}
  %a = zyx.custom @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

zyx.custom_kernel @k : (tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N">> {
  zyx.host_source "f"
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{kernel @k has 1 results, not 2}}
  %a:2 = zyx.custom @k(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %a#0 : tensor<4xf32>
}
