// Column sums in two launches: parts of the rows side by side, then their sum in a fixed order.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @column_sum_split on host: {{.*}} all agree
zyxk.kernel @column_sum_parts dims(R, N) ports(%x: in f32[R, N], %w: out f32[8, N])
    axes(p < 8, r < (R + 7) floordiv 8, n < N) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[r * 8 + p, n] oob else(%zero) : f32
  %s = reduce add %a over [r] : f32
  store %s, %w[p, n] : f32
}
zyxk.kernel @column_sum_join dims(N) ports(%w: in f32[8, N], %y: out f32[N]) axes(p < 8, n < N) {
  %a = load %w[p, n] : f32
  %s = reduce add %a over [p] order serial : f32
  store %s, %y[n] : f32
}
zyxk.program @column_sum_split dims(R, N)
    ports(%x: in f32[R, N], %y: out f32[N], %w: scratch f32[8, N]) {
  launch @column_sum_parts(%x, %w) dims(R = R, N = N)
  launch @column_sum_join(%w, %y) dims(N = N)
}
