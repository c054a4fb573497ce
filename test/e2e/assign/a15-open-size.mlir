// KZ-T-A15: the size of what is written is one of the run. An addition in place, and the rest of a
// buffer turned around.
// RUN: zyxc verify --open %s | FileCheck %s
// RUN: zyxc compile %s -o %t.zyxp
// RUN: zyxc-run %t.zyxp --dim N=3 | FileCheck %s --check-prefix=SAVED
// RUN: zyxc-run %t.zyxp --dim N=1 | FileCheck %s --check-prefix=ONE
// CHECK: verified {{[0-9]+}} outputs
// SAVED: f32[3]
// ONE: f32[1]
func.func @main(%d: tensor<?xf32, #zyx.dims<"N">>, %s: tensor<?xf32, #zyx.dims<"N">>,
                %f: tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N">> {
  %x = zyx.add %d, %s : tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"N">>
  %w = zyx.assign %d, %x : tensor<?xf32, #zyx.dims<"N">>
  %a = zyx.after %d, %w : tensor<?xf32, #zyx.dims<"N">>, tensor<?xf32, #zyx.dims<"N">>
  %b = zyx.flip %f [0] : tensor<?xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"N">>
  %w2 = zyx.assign %f, %b : tensor<?xf32, #zyx.dims<"N">>
  return %a : tensor<?xf32, #zyx.dims<"N">>
}
