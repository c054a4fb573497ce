// A causal mask becomes a restriction of the domain; a mask that others must not see stays.
// RUN: zyx-opt %s --zyxk-mask-to-bounds | FileCheck %s

// CHECK-LABEL: @causal
// CHECK-SAME: axes(i < 128, j < 128, d < 64, e < 64 where i >= j)
// CHECK-NOT: where %
// CHECK: expsum
zyxk.kernel @causal ports(%q, %k, %v: in f16[128, 64], %o: out f32[128, 64]) axes(i < 128, j < 128, d < 64, e < 64) {
  %low = arith.constant 0xFF800000 : f32
  %q0 = load %q[i, d] : f16
  %k0 = load %k[j, d] : f16
  %v0 = load %v[j, e] : f16
  %s = contract %q0, %k0 over [d] : f16, f16 -> f32
  %t = where %s if (j <= i) else %low : f32
  %m, %l, %u = expsum %t over [j] weights(unit, %v0 : f16) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[i, e] : f32
}

// The masked values themselves are stored, too.
// CHECK-LABEL: @stored
// CHECK: where %
zyxk.kernel @stored ports(%x: in f32[8, 8], %y: out f32[8, 8], %z: out f32[8]) axes(i < 8, j < 8) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[i, j] : f32
  %t = where %a if (j <= i) else %zero : f32
  %s = reduce add %t over [j] : f32
  store %a, %y[i, j] : f32
  store %s, %z[i] : f32
}

// 1 is not what a sum ignores.
// CHECK-LABEL: @other
// CHECK: where %
zyxk.kernel @other ports(%x: in f32[8, 8], %z: out f32[8]) axes(i < 8, j < 8) {
  %one = arith.constant 1.0 : f32
  %a = load %x[i, j] : f32
  %t = where %a if (j <= i) else %one : f32
  %s = reduce add %t over [j] : f32
  store %s, %z[i] : f32
}
