// A layer: matrix product, bias and GELU in one kernel, half precision in memory.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @matmul_bias_gelu on host: {{.*}} all agree
zyxk.kernel @matmul_bias_gelu dims(M, N, K)
    ports(%A: in f16[M, K], %B: in f16[K, N], %b: in f16[N], %C: out f16[M, N])
    axes(i < M, j < N, k < K) {
  %x = load %A[i, k] : f16
  %w = load %B[k, j] : f16
  %c = contract %x, %w over [k] : f16, f16 -> f32
  %v = load %b[j] : f16
  %f = arith.extf %v : f16 to f32
  %h = arith.addf %c, %f : f32
  %g = scalar @gelu_tanh(%h) : f32
  %o = arith.truncf %g : f32 to f16
  store %o, %C[i, j] : f16
}
