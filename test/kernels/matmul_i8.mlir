// A product of 8-bit integers, accumulated in 32 bits, with a scale per column.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @matmul_i8 on host: {{.*}} all agree
zyxk.kernel @matmul_i8 dims(M, N, K)
    ports(%A: in i8[M, K], %B: in i8[K, N], %s: in f32[N], %C: out i32[M, N], %D: out f32[M, N])
    axes(i < M, j < N, k < K) {
  %x = load %A[i, k] : i8
  %w = load %B[k, j] : i8
  %c = contract %x, %w over [k] : i8, i8 -> i32
  %f = arith.sitofp %c : i32 to f32
  %t = load %s[j] : f32
  %d = arith.mulf %f, %t : f32
  store %c, %C[i, j] : i32
  store %d, %D[i, j] : f32
}
