// The position of the largest element of each row, and the element.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @argmax on host: {{.*}} all agree
zyxk.kernel @argmax dims(R, N) ports(%x: in f32[R, N], %p: out i64[R], %y: out f32[R])
    axes(r < R, n < N) assume(N >= 1) {
  %a = load %x[r, n] : f32
  %i = reduce argmax %a over [n] : f32 -> i64
  %m = reduce max %a over [n] : f32
  store %i, %p[r] : i64
  store %m, %y[r] : f32
}
