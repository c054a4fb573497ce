// Concatenation of two tensors along the channels: where over disjoint sets.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @concat on host: {{.*}} all agree
zyxk.kernel @concat dims(B, C, D, P)
    ports(%a: in f32[B, C, P], %b: in f32[B, D, P], %y: out f32[B, C + D, P])
    axes(n < B, c < C + D, p < P) {
  %zero = arith.constant 0.0 : f32
  %x = load %a[n, c, p] : f32
  %x0 = where %x if (c < C) else %zero : f32
  %z = load %b[n, c - C, p] : f32
  %z0 = where %z if (c >= C) else %x0 : f32
  store %z0, %y[n, c, p] : f32
}
