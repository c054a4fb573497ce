// RUN: zyxc verify %s --rtol=1e-4 --threads 3 | FileCheck %s
// CHECK: verified {{[0-9]+}} outputs
// RUN: rm -rf %t && mkdir %t
// RUN: zyxc run %s --threads 1 --quiet --output rows=@%t/rows.npy --output all=@%t/all.npy
// RUN: zyxc run %s --threads 3 --rtol 0 --atol 0 --expect rows=@%t/rows.npy --expect all=@%t/all.npy
// RUN: zyxc run %s --dump-after=kernels --quiet 2>&1 | FileCheck %s --check-prefix=PORTS
// RUN: zyxc run %s --plan --quiet | FileCheck %s --check-prefix=PLAN

// Reductions that are made in parts: the same bits with one thread and with three. What kernels
// write is aligned, what they read may be a user's.
// PORTS: in f32[9001, 48], {{.*}}: out f32[48] align 64
// PLAN: kernel {{.*}} join {{[0-9]+}} shared {{[0-9]+}}
func.func @main(%x: tensor<9001x48xf32>) -> (tensor<48xf32> {zyx.name = "rows"}, tensor<f32> {zyx.name = "all"}) {
  %0 = zyx.reduce_sum %x over [0] : tensor<9001x48xf32> -> tensor<48xf32>
  %1 = zyx.mul %x, %x : tensor<9001x48xf32>, tensor<9001x48xf32> -> tensor<9001x48xf32>
  %2 = zyx.reduce_sum %1 over [0, 1] : tensor<9001x48xf32> -> tensor<f32>
  return %0, %2 : tensor<48xf32>, tensor<f32>
}
