// Running sums of rows.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @cumsum on host: {{.*}} all agree
zyxk.kernel @cumsum dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %s = scan add %a along n : f32
  store %s, %y[r, n] : f32
}
