// Kernels in place: a point may store where it loads, and a team reduces before any of it stores.
// RUN: zyxc kernel check %s --sizes 12 | FileCheck %s
// RUN: zyxc kernel check %s --threads 2 --sizes 12 | FileCheck %s
// RUN: zyxc kernel check %s --target sm_90a --simulate --sizes 12 --work 1e7 | FileCheck %s
// CHECK-COUNT-5: all agree
zyxk.kernel @softin dims(R, N) ports(%x: inout f32[R, N], %m: out f32[R]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %s = reduce max %a over [n] : f32
  %d = arith.subf %a, %s : f32
  store %d, %x[r, n] : f32
  %t = reduce add %d over [n] : f32
  store %t, %m[r] : f32
}
zyxk.kernel @softin2 dims(R, N) ports(%x: inout f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %s = reduce max %a over [n] : f32
  %d = arith.subf %a, %s : f32
  store %d, %x[r, n] : f32
}
zyxk.kernel @colin dims(R, N) ports(%x: inout f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %s = reduce max %a over [r] : f32
  %d = arith.subf %a, %s : f32
  store %d, %x[r, n] : f32
}
zyxk.kernel @double dims(N) ports(%x: inout f32[N]) axes(i < N) {
  %a = load %x[i] : f32
  %d = arith.addf %a, %a : f32
  store %d, %x[i] : f32
}
// Many short rows: one thread a row, not one an element.
zyxk.kernel @short_rows dims(R) ports(%x: inout f32[R, 2]) axes(r < R, n < 2) {
  %a = load %x[r, n] : f32
  %s = reduce max %a over [n] : f32
  %d = arith.subf %a, %s : f32
  store %d, %x[r, n] : f32
}
