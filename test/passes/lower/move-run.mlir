// RUN: zyxc kernel check %s | FileCheck %s
// RUN: zyxc kernel check %s --target host-avx2 | FileCheck %s
// CHECK-COUNT-4: all agree with the interpreter
// Transposes on the host: blocks of 16 bytes of each width, two of them in one kernel, axes outside
// of the tiles, two outputs.
zyxk.kernel @t8 dims(M, N) ports(%x: in i8[N, M], %y: out i8[M, N]) axes(i < M, j < N) {
  %a = load %x[j, i] : i8
  store %a, %y[i, j] : i8
}
zyxk.kernel @t16 dims(M, N) ports(%x: in f16[N, M], %z: in f16[N, M], %y: out f16[M, N]) axes(i < M, j < N) {
  %a = load %x[j, i] : f16
  %b = load %z[j, i] : f16
  %s = arith.addf %a, %b : f16
  store %s, %y[i, j] : f16
}
zyxk.kernel @t64 dims(B, M, N) ports(%x: in i64[B, N, M], %z: in i64[B, M, N], %y: out i64[M, B, N]) axes(b < B, i < M, j < N) {
  %a = load %x[b, j, i] : i64
  %b = load %z[b, i, j] : i64
  %s = arith.addi %a, %b : i64
  store %s, %y[i, b, j] : i64
}
zyxk.kernel @tf64 dims(M, N) ports(%x: in f64[N, M], %y: out f64[M, N], %w: out f64[M, N]) axes(i < M, j < N) {
  %a = load %x[j, i] : f64
  %b = arith.mulf %a, %a : f64
  store %a, %y[i, j] : f64
  store %b, %w[i, j] : f64
}
