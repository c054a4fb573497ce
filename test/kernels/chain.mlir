// A chain of elementwise ops: one pass over memory.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @chain on host: {{.*}} all agree
zyxk.kernel @chain dims(N) ports(%x, %z: in f32[N], %y: out f32[N]) axes(i < N) {
  %a = load %x[i] : f32
  %b = load %z[i] : f32
  %s = arith.mulf %a, %b : f32
  %t = arith.addf %s, %a : f32
  %u = scalar @silu(%t) : f32
  %v = math.absf %u : f32
  %w = math.sqrt %v : f32
  %m = arith.maximumf %w, %b : f32
  store %m, %y[i] : f32
}
