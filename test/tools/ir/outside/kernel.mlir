// RUN: zyxc kernel check %s --sizes 6 | FileCheck %s
// CHECK: checked @triple on host: {{.*}} all agree
zyxk.kernel @triple dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(i < N) {
  %three = arith.constant 3.0 : f32
  %a = load %x[i] : f32
  %s = arith.mulf %a, %three : f32
  store %s, %y[i] : f32
}
