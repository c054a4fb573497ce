// Softmax of rows: two reductions and a map in one kernel, the maximum subtracted first.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @softmax on host: {{.*}} all agree
zyxk.kernel @softmax dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] : f32
  %q = arith.divf %e, %s : f32
  store %q, %y[r, n] : f32
}
