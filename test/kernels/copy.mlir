// A copy: what memory-bound kernels are measured by.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @copy on host: {{.*}} all agree
zyxk.kernel @copy dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(i < N) {
  %a = load %x[i] : f32
  store %a, %y[i] : f32
}
