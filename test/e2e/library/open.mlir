// Products whose sizes are open, by a BLAS library that refuses wrong arguments: at sizes 0 and 1,
// and at others.
// RUN: zyxc verify %s --open --blas %build/test/unit/libzyxc-reference-blas.so --blas-when always | FileCheck %s
// CHECK: all agree with the interpreter
// RUN: zyxc run %s --dim N=3,K=2 --plan --quiet --blas %build/test/unit/libzyxc-reference-blas.so --blas-when always | FileCheck %s --check-prefix=PLAN
// RUN: zyxc compile %s --blas auto --blas-when always -o %t.zyxp
// RUN: zyxc-run %t.zyxp --dim N=0,K=2 --blas %build/test/unit/libzyxc-reference-blas.so --quiet
// RUN: zyxc-run %t.zyxp --dim N=5,K=0 --blas %build/test/unit/libzyxc-reference-blas.so --quiet
// PLAN-COUNT-3: library cblas cblas_sgemm
func.func @main(%x: tensor<?x?xf32, #zyx.dims<"N", "K">>, %w: tensor<?x4xf32, #zyx.dims<"K">>, %b: tensor<3x?x?xf32, #zyx.dims<"K", "N">>)
    -> (tensor<?x4xf32, #zyx.dims<"N">>, tensor<?x?xf32, #zyx.dims<"N", "N">>, tensor<3x?x4xf32, #zyx.dims<"N">>) {
  %0 = zyx.contract %x [0, 1], %w [1, 2] -> [0, 2] in f32 to f32 : tensor<?x?xf32, #zyx.dims<"N", "K">>, tensor<?x4xf32, #zyx.dims<"K">> -> tensor<?x4xf32, #zyx.dims<"N">>
  %1 = zyx.contract %x [0, 1], %x [2, 1] -> [0, 2] in f32 to f32 : tensor<?x?xf32, #zyx.dims<"N", "K">>, tensor<?x?xf32, #zyx.dims<"N", "K">> -> tensor<?x?xf32, #zyx.dims<"N", "N">>
  %2 = zyx.contract %b [3, 1, 0], %w [1, 2] -> [3, 0, 2] in f32 to f32 : tensor<3x?x?xf32, #zyx.dims<"K", "N">>, tensor<?x4xf32, #zyx.dims<"K">> -> tensor<3x?x4xf32, #zyx.dims<"N">>
  return %0, %1, %2 : tensor<?x4xf32, #zyx.dims<"N">>, tensor<?x?xf32, #zyx.dims<"N", "N">>, tensor<3x?x4xf32, #zyx.dims<"N">>
}
