// The last state of h = tanh(a * h + b) down the columns: one point after the other.
// RUN: zyxc kernel check %s | FileCheck %s
// RUN: zyxc kernel check %s --target sm_80 --simulate --sizes 8 --work 2e6 | FileCheck %s
// CHECK: checked @recurrence on {{.*}}: {{.*}} all agree
zyxk.kernel @recurrence dims(T, N) ports(%a, %b: in f32[T, N], %h: in f32[N], %y: out f32[N])
    axes(t < T, n < N) {
  %x = load %a[t, n] : f32
  %z = load %b[t, n] : f32
  %h0 = load %h[n] : f32
  %last = fold %x, %z over [t] init(%h0) step(%s: f32, %v: f32, %w: f32) {
    %p = arith.mulf %v, %s : f32
    %q = arith.addf %p, %w : f32
    %next = math.tanh %q : f32
    yield %next : f32
  }
  store %last, %y[n] : f32
}
