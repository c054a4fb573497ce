// RUN: zyx-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{size 'N * 2' must be written as '2 * N'}}
func.func @order(%x: tensor<?xf32, #zyx.dims<"N * 2">>) { return }

// -----

// expected-error @+1 {{size '8' is a number: write it into the shape}}
func.func @number(%x: tensor<?xf32, #zyx.dims<"8">>) { return }

// -----

// expected-error @+1 {{an operator is expected at character 3}}
func.func @text(%x: tensor<?xf32, #zyx.dims<"N M">>) { return }

// -----

func.func @differ(%x: tensor<?xf32, #zyx.dims<"N">>, %y: tensor<?xf32, #zyx.dims<"M">>) {
  // expected-error @+1 {{operand types f32[N] and f32[M] differ}}
  %0 = zyx.add %x, %y : tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"M">> -> tensor<?xf32, #zyx.dims<"N">>
  return
}

// -----

func.func @bare(%x: tensor<?xf32>) {
  // expected-error @+1 {{needs a size for each dynamic dim}}
  %0 = zyx.neg %x : tensor<?xf32> -> tensor<?xf32>
  return
}

// -----

func.func @elements(%x: tensor<?x4xf32, #zyx.dims<"N">>) {
  // expected-error @+1 {{f32[N,4] has 4 * N elements, shape [2 * N] has 2 * N}}
  %0 = zyx.reshape %x ["2 * N"] : tensor<?x4xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"2 * N">>
  return
}

// -----

func.func @beyond(%x: tensor<?xf32, #zyx.dims<"N">>) {
  // expected-error @+1 {{start 1 with N elements by step 1 leaves axis 0 of f32[N]}}
  %0 = zyx.narrow %x starts [1] sizes ["N"] steps [1] : tensor<?xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"N">>
  return
}
