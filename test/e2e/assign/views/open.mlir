// RT-A7: writes through chains of views whose bounds are sizes of the run: a part behind a shift, a
// turned part, and one that begins where another input says.
// RUN: zyxc verify --open %s | FileCheck %s
// CHECK: verified 4 outputs
func.func @main(%d: tensor<?x4xf32, #zyx.dims<"N + 2">> {zyx.name = "d"},
                %s: tensor<?xf32, #zyx.dims<"4 * N">>,
                %t: tensor<?xf32, #zyx.dims<"M + N">> {zyx.name = "t"}, %u: tensor<?xf32, #zyx.dims<"M">>,
                %f: tensor<?x?xf32, #zyx.dims<"N", "M">> {zyx.name = "f"})
    -> (tensor<?xf32, #zyx.dims<"M + N">> {zyx.name = "y"}) {
  %rows = zyx.narrow %d starts [1, 0] sizes ["N", 4] steps [1, 1] : tensor<?x4xf32, #zyx.dims<"N + 2">> -> tensor<?x4xf32, #zyx.dims<"N">>
  %flat = zyx.reshape %rows ["4 * N"] : tensor<?x4xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"4 * N">>
  %e = zyx.exp %s : tensor<?xf32, #zyx.dims<"4 * N">> -> tensor<?xf32, #zyx.dims<"4 * N">>
  %w = zyx.assign %flat, %e : tensor<?xf32, #zyx.dims<"4 * N">>

  %tail = zyx.narrow %t starts ["N"] sizes ["M"] steps [1] : tensor<?xf32, #zyx.dims<"M + N">> -> tensor<?xf32, #zyx.dims<"M">>
  %turned = zyx.flip %tail [0] : tensor<?xf32, #zyx.dims<"M">> -> tensor<?xf32, #zyx.dims<"M">>
  %w2 = zyx.assign %turned, %u : tensor<?xf32, #zyx.dims<"M">>
  %now = zyx.after %t, %w2 : tensor<?xf32, #zyx.dims<"M + N">>, tensor<?xf32, #zyx.dims<"M">>
  %y = zyx.neg %now : tensor<?xf32, #zyx.dims<"M + N">> -> tensor<?xf32, #zyx.dims<"M + N">>

  %swap = zyx.permute %f [1, 0] : tensor<?x?xf32, #zyx.dims<"N", "M">> -> tensor<?x?xf32, #zyx.dims<"M", "N">>
  %square = zyx.mul %swap, %swap : tensor<?x?xf32, #zyx.dims<"M", "N">>, tensor<?x?xf32, #zyx.dims<"M", "N">> -> tensor<?x?xf32, #zyx.dims<"M", "N">>
  %w3 = zyx.assign %swap, %square : tensor<?x?xf32, #zyx.dims<"M", "N">>
  return %y : tensor<?xf32, #zyx.dims<"M + N">>
}
