// A model with a custom kernel: exp(2 * x) and x * x (docs/custom-kernels.md).
zyx.custom_kernel @twice
    : (tensor<?xf32, #zyx.dims<"N">>)
    -> (tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">>)
    like @twice_plain cost {bytes = "12 * N"} {
  zyx.host_source "twice_f32"
  zyx.ptx_source "twice" file "twice.ptx" grid ["floordiv(N + 127, 128)"] block [128]
  zyx.spirv_source "twice" file "twice.spvasm" grid ["floordiv(N + 63, 64)"]
}
func.func private @twice_plain(%x: tensor<?xf32, #zyx.dims<"N">>)
    -> (tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">>) {
  %y = zyx.add %x, %x : tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"N">>
  %z = zyx.mul %x, %x : tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"N">>
  return %y, %z : tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">>
}
func.func @main(%x: tensor<?xf32, #zyx.dims<"LENGTH">> {zyx.name = "x"})
    -> (tensor<?xf32, #zyx.dims<"LENGTH">> {zyx.name = "y"}, tensor<?xf32, #zyx.dims<"LENGTH">> {zyx.name = "z"}) {
  %r:2 = zyx.custom @twice(%x) : (tensor<?xf32, #zyx.dims<"LENGTH">>)
      -> (tensor<?xf32, #zyx.dims<"LENGTH">>, tensor<?xf32, #zyx.dims<"LENGTH">>)
  %y = zyx.exp %r#0 : tensor<?xf32, #zyx.dims<"LENGTH">> -> tensor<?xf32, #zyx.dims<"LENGTH">>
  return %y, %r#1 : tensor<?xf32, #zyx.dims<"LENGTH">>, tensor<?xf32, #zyx.dims<"LENGTH">>
}
