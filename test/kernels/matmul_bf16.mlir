// A product of bf16 matrices, accumulated in single precision.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @matmul_bf16 on host: {{.*}} all agree
zyxk.kernel @matmul_bf16 dims(M, N, K) ports(%A: in bf16[M, K], %B: in bf16[K, N], %C: out bf16[M, N])
    axes(i < M, j < N, k < K) {
  %x = load %A[i, k] : bf16
  %w = load %B[k, j] : bf16
  %c = contract %x, %w over [k] : bf16, bf16 -> f32
  %o = arith.truncf %c : f32 to bf16
  store %o, %C[i, j] : bf16
}
