// One plan for all sizes gives what the interpreter gives at each.
// RUN: zyxc compile %s -o %t.zyxp --target=cpu --target=cpu:x86-64-v3
// RUN: sh -c 'for n in 0 1 3 17; do for m in 1 2 64; do zyxc run %s --target=interp --dim N=$n,M=$m --quiet --output out0=@%t.0.npy --output out1=@%t.1.npy --output out2=@%t.2.npy --output out3=@%t.3.npy || exit 1; for target in cpu cpu:x86-64-v3; do zyxc-run %t.zyxp --dim N=$n,M=$m --target=$target --quiet --expect out0=@%t.0.npy --expect out1=@%t.1.npy --expect out2=@%t.2.npy --expect out3=@%t.3.npy || exit 1; done; done; done' | FileCheck %s
// CHECK-COUNT-96: as expected
// RUN: zyxc verify %s --dim N=5,M=6 | FileCheck %s --check-prefix=VERIFY
// VERIFY: verified 4 outputs
func.func @main(%x: tensor<?x8xf32, #zyx.dims<"N">>, %y: tensor<?x8xf32, #zyx.dims<"M">>, %w: tensor<8x10xf32>)
    -> (tensor<?x10xf32, #zyx.dims<"M + N">>, tensor<?x?xf32, #zyx.dims<"N", "M">>, tensor<?xf32, #zyx.dims<"8 * N">>, tensor<?x8xf32, #zyx.dims<"N">>) {
  %0 = zyx.exp %x : tensor<?x8xf32, #zyx.dims<"N">> -> tensor<?x8xf32, #zyx.dims<"N">>
  %1 = zyx.tanh %y : tensor<?x8xf32, #zyx.dims<"M">> -> tensor<?x8xf32, #zyx.dims<"M">>
  %2 = zyx.concat %0, %1 axis 0 : tensor<?x8xf32, #zyx.dims<"N">>, tensor<?x8xf32, #zyx.dims<"M">> -> tensor<?x8xf32, #zyx.dims<"M + N">>
  %3 = zyx.matmul %2, %w : tensor<?x8xf32, #zyx.dims<"M + N">>, tensor<8x10xf32> -> tensor<?x10xf32, #zyx.dims<"M + N">>
  %4 = zyx.permute %y [1, 0] : tensor<?x8xf32, #zyx.dims<"M">> -> tensor<8x?xf32, #zyx.dims<"M">>
  %5 = zyx.matmul %x, %4 : tensor<?x8xf32, #zyx.dims<"N">>, tensor<8x?xf32, #zyx.dims<"M">> -> tensor<?x?xf32, #zyx.dims<"N", "M">>
  %6 = zyx.softmax %5 over [1] : tensor<?x?xf32, #zyx.dims<"N", "M">> -> tensor<?x?xf32, #zyx.dims<"N", "M">>
  %7 = zyx.reshape %0 ["8 * N"] : tensor<?x8xf32, #zyx.dims<"N">> -> tensor<?xf32, #zyx.dims<"8 * N">>
  return %3, %6, %7, %0 : tensor<?x10xf32, #zyx.dims<"M + N">>, tensor<?x?xf32, #zyx.dims<"N", "M">>, tensor<?xf32, #zyx.dims<"8 * N">>, tensor<?x8xf32, #zyx.dims<"N">>
}
