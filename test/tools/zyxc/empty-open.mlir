// Values without elements, whatever their open dims are, and what is made of them.
// RUN: zyxc compile %s -o %t.zyxp
// RUN: zyxc verify %s --open | FileCheck %s
// CHECK: all agree
// RUN: sh -c 'for n in 0 1 3; do zyxc run %s --target=interp --dim N=$n --quiet --output out0=@%t.npy && zyxc-run %t.zyxp --dim N=$n --quiet --expect out0=@%t.npy || exit 1; done' | FileCheck %s --check-prefix=PLAN
// PLAN-COUNT-3: as expected
func.func @main(%x: tensor<?x5x0xbf16, #zyx.dims<"N">>) -> tensor<?x5x1xbf16, #zyx.dims<"N">> {
  %0 = zyx.max_pool %x sizes [2] strides [1] low [1] high [1] dilations [1] : tensor<?x5x0xbf16, #zyx.dims<"N">> -> tensor<?x5x1xbf16, #zyx.dims<"N">>
  return %0 : tensor<?x5x1xbf16, #zyx.dims<"N">>
}
