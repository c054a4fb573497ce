// A product less a bias on matrix units: MLIR's own way to NVVM aborts on a subf of fragments.
// RUN: zyxc kernel check %s --sizes 6 --work 2e6 | FileCheck %s
// RUN: zyxc kernel check %s --sizes 6 --work 2e6 --target sm_80 --simulate | FileCheck %s
// RUN: zyxc kernel check %s --sizes 6 --work 2e6 --target sm_90a --simulate | FileCheck %s
// CHECK: checked @less_bias on {{.*}} all agree
zyxk.kernel @less_bias dims(M, N, K)
    ports(%a: in f16[M, K], %b: in f16[K, N], %c: in f32[N], %y: out f32[M, N])
    axes(i < M, j < N, k < K) {
  %u = load %a[i, k] : f16
  %v = load %b[k, j] : f16
  %p = contract %u, %v over [k] : f16, f16 -> f32
  %w = load %c[j] : f32
  %d = arith.subf %p, %w : f32
  store %d, %y[i, j] : f32
}
