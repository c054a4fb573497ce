// RUN: zyx-opt %s -canonicalize -verify-diagnostics -split-input-file
// IR that no custom form can express, and types that the dialect refuses: one error each.

// expected-error@below {{'zyx.constant' op requires attribute 'value'}}
%0 = "zyx.constant"() : () -> tensor<2xf32>

// -----

%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@below {{'zyx.permute' op requires attribute 'perm'}}
%0 = "zyx.permute"(%x) : (tensor<2xf32>) -> tensor<2xf32>

// -----

%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@below {{'zyx.permute' op attribute 'perm' failed to satisfy constraint: i64 dense array attribute}}
%0 = "zyx.permute"(%x) {perm = [0]} : (tensor<2xf32>) -> tensor<2xf32>

// -----

func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@below {{neg: type tensor<?xf32> needs a size for each dynamic dim}}
  %0 = zyx.neg %x : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error@below {{constant: type vector<2xf32> is not a ranked tensor}}
%0 = zyx.constant dense<1.0> : vector<2xf32>

// -----

func.func @seven(%x: tensor<2xi7>) {
  // expected-error@below {{'zyx.neg' op operand #0 must be tensor of}}
  %0 = zyx.neg %x : tensor<2xi7> -> tensor<2xi7>
  return
}

// -----

%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@below {{custom op 'zyx.bogus' is unknown}}
%0 = zyx.bogus %x : tensor<2xf32> -> tensor<2xf32>

// -----

// A sparse value is no dense constant; nothing folds through it, and nothing aborts.
%0 = zyx.constant sparse<[[0]], [1.0]> : tensor<100xf32>
%1 = zyx.reshape %0 [10, 10] : tensor<100xf32> -> tensor<10x10xf32>
