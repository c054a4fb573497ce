// The end of a residual block: an elementwise kernel with two inputs.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @relu_add on host: {{.*}} all agree
zyxk.kernel @relu_add dims(B, C, P) ports(%x, %r: in f32[B, C, P], %y: out f32[B, C, P])
    axes(n < B, c < C, p < P) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[n, c, p] : f32
  %b = load %r[n, c, p] : f32
  %s = arith.addf %a, %b : f32
  %m = arith.maximumf %s, %zero : f32
  store %m, %y[n, c, p] : f32
}
