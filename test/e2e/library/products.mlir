// Matrix products by a BLAS library, a slow and strict one: each form that is offered, compared with
// the interpreter.
// RUN: zyxc verify %s --blas %build/test/unit/libzyxc-reference-blas.so --blas-when always | FileCheck %s --check-prefix=VERIFIED
// VERIFIED: verified 9 outputs
// RUN: zyxc run %s --blas %build/test/unit/libzyxc-reference-blas.so --blas-when always --plan --quiet | FileCheck %s
// RUN: zyxc compile %s --blas auto --blas-when always -o %t.zyxp
// RUN: zyxc inspect %t.zyxp | FileCheck %s --check-prefix=INSPECT
// RUN: zyxc inspect --json %t.zyxp | FileCheck %s --check-prefix=JSON
// INSPECT: needs cblas_dgemm of a BLAS library: --blas auto, or its PATH
// INSPECT-NEXT: needs cblas_sgemm of a BLAS library
// INSPECT-NEXT: needs cblas_sgemv of a BLAS library
// JSON: "libraries": {
// JSON-NEXT: "cblas": [
// JSON-NEXT: "cblas_dgemm",
// RUN: zyxc-run %t.zyxp --blas %build/test/unit/libzyxc-reference-blas.so --quiet | FileCheck %s --check-prefix=RAN
// RAN: load: {{.*}} launches

// The results' tasks are parts of them: the plan does not depend on threads.
// RUN: zyxc run %s --threads 1 --blas %build/test/unit/libzyxc-reference-blas.so --blas-when always --output big=@%t.one.npy --quiet
// RUN: zyxc run %s --threads 3 --blas %build/test/unit/libzyxc-reference-blas.so --blas-when always --expect big=@%t.one.npy --rtol 0 --atol 0 --quiet

// CHECK-DAG: kernel cblas_sgemm{{.*}} library cblas cblas_sgemm
// CHECK-DAG: kernel cblas_dgemm{{.*}} library cblas cblas_dgemm
// CHECK-DAG: kernel cblas_sgemv{{.*}} library cblas cblas_sgemv
// CHECK-NOT: kernel contract
func.func @main(%x: tensor<7x5xf32>, %w: tensor<5x9xf32>, %wt: tensor<9x5xf32>,
                %q: tensor<2x3x6x4xf32>, %k: tensor<2x8x3x4xf32>, %v: tensor<5xf32>,
                %d: tensor<6x7xf64>, %e: tensor<700x400xf32>, %f: tensor<300x400xf32>)
    -> (tensor<7x9xf32> {zyx.name = "plain"}, tensor<7x9xf32> {zyx.name = "transposed"},
        tensor<9x7xf32> {zyx.name = "swapped"}, tensor<2x3x6x8xf32> {zyx.name = "heads"},
        tensor<7xf32> {zyx.name = "vector"}, tensor<6x6xf64> {zyx.name = "gram"},
        tensor<7x9xf32> {zyx.name = "scaled"}, tensor<4x9xf32> {zyx.name = "part"},
        tensor<700x300xf32> {zyx.name = "big"}) {
  %0 = zyx.contract %x [0, 1], %w [1, 2] -> [0, 2] in f32 to f32 : tensor<7x5xf32>, tensor<5x9xf32> -> tensor<7x9xf32>
  %1 = zyx.contract %x [0, 1], %wt [2, 1] -> [0, 2] in f32 to f32 : tensor<7x5xf32>, tensor<9x5xf32> -> tensor<7x9xf32>
  %2 = zyx.contract %x [0, 1], %w [1, 2] -> [2, 0] in f32 to f32 : tensor<7x5xf32>, tensor<5x9xf32> -> tensor<9x7xf32>
  %3 = zyx.contract %q [0, 1, 2, 3], %k [0, 4, 1, 3] -> [0, 1, 2, 4] in f32 to f32 : tensor<2x3x6x4xf32>, tensor<2x8x3x4xf32> -> tensor<2x3x6x8xf32>
  %4 = zyx.contract %x [0, 1], %v [1] -> [0] in f32 to f32 : tensor<7x5xf32>, tensor<5xf32> -> tensor<7xf32>
  %5 = zyx.contract %d [0, 1], %d [2, 1] -> [0, 2] in f64 to f64 : tensor<6x7xf64>, tensor<6x7xf64> -> tensor<6x6xf64>
  %s = zyx.constant dense<0.125> : tensor<7x9xf32>
  %6 = zyx.mul %1, %s : tensor<7x9xf32>, tensor<7x9xf32> -> tensor<7x9xf32>
  %p = zyx.narrow %x starts [2, 0] sizes [4, 5] steps [1, 1] : tensor<7x5xf32> -> tensor<4x5xf32>
  %7 = zyx.contract %p [0, 1], %w [1, 2] -> [0, 2] in f32 to f32 : tensor<4x5xf32>, tensor<5x9xf32> -> tensor<4x9xf32>
  %8 = zyx.contract %e [0, 1], %f [2, 1] -> [0, 2] in f32 to f32 : tensor<700x400xf32>, tensor<300x400xf32> -> tensor<700x300xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<7x9xf32>, tensor<7x9xf32>, tensor<9x7xf32>, tensor<2x3x6x8xf32>, tensor<7xf32>, tensor<6x6xf64>, tensor<7x9xf32>, tensor<4x9xf32>, tensor<700x300xf32>
}
