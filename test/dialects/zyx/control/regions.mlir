// Ops with regions: text and verifier.
// RUN: zyx-opt %s -split-input-file -verify-diagnostics | zyx-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @branch
func.func @branch(%c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) {
  // CHECK: %{{.*}}:2 = zyx.if %{{.*}} : (tensor<i1>) -> (tensor<4xf32>, tensor<4xi1>) {
  // CHECK: zyx.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xi1>
  // CHECK: } else {
  %r:2 = zyx.if %c : (tensor<i1>) -> (tensor<4xf32>, tensor<4xi1>) {
    %e = zyx.exp %x : tensor<4xf32> -> tensor<4xf32>
    %l = zyx.lt %e, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
    zyx.yield %e, %l : tensor<4xf32>, tensor<4xi1>
  } else {
    %l = zyx.lt %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
    zyx.yield %x, %l : tensor<4xf32>, tensor<4xi1>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi1>
}

// -----

// CHECK-LABEL: func.func @powers
func.func @powers(%go: tensor<i1>, %x: tensor<?xf32, #zyx.dims<"N">>)
    -> (tensor<?xf32, #zyx.dims<"N">>, tensor<?x?xf32, #zyx.dims<"M + 1", "N">>) {
  // CHECK: zyx.loop limit ["M + 1"] while %{{.*}} carry %{{.*}} : (tensor<i1>,
  // CHECK: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<?xf32, #zyx.dims<"N">>):
  %r:2 = zyx.loop limit ["M + 1"] while %go carry %x
      : (tensor<i1>, tensor<?xf32, #zyx.dims<"N">>)
      -> (tensor<?xf32, #zyx.dims<"N">>, tensor<?x?xf32, #zyx.dims<"M + 1", "N">>) {
  ^bb0(%i: tensor<i64>, %p: tensor<?xf32, #zyx.dims<"N">>):
    %q = zyx.mul %p, %x : tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"N">>
    zyx.yield %go, %q, %p : tensor<i1>, tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">>
  }
  return %r#0, %r#1 : tensor<?xf32, #zyx.dims<"N">>, tensor<?x?xf32, #zyx.dims<"M + 1", "N">>
}

// -----

// CHECK-LABEL: func.func @without_values
func.func @without_values(%go: tensor<i1>) {
  // CHECK: zyx.loop limit [3] while %{{.*}} : (tensor<i1>) -> () {
  zyx.loop limit [3] while %go : (tensor<i1>) -> () {
  ^bb0(%i: tensor<i64>):
    zyx.yield %go : tensor<i1>
  }
  return
}

// -----

func.func @condition(%c: tensor<2xi1>) {
  // expected-error @+1 {{the condition is 'tensor<2xi1>', not tensor<i1>}}
  zyx.if %c : (tensor<2xi1>) -> () {
    zyx.yield
  } else {
    zyx.yield
  }
  return
}

// -----

func.func @branches(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{a region yields (), needed are ('tensor<4xf32>')}}
  %r = zyx.if %c : (tensor<i1>) -> tensor<4xf32> {
    zyx.yield %x : tensor<4xf32>
  } else {
    zyx.yield
  }
  return %r : tensor<4xf32>
}

// -----

func.func @counter(%c: tensor<i1>) {
  // expected-error @+1 {{the region takes ('tensor<i32>'), needed are ('tensor<i64>')}}
  zyx.loop limit [3] while %c : (tensor<i1>) -> () {
  ^bb0(%i: tensor<i32>):
    zyx.yield %c : tensor<i1>
  }
  return
}

// -----

func.func @carried(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the region carries ('tensor<i1>'), needed are ('tensor<4xf32>')}}
  %r = zyx.loop limit [3] while %c carry %x : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<4xf32>):
    zyx.yield %c, %c : tensor<i1>, tensor<i1>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @collected(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{the results are ('tensor<4x4xf32>'), needed are ('tensor<3x4xf32>')}}
  %r = zyx.loop limit [3] while %c : (tensor<i1>) -> tensor<4x4xf32> {
  ^bb0(%i: tensor<i64>):
    zyx.yield %c, %x : tensor<i1>, tensor<4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

func.func @limit(%c: tensor<i1>) {
  // expected-error @+1 {{the limit is -3, not 0 to 281474976710656}}
  zyx.loop limit [-3] while %c : (tensor<i1>) -> () {
  ^bb0(%i: tensor<i64>):
    zyx.yield %c : tensor<i1>
  }
  return
}

// -----

func.func @alone(%c: tensor<i1>) -> tensor<i1> {
  // expected-error @+1 {{expects parent op to be one of}}
  zyx.yield %c : tensor<i1>
}
