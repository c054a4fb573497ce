// Regions that run for sure become the ops in them; loops that never run become their inits.
// RUN: zyx-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @taken
func.func @taken(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NOT: zyx.if
  // CHECK: %[[E:.*]] = zyx.exp
  // CHECK: %[[N:.*]] = zyx.neg
  // CHECK: return %[[E]], %[[N]]
  %yes = zyx.constant dense<true> : tensor<i1>
  %no = zyx.constant dense<false> : tensor<i1>
  %a = zyx.if %yes : (tensor<i1>) -> tensor<4xf32> {
    %e = zyx.exp %x : tensor<4xf32> -> tensor<4xf32>
    zyx.yield %e : tensor<4xf32>
  } else {
    zyx.yield %x : tensor<4xf32>
  }
  %b = zyx.if %no : (tensor<i1>) -> tensor<4xf32> {
    zyx.yield %x : tensor<4xf32>
  } else {
    %n = zyx.neg %x : tensor<4xf32> -> tensor<4xf32>
    zyx.yield %n : tensor<4xf32>
  }
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// A condition from outside decides a nested if, too.
// CHECK-LABEL: func.func @nested
func.func @nested(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: zyx.if
  // CHECK-NOT: zyx.if
  // CHECK: return
  %yes = zyx.constant dense<true> : tensor<i1>
  %a = zyx.if %c : (tensor<i1>) -> tensor<4xf32> {
    %b = zyx.if %yes : (tensor<i1>) -> tensor<4xf32> {
      %e = zyx.exp %x : tensor<4xf32> -> tensor<4xf32>
      zyx.yield %e : tensor<4xf32>
    } else {
      zyx.yield %x : tensor<4xf32>
    }
    zyx.yield %b : tensor<4xf32>
  } else {
    zyx.yield %x : tensor<4xf32>
  }
  return %a : tensor<4xf32>
}

// CHECK-LABEL: func.func @never
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?xf32, #zyx.dims<"N">>)
func.func @never(%c: tensor<i1>, %x: tensor<?xf32, #zyx.dims<"N">>)
    -> (tensor<?xf32, #zyx.dims<"N">>, tensor<?x?xf32, #zyx.dims<"M", "N">>, tensor<0xi64>) {
  // CHECK-NOT: zyx.loop
  // CHECK: %[[ROWS:.*]] = zyx.expand %{{.*}} ["M", "N"] : tensor<1x1xf32>
  // CHECK: return %[[X]], %[[ROWS]], %{{.*}} :
  %no = zyx.constant dense<false> : tensor<i1>
  %a:2 = zyx.loop limit ["M"] while %no carry %x
      : (tensor<i1>, tensor<?xf32, #zyx.dims<"N">>)
      -> (tensor<?xf32, #zyx.dims<"N">>, tensor<?x?xf32, #zyx.dims<"M", "N">>) {
  ^bb0(%i: tensor<i64>, %p: tensor<?xf32, #zyx.dims<"N">>):
    %q = zyx.mul %p, %x : tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"N">>
    zyx.yield %c, %q, %p : tensor<i1>, tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">>
  }
  %b = zyx.loop limit [0] while %c : (tensor<i1>) -> tensor<0xi64> {
  ^bb0(%i: tensor<i64>):
    zyx.yield %c, %i : tensor<i1>, tensor<i64>
  }
  return %a#0, %a#1, %b : tensor<?xf32, #zyx.dims<"N">>, tensor<?x?xf32, #zyx.dims<"M", "N">>, tensor<0xi64>
}

// Conditions that only the run tells stay, and so do loops that run.
// CHECK-LABEL: func.func @stays
func.func @stays(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: zyx.if
  // CHECK: zyx.loop limit [1]
  %a = zyx.if %c : (tensor<i1>) -> tensor<4xf32> {
    zyx.yield %x : tensor<4xf32>
  } else {
    %n = zyx.neg %x : tensor<4xf32> -> tensor<4xf32>
    zyx.yield %n : tensor<4xf32>
  }
  %b = zyx.loop limit [1] while %c carry %a : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<4xf32>):
    %e = zyx.exp %p : tensor<4xf32> -> tensor<4xf32>
    zyx.yield %c, %e : tensor<i1>, tensor<4xf32>
  }
  return %b : tensor<4xf32>
}
