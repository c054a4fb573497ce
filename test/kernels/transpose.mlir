// A batched transpose.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @transpose on host: {{.*}} all agree
zyxk.kernel @transpose dims(B, M, N) ports(%x: in f32[B, M, N], %y: out f32[B, N, M])
    axes(b < B, i < N, j < M) {
  %a = load %x[b, j, i] : f32
  store %a, %y[b, i, j] : f32
}
