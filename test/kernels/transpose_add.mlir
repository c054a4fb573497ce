// A transposed matrix plus another one: a transpose is a load map.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @transpose_add on host: {{.*}} all agree
zyxk.kernel @transpose_add dims(M, N) ports(%a: in f32[N, M], %b: in f32[M, N], %y: out f32[M, N])
    axes(i < M, j < N) {
  %x = load %a[j, i] : f32
  %z = load %b[i, j] : f32
  %s = arith.addf %x, %z : f32
  store %s, %y[i, j] : f32
}
