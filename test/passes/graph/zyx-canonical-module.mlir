// RUN: zyx-opt %s -zyx-canonical-module -verify-diagnostics -split-input-file
// A model is one public function of zyx ops on tensors, with decompositions and kernels beside it;
// the first violation is one error.

func.func @model(%x: tensor<2xf32> {zyx.name = "x"}, %y: tensor<2xf32> {zyx.name = "y"}) -> (tensor<2xf32> {zyx.name = "x"}) {
  %0 = zyx.add %x, %y : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// expected-error@below {{the module holds no public function; a model is one}}
module {
}

// -----

func.func @one() {
  return
}
// expected-error@below {{a second public function, @two; a model is one, decompositions are private}}
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

// -----

func.func private @plain(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @beside(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = zyx.custom "lib"(%x) like @plain : (tensor<2xf32>) -> tensor<2xf32>
  %1 = zyx.if %c : (tensor<i1>) -> tensor<2xf32> {
    %k = zyx.kernel @copy(%0) : (tensor<2xf32>) -> tensor<2xf32>
    zyx.yield %k : tensor<2xf32>
  } else {
    %w = zyx.assign %x, %0 : tensor<2xf32>
    zyx.yield %w : tensor<2xf32>
  }
  return %1 : tensor<2xf32>
}
zyxk.kernel @copy dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(i < N) {
  %a = load %x[i] : f32
  store %a, %y[i] : f32
}

// -----

func.func @foreign_in_region(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = zyx.if %c : (tensor<i1>) -> tensor<2xf32> {
    // expected-error@below {{'arith.addf' is no zyx op; a model holds nothing else}}
    %1 = arith.addf %x, %x : tensor<2xf32>
    zyx.yield %1 : tensor<2xf32>
  } else {
    zyx.yield %x : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func private @foreign_beside(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{'arith.addf' is no zyx op; a model holds nothing else}}
  %0 = arith.addf %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// expected-error@below {{the module holds no public function; a model is one}}
module {
  func.func private @alone(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
}
