// Sorting without positions or without values, and rows to given places.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @argsort_rows on host: {{.*}} all agree
// CHECK: checked @sort_unsigned on host: {{.*}} all agree
// CHECK: checked @scatter_rows on host: {{.*}} all agree
zyxk.kernel @argsort_rows dims(R, N) ports(%x: in f16[R, N], %i: out i64[R, N]) axes() {
  opaque @argsort(%x, %i) params(1)
}
// 6 is u16.
zyxk.kernel @sort_unsigned dims(R, N) ports(%x: in i16[R, N], %v: out i16[R, N]) axes() {
  opaque @sort_values(%x, %v) params(0, 6)
}
// Sums (1) of f32 (11) at indices that are i8 (1).
zyxk.kernel @scatter_rows dims(N, M, I)
    ports(%x: in f32[N, I], %i: in i8[M], %u: in f32[M, I], %y: out f32[N, I]) axes() {
  opaque @scatter(%x, %i, %u, %y) params(1, 11, 1)
}
