// Kernels of the user and writes to inputs: text and verifier.
// RUN: zyx-opt %s -split-input-file -verify-diagnostics | zyx-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @custom
func.func @custom(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  // CHECK: zyx.custom "my_op"(%{{.*}}) like @plain : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>)
  %r:2 = zyx.custom "my_op"(%x) like @plain : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>)
  // CHECK: zyx.custom "other"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %s = zyx.custom "other"(%r#0) : (tensor<4xf32>) -> tensor<4xf32>
  return %s, %r#1 : tensor<4xf32>, tensor<i64>
}
func.func private @plain(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  %n = zyx.constant dense<4> : tensor<i64>
  return %x, %n : tensor<4xf32>, tensor<i64>
}

// -----

// CHECK-LABEL: func.func @state
func.func @state(%cache: tensor<8x4xf32>, %row: tensor<1x4xf32>) -> tensor<8x4xf32> {
  // CHECK: zyx.assign %{{.*}}, %{{.*}} : tensor<1x4xf32>
  // CHECK: zyx.after %{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<1x4xf32>
  %part = zyx.narrow %cache starts [2, 0] sizes [1, 4] steps [1, 1] : tensor<8x4xf32> -> tensor<1x4xf32>
  %w = zyx.assign %part, %row : tensor<1x4xf32>
  %now = zyx.after %cache, %w : tensor<8x4xf32>, tensor<1x4xf32>
  return %now : tensor<8x4xf32>
}

// -----

func.func @no_input(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = zyx.exp %x : tensor<4xf32> -> tensor<4xf32>
  // expected-error @+1 {{the target must be an argument of the function, or a narrow, flip, permute or reshape of one}}
  %w = zyx.assign %e, %x : tensor<4xf32>
  return %w : tensor<4xf32>
}

// -----

func.func @other_input(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %w = zyx.assign %x, %y : tensor<4xf32>
  // expected-error @+1 {{reads no part of the input that the assign writes}}
  %a = zyx.after %y, %w : tensor<4xf32>, tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @no_write(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{needs the result of a zyx.assign}}
  %a = zyx.after %x, %x : tensor<4xf32>, tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @no_kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the module has no zyxk.kernel @softmax}}
  %a = zyx.kernel @softmax(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<2xf32>
func.func @other_type(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{func @f has type '(tensor<4xf32>) -> tensor<2xf32>'}}
  %a = zyx.custom "g"(%x) like @f : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
