// A function of BLAS competes by its cost, and what lost is listed. Without --blas it does not exist.
// RUN: zyxc explain %s --blas auto | FileCheck %s --check-prefix=COMPETES
// COMPETES: {{^}}cblas_sgemv{{.*}}: vector
// COMPETES: instead: {{.*}} for row kernel reading
// COMPETES: {{^}}cblas_sgemm{{.*}}: matrix
// COMPETES: instead: {{.*}} for contract kernel reading
// COMPETES: {{^}}contract{{.*}}: small
// COMPETES: instead: {{.*}} for cblas_sgemm kernel reading
// RUN: zyxc explain %s --blas auto --blas-when always | FileCheck %s --check-prefix=ALWAYS
// ALWAYS: {{^}}cblas_sgemm{{.*}}: small
// RUN: zyxc explain %s | FileCheck %s --check-prefix=OFF
// RUN: zyxc explain %s --blas off | FileCheck %s --check-prefix=OFF
// Sums in the order of the model, and code for GPUs, call no library.
// RUN: zyxc explain %s --blas auto --blas-when always --numerics exact | FileCheck %s --check-prefix=OFF
// RUN: zyxc explain %s --blas auto --blas-when always --target vulkan:1.2 | FileCheck %s --check-prefix=OFF
// OFF-NOT: cblas
func.func @main(%x: tensor<512x768xf32>, %v: tensor<768xf32>, %w: tensor<768x256xf32>, %s: tensor<16x16xf32>) -> (tensor<512xf32>, tensor<512x256xf32>, tensor<16x16xf32>) {
  %0 = zyx.contract %x [0, 1], %v [1] -> [0] in f32 to f32 : tensor<512x768xf32>, tensor<768xf32> -> tensor<512xf32> loc("vector")
  %1 = zyx.contract %x [0, 1], %w [1, 2] -> [0, 2] in f32 to f32 : tensor<512x768xf32>, tensor<768x256xf32> -> tensor<512x256xf32> loc("matrix")
  %2 = zyx.contract %s [0, 1], %s [1, 2] -> [0, 2] in f32 to f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32> loc("small")
  return %0, %1, %2 : tensor<512xf32>, tensor<512x256xf32>, tensor<16x16xf32>
}
