// A product of half-precision matrices, accumulated in single precision.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @matmul on host: {{.*}} all agree
zyxk.kernel @matmul dims(M, N, K) ports(%A: in f16[M, K], %B: in f16[K, N], %C: out f16[M, N])
    axes(i < M, j < N, k < K) {
  %x = load %A[i, k] : f16
  %w = load %B[k, j] : f16
  %c = contract %x, %w over [k] : f16, f16 -> f32
  %o = arith.truncf %c : f32 to f16
  store %o, %C[i, j] : f16
}
