// RMS norm over the head dimension, then rotary embedding of its two halves; the math is in f32.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @rms_norm_rope on host: {{.*}} all agree
zyxk.kernel @rms_norm_rope dims(B, S, H, D) ports(%q: in f16[B, S, H, D], %cos: in f32[S, D floordiv 2],
    %sin: in f32[S, D floordiv 2], %w: in f16[D], %y: out f16[B, S, H, D])
    axes(b < B, s < S, h < H, d < D, p < D floordiv 2) assume(D mod 2 == 0) {
  %x16 = load %q[b, s, h, d] : f16
  %x = arith.extf %x16 : f16 to f32
  %xx = arith.mulf %x, %x : f32
  %sum = reduce add %xx over [d] : f32
  %one = arith.constant 1.0 : f32
  %n = reduce add %one over [d] : f32
  %mean = arith.divf %sum, %n : f32
  %eps = arith.constant 1.0e-6 : f32
  %me = arith.addf %mean, %eps : f32
  %r = math.rsqrt %me : f32
  %lo16 = load %q[b, s, h, p] : f16
  %hi16 = load %q[b, s, h, p + D floordiv 2] : f16
  %lo = arith.extf %lo16 : f16 to f32
  %hi = arith.extf %hi16 : f16 to f32
  %wl16 = load %w[p] : f16
  %wh16 = load %w[p + D floordiv 2] : f16
  %wl = arith.extf %wl16 : f16 to f32
  %wh = arith.extf %wh16 : f16 to f32
  %c = load %cos[s, p] : f32
  %sn = load %sin[s, p] : f32
  %rl = arith.mulf %r, %wl : f32
  %rh = arith.mulf %r, %wh : f32
  %l = arith.mulf %lo, %rl : f32
  %u = arith.mulf %hi, %rh : f32
  %lc = arith.mulf %l, %c : f32
  %us = arith.mulf %u, %sn : f32
  %ls = arith.mulf %l, %sn : f32
  %a = arith.subf %lc, %us : f32
  %e = math.fma %u, %c, %ls : f32
  %a16 = arith.truncf %a : f32 to f16
  %e16 = arith.truncf %e : f32 to f16
  store %a16, %y[b, s, h, p] : f16
  store %e16, %y[b, s, h, p + D floordiv 2] : f16
}
