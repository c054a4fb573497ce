// Custom kernels as text, and what their verifier refuses.
// RUN: zyx-opt %s -split-input-file -verify-diagnostics | zyx-opt -split-input-file | FileCheck %s

// CHECK: zyx.custom_kernel @scale : (tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N">> like @plain gradient @backward cost {bytes = "8 * N", flops = 0 : i64} {
// CHECK-NEXT: zyx.host_source "scale_f32"
// CHECK-NEXT: zyx.ptx_source "scale" text ["one", "two"] grid ["floordiv(N + 255, 256)"] block [256]
// CHECK-NEXT: zyx.cuda_source "scale" text "code" grid [1, "N"] block ["N"] shared 1024
// CHECK-NEXT: zyx.spirv_source "main" file "sub/scale.spv" grid ["N", 1, 1]
zyx.custom_kernel @scale : (tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N">>
    like @plain gradient @backward cost {bytes = "8 * N", flops = 0} {
  zyx.host_source "scale_f32"
  zyx.ptx_source "scale" text ["one", "two"] grid ["floordiv(N + 255, 256)"] block [256]
  zyx.cuda_source "scale" text "code" grid [1, "N"] block ["N"] shared 1024
  zyx.spirv_source "main" file "sub/scale.spv" grid ["N", 1, 1]
}
func.func private @plain(%x: tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N">> {
  return %x : tensor<?xf32, #zyx.dims<"N">>
}
func.func private @backward(%x: tensor<?xf32, #zyx.dims<"N">>, %g: tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N">> {
  return %g : tensor<?xf32, #zyx.dims<"N">>
}
// CHECK-LABEL: func.func @uses
func.func @uses(%x: tensor<4xf32>, %y: tensor<?xf32, #zyx.dims<"2 * B">>) -> (tensor<4xf32>, tensor<?xf32, #zyx.dims<"2 * B">>) {
  // CHECK: zyx.custom @scale(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %a = zyx.custom @scale(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = zyx.custom @scale(%y) : (tensor<?xf32, #zyx.dims<"2 * B">>) -> tensor<?xf32, #zyx.dims<"2 * B">>
  return %a, %b : tensor<4xf32>, tensor<?xf32, #zyx.dims<"2 * B">>
}

// -----

// expected-error @+1 {{dim 'M' of type f32[M] is no axis of an operand, which would decide its value}}
zyx.custom_kernel @k : (tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"M">> {
  zyx.host_source "f"
}

// -----

// expected-error @+1 {{dim 'N' of type f32[2 * N] is no axis of an operand}}
zyx.custom_kernel @k : (tensor<?xf32, #zyx.dims<"2 * N">>) -> tensor<4xf32> {
  zyx.host_source "f"
}

// -----

// expected-error @+1 {{type tensor<?xf32> needs a size for each dynamic dim}}
zyx.custom_kernel @k : (tensor<?xf32>) -> tensor<4xf32> {
  zyx.host_source "f"
}

// -----

// expected-error @+1 {{has no result}}
zyx.custom_kernel @k : (tensor<4xf32>) -> () {
  zyx.host_source "f"
}

// -----

// expected-error @+1 {{cost has no 'seconds': give picoseconds, or bytes and flops}}
zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> cost {seconds = 1} {
  zyx.host_source "f"
}

// -----

// expected-error @+1 {{cost is picoseconds alone, or bytes and flops}}
zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> cost {picoseconds = 1, bytes = 4} {
  zyx.host_source "f"
}

// -----

// expected-error @+1 {{cost 'bytes' must be a number that is not negative, or a size as text}}
zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> cost {bytes = -4} {
  zyx.host_source "f"
}

// -----

// expected-error @+1 {{cost 'flops' must be a number that is not negative, or a size as text}}
zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> cost {flops = "2 *"} {
  zyx.host_source "f"
}

// -----

// expected-error @+1 {{the module has no func @f}}
zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> like @f {
  zyx.host_source "f"
}

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// expected-error @+1 {{func @f has type '(tensor<4xf32>) -> tensor<4xf32>'}}
zyx.custom_kernel @k : (tensor<4xf32>) -> tensor<4xf32> gradient @f {
  zyx.host_source "f"
}
