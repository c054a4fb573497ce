// What sources of custom kernels are refused for.
// RUN: zyx-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{has no source}}
zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> {
}

// -----

zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> {
  zyx.host_source "f"
  // expected-error @+1 {{is the second source of its kind}}
  zyx.host_source "g"
}

// -----

zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{is no source of a custom kernel}}
  %0 = zyx.constant dense<1.0> : tensor<2xf32>
}

// -----

zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'a b' is no name of a function}}
  zyx.host_source "a b"
}

// -----

// expected-error @+1 {{'zyx.host_source' op expects parent op 'zyx.custom_kernel'}}
zyx.host_source "f"

// -----

zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{give its code as text or as file, one of them}}
  zyx.ptx_source "k" grid [1] block [1]
}

// -----

zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{give its code as text or as file, one of them}}
  zyx.spirv_source "k" text "a" file "b" grid [1]
}

// -----

zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{file '../secret' must be a path below the folder of the module}}
  zyx.spirv_source "k" file "../secret" grid [1]
}

// -----

zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{grid has 1 to 3 sizes}}
  zyx.spirv_source "k" file "a" grid [1, 1, 1, 1]
}

// -----

zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{a block of 1025 threads: it has 1 to 1024}}
  zyx.ptx_source "k" file "a" grid [1] block [1025]
}

// -----

zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{-4 bytes of shared memory}}
  zyx.cuda_source "k" file "a" grid [1] block [1] shared -4
}

// -----

zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{dim 'N' of grid is no axis of an operand}}
  zyx.spirv_source "k" file "a" grid ["N"]
}

// -----

zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{dim 'N' of block is no axis of an operand}}
  zyx.ptx_source "k" file "a" grid [1] block ["N"]
}

