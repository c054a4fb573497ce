// Sums of columns: the reduced axis is the outer one in memory.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @column_sum on host: {{.*}} all agree
zyxk.kernel @column_sum dims(R, N) ports(%x: in f32[R, N], %y: out f32[N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %s = reduce add %a over [r] : f32
  store %s, %y[n] : f32
}
