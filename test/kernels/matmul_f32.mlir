// A product of single-precision matrices.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @matmul_f32 on host: {{.*}} all agree
zyxk.kernel @matmul_f32 dims(M, N, K) ports(%A: in f32[M, K], %B: in f32[K, N], %C: out f32[M, N])
    axes(i < M, j < N, k < K) {
  %x = load %A[i, k] : f32
  %w = load %B[k, j] : f32
  %c = contract %x, %w over [k] : f32, f32 -> f32
  store %c, %C[i, j] : f32
}

// A layer: matrix product, bias and GELU in one kernel, single precision.
// CHECK: checked @matmul_bias_gelu_f32 on host: {{.*}} all agree
zyxk.kernel @matmul_bias_gelu_f32 dims(M, N, K)
    ports(%A: in f32[M, K], %B: in f32[K, N], %b: in f32[N], %C: out f32[M, N])
    axes(i < M, j < N, k < K) {
  %x = load %A[i, k] : f32
  %w = load %B[k, j] : f32
  %c = contract %x, %w over [k] : f32, f32 -> f32
  %v = load %b[j] : f32
  %h = arith.addf %c, %v : f32
  %g = scalar @gelu_tanh(%h) : f32
  store %g, %C[i, j] : f32
}
