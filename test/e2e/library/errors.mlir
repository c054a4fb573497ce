// A plan with library kernels without its library: one line with the remedy, and the exit code.
// RUN: zyxc compile %s --blas auto --blas-when always -o %t.zyxp
// RUN: sh -c 'zyxc-run %t.zyxp; echo exit $?' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: zyxc-run: error: the plan calls cblas_sgemm of a BLAS library: name one with --blas PATH, or use the system's with --blas auto
// NONE-NEXT: exit 2
// RUN: sh -c 'zyxc-run %t.zyxp --blas no-such.so; echo exit $?' 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: zyxc-run: error: {{.*}}cannot open the library 'no-such.so'
// MISSING-NEXT: exit 3
// RUN: sh -c 'zyxc-run %t.zyxp --blas %build/test/unit/libzyxc-custom-kernels.so; echo exit $?' 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: zyxc-run: error: --blas={{.*}}: the library has no function 'cblas_sgemm', which kernel cblas_sgemm0_{{.*}} calls: name one with the C interface of BLAS
// OTHER-NEXT: exit 2
// RUN: not zyxc run %s --blas '' 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: --blas=: give a path, auto or off
// RUN: not zyxc run %s --blas-when never 2>&1 | FileCheck %s --check-prefix=WHEN
// WHEN: --blas-when=never: use cheaper or always
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = zyx.contract %x [0, 1], %x [1, 2] -> [0, 2] in f32 to f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
