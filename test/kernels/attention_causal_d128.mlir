// Causal attention: a row sees the keys up to its own position.
// RUN: zyxc kernel check %s --sizes 24 | FileCheck %s
// CHECK: checked @attention_causal_d128 on host: {{.*}} all agree
zyxk.kernel @attention_causal_d128 dims(B, H, S) ports(%q, %k, %v: in f16[B, H, S, 128], %o: out f16[B, H, S, 128])
    axes(b < B, h < H, i < S, j < S, d < 128, e < 128 where j <= i) {
  %q0 = load %q[b, h, i, d] : f16
  %k0 = load %k[b, h, j, d] : f16
  %v0 = load %v[b, h, j, e] : f16
  %s = contract %q0, %k0 over [d] : f16, f16 -> f32
  %scale = arith.constant 0.0883883461 : f32
  %t = arith.mulf %s, %scale : f32
  %m, %l, %u = expsum %t over [j] weights(unit, %v0 : f16) : f32
  %r = arith.divf %u, %l : f32
  %z = arith.truncf %r : f32 to f16
  store %z, %o[b, h, i, e] : f16
}
