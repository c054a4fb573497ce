// RUN: zyx-opt %s -zyx-canonical-module -verify-diagnostics -split-input-file
// A model is one function of zyx ops on tensors; the first violation is one error.

func.func @model(%x: tensor<2xf32> {zyx.name = "x"}, %y: tensor<2xf32> {zyx.name = "y"}) -> (tensor<2xf32> {zyx.name = "x"}) {
  %0 = zyx.add %x, %y : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// expected-error@below {{the module holds no function; a model is one function}}
module {
}

// -----

func.func @one() {
  return
}
// expected-error@below {{a second function, @two; a model is one function}}
func.func @two() {
  return
}

// -----

// expected-error@below {{'zyx.iota' beside the function of the model}}
%0 = zyx.iota [2] axis 0 to i64 -> tensor<2xi64>

// -----

// expected-error@below {{@declared must have one block}}
func.func private @declared()

// -----

// expected-error@below {{input 1: type tensor<?xf32> needs a size for each dynamic dim}}
func.func @dynamic(%x: tensor<2xf32>, %y: tensor<?xf32>) {
  return
}

// -----

// expected-error@below {{input 0: type index is not a ranked tensor}}
func.func @index(%x: index) {
  return
}

// -----

// expected-error@below {{output 0: type tensor<2xi7> has an element type that is not supported}}
func.func @seven() -> tensor<2xi7> {
  %0 = arith.constant dense<1> : tensor<2xi7>
  return %0 : tensor<2xi7>
}

// -----

// expected-error@below {{input 0: zyx.name must be a string, is 7 : i64}}
func.func @number(%x: tensor<2xf32> {zyx.name = 7}) {
  return
}

// -----

// expected-error@below {{input 1: the name "x" is used twice}}
func.func @twice(%x: tensor<2xf32> {zyx.name = "x"}, %y: tensor<2xf32> {zyx.name = "x"}) {
  return
}

// -----

func.func @foreign(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{'arith.addf' is no zyx op; a model holds nothing else}}
  %0 = arith.addf %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
