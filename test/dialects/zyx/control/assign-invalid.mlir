// What a write must not be to: tensors without memory of their own, views with one place for several
// elements, values of another type.
// RUN: zyx-opt %s -split-input-file -verify-diagnostics
// KZ-T-A17, RT-A9: a tensor that is filled with one number has no memory that could be written.
func.func @filled(%v: tensor<2xf32>) {
  %full = zyx.constant dense<0.0> : tensor<4xf32>
  %part = zyx.narrow %full starts [0] sizes [2] steps [1] : tensor<4xf32> -> tensor<2xf32>
  // expected-error @+1 {{the target must be an argument of the function}}
  %w = zyx.assign %part, %v : tensor<2xf32>
  return
}

// -----

// RT-A10: neither does one that is computed, and stored.
func.func @stored(%x: tensor<4xf32>, %v: tensor<4xf32>) {
  %c = zyx.contiguous %x : tensor<4xf32> -> tensor<4xf32>
  // expected-error @+1 {{the target must be an argument of the function}}
  %w = zyx.assign %c, %v : tensor<4xf32>
  return
}

// -----

// KZ-T-A18: a copy to a device is a value, too.
func.func @moved(%x: tensor<4xf32>, %v: tensor<4xf32>) {
  %c = zyx.to_device %x "cpu" : tensor<4xf32> -> tensor<4xf32>
  // expected-error @+1 {{the target must be an argument of the function}}
  %w = zyx.assign %c, %v : tensor<4xf32>
  return
}

// -----

// RT-A17: several elements of these views would be one in memory, or none.
func.func @expanded(%d: tensor<4x1xf32>, %v: tensor<4x8xf32>) {
  %wide = zyx.expand %d [4, 8] : tensor<4x1xf32> -> tensor<4x8xf32>
  // expected-error @+1 {{the target must be an argument of the function}}
  %w = zyx.assign %wide, %v : tensor<4x8xf32>
  return
}

// -----

// RT-A17
func.func @padded(%d: tensor<4xf32>, %v: tensor<6xf32>) {
  %zero = zyx.constant dense<0.0> : tensor<f32>
  %wide = zyx.pad %d, %zero low [1] high [1] : tensor<4xf32>, tensor<f32> -> tensor<6xf32>
  // expected-error @+1 {{the target must be an argument of the function}}
  %w = zyx.assign %wide, %v : tensor<6xf32>
  return
}

// -----

// RT-A14: target and value have one dtype.
func.func @other_dtype(%d: tensor<4xf32>, %v: tensor<4xi32>) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{use of value '%v' expects different type than prior uses: 'tensor<4xf32>' vs 'tensor<4xi32>'}}
  %w = zyx.assign %d, %v : tensor<4xf32>
  return
}

// -----

// RT-A15: sizes that are not known to be equal, though they may be.
func.func @other_size(%d: tensor<4xf32>, %v: tensor<?xf32, #zyx.dims<"N">>) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{use of value '%v' expects different type than prior uses}}
  %w = zyx.assign %d, %v : tensor<4xf32>
  return
}

// -----

// RT-A15
func.func @other_variable(%d: tensor<?xf32, #zyx.dims<"N">>, %v: tensor<?xf32, #zyx.dims<"M">>) {
  // expected-error @+1 {{all of {target, value, result} have same type}}
  %w = "zyx.assign"(%d, %v) : (tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"M">>) -> tensor<?xf32, #zyx.dims<"N">>
  return
}
